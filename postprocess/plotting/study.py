"""The plots of a study: its points, and the fitted slopes with their uncertainty."""

import json
import math
import os

import numpy

from plotting import style
from plotting.data import InputError, Run, number_or_none, read_texts

LABELS = {"time_step.average": "average time step (s)", "time_step.minimum": "shortest time step (s)",
          "time_step.maximum": "longest time step (s)", "wall_seconds": "time of computing (s)",
          "n_dofs": "degrees of freedom", "n_steps": "number of steps", "n_force_evaluations": "evaluations of the force",
          "relative_energy_drift": "largest relative energy error",
          "integrator_details.critical_time_step": "critical time step (s)"}


def add_arguments(parser):
    parser.add_argument("study_folder", help="the folder of the study, with study.csv and study.json")
    parser.add_argument("--plot", help="only this plot of the study file (default: all of them)")
    parser.add_argument("--x", help="draw this column of study.csv ...")
    parser.add_argument("--y", help="... against that one, instead of the plots of the study file")
    parser.add_argument("--lines", default="", help="with --x and --y: sweeps or variant, a line for each of their values")
    parser.add_argument("--format", default="png", choices=["png", "svg", "pdf"], help="(default: %(default)s)")
    parser.add_argument("-o", "--output", help="the file, for a single plot (default: STUDY_FOLDER/NAME.png)")


class Study:
    def __init__(self, folder):
        self.folder = folder
        self.rows = read_texts(os.path.join(folder, "study.csv"))
        try:
            with open(os.path.join(folder, "study.json")) as file:
                self.description = json.load(file)
        except (OSError, ValueError) as error:
            raise InputError(f"Cannot read '{os.path.join(folder, 'study.json')}': {error}. Give the folder of a study.")

    def check_column(self, name):
        if self.rows and name not in self.rows[0]:
            raise InputError(f"'{os.path.join(self.folder, 'study.csv')}' has no column '{name}'. There are: "
                             f"{', '.join(self.rows[0])}.")

    def label(self, column):
        for sweep in self.description["sweeps"]:
            if sweep["name"] == column:
                unit = f" ({sweep['unit']})" if sweep["unit"] else ""
                return column.replace("_", " ") + unit
        for error in self.description["errors"]:
            if error["name"] == column:
                return ("relative " if error["relative"] else "") + column.replace("_", " ")
        return LABELS.get(column, column.replace("_", " ").replace(".", ", "))

    def rows_of(self, plot):
        variants = plot.get("variants") or []
        return [row for row in self.rows if not variants or row.get("variant") in variants]

    def groups(self, plot):
        """Points (x, y, row) by the values of the columns `lines`, in the order of the table."""
        groups, x, y, lines = {}, plot["x"], plot["y"], plot["lines"]
        for row in self.rows_of(plot):
            point = number_or_none(row[x]), number_or_none(row[y])
            if None not in point:
                groups.setdefault(tuple(row.get(name, "") for name in lines), []).append((*point, row))
        return groups


def fit_for(study, plot, rows):
    """The fit that covers these rows, if the study has one of this quantity against x."""
    for fit in study.description["fits"]:
        if fit["quantity"] != plot["y"] or plot["x"] not in fit["against"]:
            continue
        group = dict(zip(fit["separately_for"], fit["group"]))
        variants = fit.get("variants") or []
        if all(all(row.get(name, "") == value for name, value in group.items()) and
               (not variants or row.get("variant") in variants) for row in rows):
            return fit
    return None


def fitted_curve(fit, x_name, x, row):
    """Values of the fit at x, everything else as in this row."""
    logarithm = numpy.full(len(x), fit["log_constant"])
    for name, slope in zip(fit["against"], fit["slopes"]):
        logarithm += slope * (numpy.log(x) if name == x_name else math.log(float(row[name])))
    return numpy.exp(logarithm)


def slope_text(fit, x_name):
    i = fit["against"].index(x_name)
    slope, width = fit["slopes"][i], fit["half_widths"][i]
    if not width:
        return f"slope {slope:.3g}"
    # As many decimals as the uncertainty's first digit has.
    decimals = min(max(0, -math.floor(math.log10(width))), 4)
    return f"slope {slope:.{decimals}f} ± {max(width, 10.0 ** -decimals):.{decimals}f}"


def line_label(plot, values):
    return ", ".join(f"{name} {value}" if number_or_none(value) is not None else value
                     for name, value in zip(plot["lines"], values) if value)


def draw_histories(study, plot, axes):
    """A curve of each run that has a history."""
    rows = [row for row in study.rows_of(plot) if os.path.isfile(os.path.join(study.folder, "runs", row["run"], "history.csv"))]
    if not rows:
        raise InputError(f"plot {plot['name']}: no run of the study has left a history.")
    for i, row in enumerate(rows):
        run = Run(os.path.join(study.folder, "runs", row["run"]))
        x, y = run.column(plot["x"]), run.column(plot["y"])
        if plot["is_change"]:
            y = y - y[0]
        if plot["y_is_logarithmic"]:
            y = numpy.where(y != 0, numpy.abs(y), numpy.nan)
        label = line_label(plot, [row.get(name, "") for name in plot["lines"]])
        axes.plot(x, y, label=label or None, linewidth=1.2, **style.look(i))
    axes.margins(x=0.01)


def draw(study, plot):
    for column in [*plot["lines"], *([] if plot.get("shows_histories") else [plot["x"], plot["y"]])]:
        study.check_column(column)
    drawing, axes = style.figure(size=(11, 6.4))
    if plot.get("shows_histories"):
        draw_histories(study, plot, axes)
    else:
        draw_points(study, plot, axes)
    if plot["x_is_logarithmic"]:
        axes.set_xscale("log")
    if plot["y_is_logarithmic"]:
        axes.set_yscale("log")
    axes.grid(True, which="minor", color="#eeeeee", linewidth=0.5)
    axes.set_xlabel(plot["x_label"] or study.label(plot["x"]))
    axes.set_ylabel(plot["y_label"] or ("change of " if plot.get("is_change") else "") + study.label(plot["y"]))
    axes.set_title(plot["title"] or study.description["title"])
    if axes.get_legend_handles_labels()[1]:
        style.legend_beside(axes, labelspacing=0.9, fontsize=11)
    return drawing


def draw_points(study, plot, axes):
    groups = study.groups(plot)
    logarithmic = plot["x_is_logarithmic"] and plot["y_is_logarithmic"]
    if not groups:
        raise InputError(f"plot {plot['name']}: no row has both {plot['x']} and {plot['y']}.")
    for i, (values, points) in enumerate(groups.items()):
        points.sort(key=lambda point: point[0])
        x, y = numpy.array([point[0] for point in points]), numpy.array([point[1] for point in points])
        fit = fit_for(study, plot, [point[2] for point in points]) if logarithmic else None
        curve = style.look(i)
        label = line_label(plot, values)
        if fit:
            label += ("\n" if label else "") + slope_text(fit, plot["x"])
        marker = {"marker": style.MARKERS[i % len(style.MARKERS)], "color": curve["color"], "markersize": 8,
                  "markerfacecolor": curve["color"] if i % 2 == 0 else "white"}
        if fit and len(x) > 1:
            fine = numpy.geomspace(x[0], x[-1], 50)
            axes.plot(fine, fitted_curve(fit, plot["x"], fine, points[0][2]), linewidth=1.4, **curve)
            axes.plot(x, y, linestyle="none", **marker)
            axes.plot([], [], label=label, linestyle=curve["linestyle"], linewidth=1.4, **marker)
        else:
            axes.plot(x, y, label=label or None, linestyle=curve["linestyle"], linewidth=1.4, **marker)


def main(arguments):
    study = Study(arguments.study_folder)
    plots = study.description["plots"]
    if (arguments.x is None) != (arguments.y is None):
        raise InputError("--x and --y belong together.")
    if arguments.x:
        plots = [{"name": "plot", "title": "", "x": arguments.x, "y": arguments.y, "x_label": "", "y_label": "",
                  "lines": [name.strip() for name in arguments.lines.split(",") if name.strip()],
                  "x_is_logarithmic": True, "y_is_logarithmic": True}]
    if arguments.plot:
        plots = [plot for plot in plots if plot["name"] == arguments.plot]
    if not plots:
        raise InputError("the study file has no such Plot. Add one, or give --x and --y.")
    if arguments.output and len(plots) > 1:
        raise InputError("--output is for a single plot. Choose it with --plot.")
    for plot in plots:
        style.save(draw(study, plot), arguments.output or os.path.join(study.folder, f"{plot['name']}.{arguments.format}"))
