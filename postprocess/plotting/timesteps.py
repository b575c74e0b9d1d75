"""The time steps that an integrator chose: their histogram, and where and when they were long or short."""

import os

import numpy

from plotting import style
from plotting.data import InputError, Run, read_numbers


def add_arguments(parser):
    parser.add_argument("run_folder", help="the folder of the run; force-stepping leaves time_steps.csv there")
    parser.add_argument("--body", help="show where in space the steps were long, along the path of this body (default: the "
                        "only one whose position is in history.csv)")
    parser.add_argument("-o", "--output", help="the plot: .png, .svg or .pdf (default: RUN_FOLDER/timesteps.png)")


def draw_histogram(axes, run, in_si):
    bins = read_numbers(run.file("time_steps.csv"), "lower_edge")
    lower, upper, count = bins["lower_edge"], bins["upper_edge"], bins["count"]
    # Steps to the left hold a billionth of the run's time: rounding around simultaneous crossings.
    middle = numpy.sqrt(lower * upper)
    shown = numpy.cumsum(count) > 1e-4 * count.sum()
    share = count / numpy.log10(upper / lower) / count.sum()
    axes.bar(lower[shown], share[shown], width=(upper - lower)[shown], align="edge", color="#56B4E9", edgecolor="#333333",
             linewidth=0.4)
    mean = (count * middle).sum() / count.sum()
    summary = run.summary().get("time_step", {})
    mean = summary.get("average") or mean
    axes.axvline(mean, color="black", linestyle="--", linewidth=1.6)
    axes.margins(y=0.14)
    axes.annotate(f"average {style.number(mean)}" + (" s" if in_si else ""), (mean, 1), xycoords=("data", "axes fraction"),
                  xytext=(-6, -2), textcoords="offset points", ha="right", va="top")
    axes.set_xscale("log")
    axes.set_xlabel("time step (s)" if in_si else "time step")
    axes.set_ylabel("share of the steps per decade")
    hidden = count[~shown].sum()
    if hidden:
        axes.set_title(f"{int(count.sum())} steps, the shortest {int(hidden)} not shown", fontsize=11)
    else:
        axes.set_title(f"{int(count.sum())} steps", fontsize=11)


def mean_steps(run, n_windows=150):
    """Middle and average step of each of some windows of the history."""
    edges = numpy.unique(numpy.linspace(0, len(run.time) - 1, n_windows + 1).astype(int))
    n_steps = numpy.diff(run.column("step")[edges])
    with numpy.errstate(divide="ignore", invalid="ignore"):
        average = numpy.where(n_steps > 0, numpy.diff(run.time[edges]) / n_steps, numpy.nan)
    return (run.time[edges[1:]] + run.time[edges[:-1]]) / 2, average


def draw_over_time(axes, run, in_si):
    scale, prefix = style.time_scale(run.time, in_si)
    middle, average = mean_steps(run)
    axes.plot(middle / scale, average, color="black", linewidth=1.4)
    axes.set_yscale("log")
    axes.set_xlabel(style.time_label(prefix, in_si))
    axes.set_ylabel("average step" + (" (s)" if in_si else ""))
    axes.set_title("when", fontsize=11)


def draw_in_space(axes, run, body, drawing, in_si):
    """The step in which each row of the history lies."""
    x, y = run.column(f"{body}_position_x")[1:], run.column(f"{body}_position_y")[1:]
    steps = run.column("time_step")[1:]
    known = steps > 0
    order = numpy.argsort(steps[known])
    x, y, steps = x[known][order], y[known][order], steps[known][order]
    # Dots grow with the step as well as change colour: the picture reads in grey.
    dots = axes.scatter(x, y, c=steps, s=2 + 45 * steps / steps[-1], cmap="viridis_r", linewidths=0.2, edgecolors="#333333")
    drawing.colorbar(dots, ax=axes, label="time step" + (" (s)" if in_si else ""), shrink=0.85)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x (m)" if in_si else "x")
    axes.set_ylabel("y (m)" if in_si else "y")
    axes.set_title(f"where: {body.replace('_', ' ')}", fontsize=11)


def main(arguments):
    run = Run(arguments.run_folder)
    in_si = run.in_si
    has_histogram = os.path.isfile(run.file("time_steps.csv"))
    if not has_histogram and "step" not in run.history:
        raise InputError(f"'{run.folder}' has neither time_steps.csv nor a column step in history.csv.")
    bodies = [name for name in run.particles() if f"{name}_position_y" in run.history]
    body = arguments.body or (bodies[0] if len(bodies) == 1 else None)
    if arguments.body and arguments.body not in bodies:
        raise InputError(f"--body {arguments.body}: there is no such body. There are: {', '.join(bodies) or 'none'}.")
    panels = (["histogram"] if has_histogram else []) + ["time"] + (["space"] if body else [])
    drawing, axes = style.figure(1, len(panels), (1.5 + 5.6 * len(panels), 5.4), squeeze=False)
    for panel, what in zip(axes[0], panels):
        if what == "histogram":
            draw_histogram(panel, run, in_si)
        elif what == "time":
            draw_over_time(panel, run, in_si)
        else:
            draw_in_space(panel, run, body, drawing, in_si)
    drawing.suptitle(f"Time steps: {run.title}")
    style.save(drawing, arguments.output or run.file("timesteps.png"))
