"""The figures of the papers, a module for each example; registry.py lists them, sources.py makes the runs behind them."""
