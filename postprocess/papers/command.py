"""The command line of postprocess/figures."""

import argparse
import difflib
import os
import sys

from papers.registry import all_figures
from papers.report import Outcome, line_of, write_gallery, write_report
from papers.sources import ROOT, FailedRun, Maker, MissingFile
from plotting import style
from plotting.data import InputError


def parse_arguments():
    parser = argparse.ArgumentParser(prog="figures", description="Make the figures and tables of the papers from the shipped "
                                     "parameter files, each beside a line that says what the paper reports and what came out.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures such as GSO-5, or papers: GSO, TO, S, R, G99 "
                        "(default: all)")
    parser.add_argument("--list", action="store_true", help="show the figures and the files behind them, make nothing")
    parser.add_argument("--quick", action="store_true", help="shortened runs: shows that all works, not what the paper shows")
    parser.add_argument("--again", action="store_true", help="make runs again that are already there")
    parser.add_argument("--output", default=os.path.join("output", "figures"), help="folder of the runs, the pictures and "
                        "report.md (default: %(default)s)")
    parser.add_argument("--format", default="png", choices=["png", "svg", "pdf"], help="(default: %(default)s)")
    parser.add_argument("--gallery", metavar="FOLDER", help="also write a small copy of every picture and a page for the "
                        "documentation there: FOLDER/gallery.md and FOLDER/gallery/")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "freefall"), help="(default: %(default)s)")
    return parser.parse_args()


def chosen(names, figures):
    known = [figure.name for figure in figures] + sorted({figure.paper for figure in figures})
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise InputError(f"there is no figure '{name}'." + (f" Did you mean '{near[0]}'?" if near else "") +
                             " postprocess/figures --list shows all of them.")
    return [figure for figure in figures if not names or figure.name in names or figure.paper in names]


def show(figures):
    for figure in figures:
        print(f"{figure.name:6s} {figure.title}")
        for path in dict.fromkeys(source.path() for source in figure.sources.values()):
            print(f"       {path}" + ("" if os.path.isfile(os.path.join(ROOT, path)) else "  (missing)"))


def make(figure, maker, picture):
    """One figure; what goes wrong with it does not stop the others."""
    try:
        results = {key: maker.read(source) for key, source in figure.sources.items()}
        drawing, findings = figure.draw(results)
        style.save(drawing, picture)
        return Outcome(figure, "made", picture, findings)
    except MissingFile as error:
        return Outcome(figure, "missing", detail=f"there is no {error}")
    except (FailedRun, InputError) as error:
        return Outcome(figure, "failed", detail=str(error))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return Outcome(figure, "failed", detail=f"its results are not what it draws: {type(error).__name__} {error}")


def main():
    arguments = parse_arguments()
    try:
        figures = chosen(arguments.names, all_figures())
        if arguments.list:
            show(figures)
            return 0
        os.makedirs(arguments.output, exist_ok=True)
        maker = Maker(arguments.program, arguments.output, arguments.quick, arguments.again)
        outcomes = []
        for figure in figures:
            print(figure.heading, flush=True)
            outcomes.append(make(figure, maker, os.path.join(arguments.output, f"{figure.name}.{arguments.format}")))
            for line in line_of(outcomes[-1]):
                print(f"  {line}", flush=True)
        print(write_report(outcomes, arguments.output, arguments.quick))
        if arguments.gallery:
            print(write_gallery(outcomes, arguments.gallery, [figure.name for figure in all_figures()]))
    except (InputError, OSError) as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    return 0 if all(outcome.status == "made" for outcome in outcomes) else 3
