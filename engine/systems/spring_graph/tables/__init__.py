"""Springs, hinges, gas and contacts of all spring graphs as rows the kernels work on."""
