"""Paths of bodies in the plane, of one run or of several over each other."""

import math

import numpy

from plotting import style
from plotting.data import InputError, Run


def add_arguments(parser):
    parser.add_argument("run_folders", nargs="+", help="the folders of one run or more")
    parser.add_argument("--body", help="bodies by the names of their columns in history.csv, such as particle_body or "
                        "point_corner, separated by commas (default: all)")
    parser.add_argument("--plane", default="xy", choices=["xy", "xz", "yz"], help="coordinates to draw (default: %(default)s)")
    parser.add_argument("--kepler", metavar="A,E", help="also draw the ellipse of semi-major axis A and eccentricity E around 0, "
                        "nearest point on the positive x axis")
    parser.add_argument("--labels", help="what the legend calls the runs, separated by commas")
    parser.add_argument("--separate", action="store_true", help="a panel for each run")
    parser.add_argument("--title", default="", help="above the picture")
    parser.add_argument("-o", "--output", help="the plot: .png, .svg or .pdf (default: RUN_FOLDER/orbit.png)")


def ellipse(text):
    try:
        semi_major, eccentricity = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--kepler {text}: give two numbers, such as 1,0.85.")
    if not 0 <= eccentricity < 1:
        raise InputError(f"--kepler {text}: the eccentricity must be from 0 to less than 1.")
    angle = numpy.linspace(0, 2 * math.pi, 400)
    return (semi_major * (numpy.cos(angle) - eccentricity),
            semi_major * math.sqrt(1 - eccentricity ** 2) * numpy.sin(angle))


def bodies_of(run, arguments):
    last = arguments.plane[1]
    present = [name for name in run.particles() if f"{name}_position_{last}" in run.history]
    if not arguments.body:
        if not present:
            raise InputError(f"'{run.file('history.csv')}' has no positions. Set Particles/Observed, or a section Point for a solid.")
        return present
    wanted = [name.strip() for name in arguments.body.split(",")]
    for name in wanted:
        if name not in present:
            raise InputError(f"--body {name}: '{run.file('history.csv')}' has {', '.join(present) or 'no positions'}.")
    return wanted


def main(arguments):
    runs = [Run(folder) for folder in arguments.run_folders]
    labels = [label.strip() for label in arguments.labels.split(",")] if arguments.labels else [run.name for run in runs]
    if len(labels) != len(runs):
        raise InputError(f"--labels: {len(labels)} labels for {len(runs)} runs.")
    n_panels = len(runs) if arguments.separate else 1
    drawing, axes = style.figure(1, n_panels, (2.5 + 6 * n_panels, 6.2), squeeze=False, sharex=True, sharey=True)
    i = 0
    for k, (run, label) in enumerate(zip(runs, labels)):
        panel = axes[0, k if arguments.separate else 0]
        bodies = bodies_of(run, arguments)
        for body in bodies:
            x, y = (run.column(f"{body}_position_{axis}") for axis in arguments.plane)
            name = label if len(bodies) == 1 else f"{label}: {body.replace('_', ' ')}"
            curve = style.look(i + 1)
            if arguments.separate:
                curve["linestyle"] = "-"
                name = None if len(bodies) == 1 else name
            panel.plot(x, y, label=name, linewidth=0.9, **curve)
            panel.plot(x[:1], y[:1], marker=style.MARKERS[i % len(style.MARKERS)], color=curve["color"], markersize=7)
            i += 1
        if arguments.separate:
            panel.set_title(label, fontsize=12)
    unit = " (m)" if runs[0].in_si else ""
    for panel in axes[0]:
        if arguments.kepler:
            panel.plot(*ellipse(arguments.kepler), color="black", linewidth=2.4, linestyle="-", label="exact", zorder=5)
            panel.plot([0], [0], marker="+", color="black", markersize=12, markeredgewidth=2)
        panel.set_aspect("equal", adjustable="box")
        panel.set_xlabel(arguments.plane[0] + unit)
        panel.set_ylabel(arguments.plane[1] + unit)
    if axes[0, -1].get_legend_handles_labels()[1]:
        style.legend_beside(axes[0, -1])
    if arguments.title or len(runs) == 1:
        drawing.suptitle(arguments.title or runs[0].title)
    style.save(drawing, arguments.output or runs[0].file("orbit.png"), trimmed=True)
