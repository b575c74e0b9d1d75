"""The command line of postprocess/plot."""

import argparse
import sys

from plotting import compare, history, orbit, study, table, timesteps
from plotting.data import InputError

SUBCOMMANDS = {"history": history, "compare": compare, "timesteps": timesteps, "orbit": orbit, "study": study, "table": table}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="plot", description="Draw what runs and studies of Freefall have left.")
    subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="|".join(SUBCOMMANDS))
    for name, module in SUBCOMMANDS.items():
        module.add_arguments(subparsers.add_parser(name, help=module.__doc__, description=module.__doc__))
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        SUBCOMMANDS[arguments.subcommand].main(arguments)
    except (InputError, OSError) as error:
        print(f"plot: {error}", file=sys.stderr)
        return 2
    return 0
