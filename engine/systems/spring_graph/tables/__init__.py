"""Tables of springs, hinges, gas and contacts of all spring graphs, in terms of rows, as arguments of the kernels."""
