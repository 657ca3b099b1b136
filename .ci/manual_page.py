"""docs/manual.md as a page that a browser shows at a heading, without a network: goes into the extension.

Knows what the manual uses: headings, paragraphs, lists, tables, pictures, links, bold, italic and code.
"""

from __future__ import annotations

import html
import re

_STYLE = (
    "body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:1rem/1.55 sans-serif;color:#222}img{max-width:100%}"
    "table{border-collapse:collapse}th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}"
    "code{background:#eee;padding:0 .2rem}"
)


def slug(heading: str) -> str:
    """A heading as it stands in a link: small letters, hyphens for spaces, nothing else but letters and digits."""
    return re.sub(r"[^\w-]", "", heading.strip().lower().replace(" ", "-"))


def page(markdown: str) -> str:
    """The whole page."""
    blocks = re.split(r"\n\s*\n", markdown.strip())
    body = "\n".join(_block(line) for block in blocks for line in _parts(block))
    title = html.escape(blocks[0].lstrip("# "))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Flotsam: {title}</title>'
        f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _parts(block: str) -> list[str]:
    """A heading may stand right above what follows."""
    first, _, rest = block.partition("\n")
    return [first, rest] if first.startswith("#") and rest else [block]


def _block(block: str) -> str:
    heading = re.match(r"(#+) (.*)", block)
    if heading:
        level = len(heading[1])
        return f'<h{level} id="{slug(heading[2])}">{_inline(heading[2])}</h{level}>'
    if block.startswith("|"):
        return _table(block.splitlines())
    for pattern, tag in ((r"\d+\. ", "ol"), (r"\* ", "ul")):
        if re.match(pattern, block):
            items = re.split(rf"^{pattern}", block, flags=re.M)[1:]
            return f"<{tag}>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + f"</{tag}>"
    return f"<p>{_inline(block)}</p>"


def _table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head, body = rows[0], rows[2:]
    cells = "".join(f"<th>{_inline(cell)}</th>" for cell in head)
    rest = "".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in body)
    return f"<table><tr>{cells}</tr>{rest}</table>"


def _inline(text: str) -> str:
    text = " ".join(html.escape(text.strip(), quote=False).split())
    text = re.sub(r"!\[(.*?)\]\((.*?)\)", r'<img alt="\1" src="\2">', text)
    text = re.sub(r"\[(.*?)\]\((.*?)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"`(.+?)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", text)
