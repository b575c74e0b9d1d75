"""Several runs over each other, and how far the others are from the first."""

import os

import numpy

from plotting import style
from plotting.data import InputError, Run

DEFAULT = ["total_energy", "kinetic_energy", "linear_momentum_x", "linear_momentum_y", "linear_momentum_z"]
UNITS = {"energy": "J", "work": "J", "linear_momentum": "N s", "angular_momentum": "J s", "force": "N", "position": "m",
         "velocity": "m/s", "time_step": "s"}


def add_arguments(parser):
    parser.add_argument("run_folders", nargs="+", help="the folders of two runs or more; the first is the one to compare with")
    parser.add_argument("--columns", help="columns of history.csv, separated by commas (default: energies and momenta)")
    parser.add_argument("--labels", help="what the legend calls the runs, separated by commas (default: their folders)")
    parser.add_argument("--title", default="", help="above the picture")
    parser.add_argument("--no-differences", action="store_true", help="without the panels of differences from the first run")
    parser.add_argument("-o", "--output", default="compare.png", help="the plot: .png, .svg or .pdf (default: %(default)s)")


def unit_of(name):
    return next((unit for part, unit in UNITS.items() if part in name), "")


def labels_of(arguments, runs):
    if not arguments.labels:
        names = [run.name for run in runs]
        # Runs of the same name differ by the folders that they lie in.
        return names if len(set(names)) == len(names) else [run.folder for run in runs]
    labels = [label.strip() for label in arguments.labels.split(",")]
    if len(labels) != len(runs):
        raise InputError(f"--labels: {len(labels)} labels for {len(runs)} runs.")
    return labels


def difference(run, reference, name):
    """At the times of the first run that the other one has covered; linear between its rows."""
    covered = reference.time <= run.time[-1] * (1 + 1e-9)
    times = reference.time[covered]
    return times, numpy.interp(times, run.time, run.column(name)) - reference.column(name)[covered]


def draw_column(name, runs, labels, above, below, time_scale):
    in_si = runs[0].in_si
    all_values = numpy.concatenate([run.column(name) for run in runs])
    unit = unit_of(name)
    scale, prefix = style.scale_of(all_values) if in_si and unit else (1.0, "")
    for i, (run, label) in enumerate(zip(runs, labels)):
        above.plot(run.time / time_scale, run.column(name) / scale, label=label, linewidth=1.8, **style.look(i))
    above.set_ylabel(style.quantity_label(name.replace("_", " "), unit, prefix, in_si and unit))
    above.margins(x=0.01, y=0.08)
    if below is None:
        return
    differences = [difference(run, runs[0], name) for run in runs[1:]]
    values = numpy.concatenate([d for _, d in differences])
    scale, prefix = style.scale_of(values) if in_si and unit else (1.0, "")
    for i, (times, values) in enumerate(differences, 1):
        below.plot(times / time_scale, values / scale, linewidth=1.5, **style.look(i))
    below.set_ylabel(style.quantity_label("difference", unit, prefix, in_si and unit))
    below.margins(x=0.01, y=0.08)


def main(arguments):
    runs = [Run(folder) for folder in arguments.run_folders]
    if len(runs) < 2:
        raise InputError("compare: give the folders of two runs or more.")
    labels = labels_of(arguments, runs)
    if arguments.columns:
        names = [name.strip() for name in arguments.columns.split(",")]
    else:
        names = [name for name in DEFAULT if all(name in run.history for run in runs)]
    if not names:
        raise InputError("the runs have no columns in common. Name some with --columns.")
    n_columns = 1 if arguments.no_differences else 2
    drawing, axes = style.figure(len(names), n_columns, (8.5 * n_columns ** 0.7, 1.5 + 2.6 * len(names)), sharex=True,
                                 squeeze=False)
    scale, prefix = style.time_scale(numpy.concatenate([run.time for run in runs]), runs[0].in_si)
    for name, panels in zip(names, axes):
        draw_column(name, runs, labels, panels[0], None if arguments.no_differences else panels[1], scale)
    for panel in axes[-1]:
        panel.set_xlabel(style.time_label(prefix, runs[0].in_si))
    if not arguments.no_differences:
        axes[0, 1].set_title(f"difference from {labels[0]}", fontsize=12)
    drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="lower center",
                   ncol=min(len(runs), 4), frameon=False, handlelength=3.6, bbox_to_anchor=(0.5, 1.0))
    if arguments.title:
        drawing.suptitle(arguments.title)
    # The legend stands above the panels, outside of what constrained layout knows.
    style.save(drawing, arguments.output, trimmed=True)
