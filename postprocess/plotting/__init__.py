"""The subcommands of postprocess/plot, a module each; style.py and data.py serve them all."""
