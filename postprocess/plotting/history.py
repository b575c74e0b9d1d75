"""Energies and momenta of a run over time."""

import numpy

from plotting import style
from plotting.data import Run

# Column, label, colour, dashes, width. The dashes alone tell them apart.
ENERGIES = [("total_energy", "total", "#000000", "-", 2.2),
            ("conserved_energy", "conserved by\nthe integrator", "#999999", (0, (1, 3)), 2.2),
            ("kinetic_energy", "kinetic", "#0072B2", "--", 1.8),
            ("potential_energy", "potential", "#D55E00", "-.", 1.8),
            ("contact_energy", "contact", "#009E73", ":", 2.2),
            ("external_work", "external work", "#CC79A7", (0, (6, 2, 1, 2, 1, 2)), 1.8),
            ("damping_loss", "damping loss", "#E69F00", (0, (3, 1)), 1.8)]
AXES = [("x", "#0072B2", "-", 1.8), ("y", "#D55E00", "--", 1.8), ("z", "#009E73", "-.", 1.8)]
MOMENTA = [(f"linear_momentum_{axis}", axis, *look) for axis, *look in AXES]
SPINS = [(f"angular_momentum_{axis}", axis, *look) for axis, *look in AXES]


def add_arguments(parser):
    parser.add_argument("run_folder", help="the folder of the run, with history.csv")
    parser.add_argument("-o", "--output", help="the plot: .png, .svg or .pdf (default: RUN_FOLDER/history.png)")
    parser.add_argument("--columns", help="draw these columns of history.csv instead, separated by commas, a panel each")


def draw(axes, run, curves, time, quantity, unit):
    present = [curve for curve in curves if curve[0] in run.history]
    if not present:
        axes.text(0.5, 0.5, f"no {quantity} in this history", transform=axes.transAxes, ha="center", va="center")
        axes.set_yticks([])
        return
    values = numpy.concatenate([run.history[curve[0]] for curve in present])
    scale, prefix = style.scale_of(values) if run.in_si else (1.0, "")
    for name, label, colour, dashes, width in present:
        axes.plot(time, run.history[name] / scale, label=label, color=colour, linestyle=dashes, linewidth=width)
    axes.set_ylabel(style.quantity_label(quantity, unit, prefix, run.in_si))
    axes.margins(x=0.01, y=0.08)
    style.legend_beside(axes)


def draw_columns(run, names, time):
    drawing, axes = style.figure(len(names), 1, (11, 2 + 2.6 * len(names)), sharex=True, squeeze=False)
    for i, (name, panel) in enumerate(zip(names, axes[:, 0])):
        panel.plot(time, run.column(name), **style.look(i), linewidth=1.8)
        panel.set_ylabel(name.replace("_", " "))
        panel.margins(x=0.01, y=0.08)
    return drawing, axes[-1, 0]


def main(arguments):
    run = Run(arguments.run_folder)
    scale, prefix = style.time_scale(run.time, run.in_si)
    time = run.time / scale
    if arguments.columns:
        drawing, last = draw_columns(run, [name.strip() for name in arguments.columns.split(",")], time)
    else:
        panels = [(ENERGIES, "energy", "J"), (MOMENTA, "linear momentum", "N s")]
        if any(curve[0] in run.history for curve in SPINS):
            panels.append((SPINS, "angular momentum", "J s"))
        drawing, axes = style.figure(len(panels), 1, (11, 3.75 * len(panels)), sharex=True)
        for panel, (curves, quantity, unit) in zip(axes, panels):
            draw(panel, run, curves, time, quantity, unit)
        last = axes[-1]
    last.set_xlabel(style.time_label(prefix, run.in_si))
    drawing.suptitle(run.title)
    style.save(drawing, arguments.output or run.file("history.png"))
