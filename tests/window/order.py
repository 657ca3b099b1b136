"""The steps in order: those of the first Blender, which is killed at its end, and those of the next one."""

from __future__ import annotations

import steps
import steps_first_hour
import steps_interface
import steps_killed
import steps_newcomer
import steps_tied

STEPS = [
    steps.install_the_zip, steps.add_through_the_menu, steps.demo_scene_is_live, steps.choose_a_preset,
    steps.live_runs, steps.the_mouse_pulls, steps_interface.the_mouse_pulls_in_quad_view, steps.space_pauses_and_plays,
    steps.a_setting_acts_while_it_runs, steps.the_view_turns_meanwhile, steps.saving_meanwhile_leaves_no_trace,
    steps.record_and_escape, steps.escape_stops_a_bake_in_the_middle, steps.a_stopped_bake_goes_on,
    steps.scrubbing_shows_the_bake, steps_interface.playback_meanwhile, steps_interface.a_closed_window_ends_live,
    steps_interface.a_bake_pauses_and_is_scrubbed, steps_interface.panels_draw_in_under_a_millisecond,
    steps_interface.a_material_of_one_s_own, steps_interface.the_overlay_is_drawn, steps.undo_and_redo_meanwhile,
    steps.a_file_opened_meanwhile_ends_live, steps.a_body_deleted_meanwhile, steps.disabled_meanwhile,
    steps_newcomer.a_newcomer_gets_to_a_picture, steps_first_hour.a_baked_body_says_what_changed,
    steps_first_hour.a_copy_stands_where_it_stands, steps_first_hour.what_is_left_out_is_called_what_it_is,
    steps_first_hour.a_bake_shows_its_frames_and_a_speed_that_is_true,
    steps_first_hour.mass_pins_and_joints_are_shown, steps_first_hour.what_stops_a_bake_is_one_sentence,
    steps_first_hour.a_file_of_an_earlier_version_opens, steps_tied.joints_and_attachments_are_drawn,
    steps_tied.what_keys_lead_is_let_go, steps_killed.a_bake_runs_when_blender_is_killed,
]
AFTER_THE_KILL = [steps_killed.a_killed_bake_is_found_and_goes_on]
