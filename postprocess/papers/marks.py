"""Pieces that several figures are put together from."""

import math

import numpy

from papers.registry import Finding
from plotting import style


def within(value, expected, share):
    """Whether the value is as expected up to a share of it."""
    return bool(abs(value - expected) <= share * abs(expected))


def number(value, digits=3):
    return f"{value:.{digits}g}"


def compared(what, paper, here, share, unit=""):
    """A number of the paper beside ours."""
    unit = f" {unit}" if unit else ""
    return Finding(f"{what} {number(paper, 4)}{unit} (to {100 * share:.3g} %)", number(here, 4) + unit, within(here, paper, share))


def average_step(run, paper, share, unit="", factor=1.0):
    return compared("average step", paper, factor * run.summary()["time_step"]["average"], share, unit)


def deviation(values):
    """The largest distance from the first value, relative to it."""
    return float(numpy.max(numpy.abs(values - values[0])) / abs(values[0]))


def kept(what, run, column, limit):
    """That a column of the history does not change, up to a relative limit."""
    change = deviation(run.column(column))
    return Finding(f"{what} exactly conserved (relative change below {number(limit)})", f"largest relative change {number(change)}",
                   change < limit)


def nearly_kept(what, run, column, limit):
    change = deviation(run.column(column))
    return Finding(f"{what} nearly conserved (relative change below {number(100 * limit)} %)",
                   f"largest relative change {number(100 * change)} %", change < limit)


def halves(times, errors):
    """The largest of the first half of the time and of the second: equal where an error does not grow."""
    middle = (times[0] + times[-1]) / 2
    return float(numpy.max(errors[times <= middle])), float(numpy.max(errors[times > middle]))


def bounded(what, times, errors):
    """That an error does not grow: a steady growth makes the second half's largest twice the first's, one like the square four
    times; 1.5 lies between a bounded error's and a linear one's."""
    first, second = halves(times, numpy.abs(errors))
    return Finding(f"{what} bounded (largest of the second half below 1.5 times that of the first)",
                   f"first half {number(first)}, second half {number(second)}", second < 1.5 * first)


def growth(times, errors, first, last):
    """The exponent of a power law through the running maximum of an error, between two times; not a number where the run has
    fewer than two rows between them."""
    largest = numpy.maximum.accumulate(numpy.abs(errors))
    chosen = (times >= first) & (times <= last) & (largest > 0)
    if chosen.sum() < 2:
        return math.nan
    return float(numpy.polyfit(numpy.log(times[chosen]), numpy.log(largest[chosen]), 1)[0])


def slope(x, y):
    """The exponent of a power law through points, with the half width of its 95 % confidence interval where there are three
    points or more (Student's t, tabulated)."""
    x, y = numpy.log(numpy.asarray(x, float)), numpy.log(numpy.asarray(y, float))
    if len(x) < 2:
        return math.nan, math.nan
    coefficients = numpy.polyfit(x, y, 1)
    degrees = len(x) - 2
    if degrees < 1:
        return float(coefficients[0]), math.nan
    residual = y - numpy.polyval(coefficients, x)
    error = math.sqrt(residual @ residual / degrees / numpy.sum((x - x.mean()) ** 2))
    quantile = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228][min(degrees, 10) - 1]
    return float(coefficients[0]), quantile * error


def order(what, x, y, expected, tolerance=0.25):
    """Not decided where the expected exponent is beyond the tolerance but within the uncertainty."""
    found, half_width = slope(x, y)
    distance = abs(found - expected)
    agrees = True if distance <= tolerance else None if math.isnan(distance) or distance <= half_width else False
    return Finding(f"{what} (to {tolerance:g})", f"exponent {found:.3g} ± {half_width:.2g}", agrees)


def step_map(axes, drawing, run, label="time step"):
    """Where in the plane the steps of force-stepping were long: dots grow with the step as well as darken, for readers in grey."""
    from plotting.data import read_numbers

    bins = read_numbers(run.file("time_steps_by_position.csv"), "x")
    steps = bins["mean_step"]
    order_of_drawing = numpy.argsort(steps)
    x, y, steps = bins["x"][order_of_drawing], bins["y"][order_of_drawing], steps[order_of_drawing]
    dots = axes.scatter(x, y, c=steps, s=1 + 28 * steps / steps[-1], cmap="viridis_r", linewidths=0)
    drawing.colorbar(dots, ax=axes, label=label, shrink=0.85)
    axes.set_aspect("equal", adjustable="datalim")


def histogram(axes, run, factor=1.0):
    """Share of the steps per decade in each bin of time_steps.csv, over a logarithmic axis; returns edges and counts."""
    from plotting.data import read_numbers

    bins = read_numbers(run.file("time_steps.csv"), "lower_edge")
    lower, upper, count = factor * bins["lower_edge"], factor * bins["upper_edge"], bins["count"]
    shown = (numpy.cumsum(count) > 1e-4 * count.sum()) & (lower > 0)
    density = count / count.sum() / numpy.log10(upper / numpy.maximum(lower, 1e-300))
    axes.bar(lower[shown], density[shown], width=(upper - lower)[shown], align="edge", color="#56B4E9",
             edgecolor="#333333", linewidth=0.4)
    axes.set_xscale("log")
    axes.set_ylabel("share of the steps per decade")
    return lower, upper, count


def quantile_of_steps(lower, upper, count, share):
    cumulative = numpy.cumsum(count) / count.sum()
    i = int(numpy.searchsorted(cumulative, share))
    return math.sqrt(lower[i] * upper[i])


def thin(values, n=4000):
    """Every so manieth of a long column: enough for a picture."""
    return values[::max(1, len(values) // n)]


def legend(axes, **options):
    style.legend_beside(axes, fontsize=11, **options)
