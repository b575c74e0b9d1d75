"""One look for all plots: readable in grey, labels with units, legends beside the data."""

import math
import os

import numpy
from matplotlib import pyplot

from plotting.data import InputError

PREFIXES = {-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
# Okabe and Ito's set for colour-blind readers. Dashes and markers alone tell the curves apart.
COLOURS = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666"]
DASHES = ["-", "--", "-.", ":", (0, (6, 2, 1, 2, 1, 2)), (0, (1, 1)), (0, (8, 3)), (0, (3, 1, 1, 1))]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*"]
FORMATS = (".png", ".svg", ".pdf")
DPI = 130


def prepare():
    pyplot.rcParams.update({"font.size": 13, "axes.titlesize": 14, "figure.titlesize": 15,
                            "axes.spines.top": False, "axes.spines.right": False,
                            "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.8,
                            "axes.axisbelow": True, "svg.hashsalt": "freefall"})


def figure(n_rows=1, n_columns=1, size=(11, 6), **options):
    prepare()
    drawing, axes = pyplot.subplots(n_rows, n_columns, figsize=size, constrained_layout=True, **options)
    drawing.set_constrained_layout_pads(w_pad=0.12, h_pad=0.08)
    return drawing, axes


def save(drawing, output, trimmed=False):
    """`trimmed`: without empty margins, and with what stands outside of the panels."""
    if not output.endswith(FORMATS):
        raise InputError(f"--output {output}: the name must end with one of {', '.join(FORMATS)}.")
    folder = os.path.dirname(os.path.abspath(output))
    if not os.path.isdir(folder):
        raise InputError(f"--output {output}: there is no folder '{folder}'.")
    drawing.savefig(output, dpi=DPI, bbox_inches="tight" if trimmed else None)
    pyplot.close(drawing)
    print(output)


def legend_beside(axes, **options):
    """Where no curve can be."""
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=3.6, **options)


def look(i):
    """Colour and dashes of the i-th curve."""
    return {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i % len(DASHES)]}


def scale_of(values):
    """The power of ten and the SI prefix in which the largest of the values has one to three digits before the point."""
    finite = numpy.abs(values[numpy.isfinite(values)])
    largest = finite.max() if finite.size else 0
    if not largest > 0:
        return 1.0, ""
    exponent = 3 * math.floor(math.log10(largest * 1.0001) / 3)
    exponent = min(max(exponent, min(PREFIXES)), max(PREFIXES))
    return 10.0**exponent, PREFIXES[exponent]


def time_scale(times, in_si):
    """No prefixes from a second on (2000 s, not 2 ks), and none where the unit is the user's own."""
    return scale_of(times) if in_si and numpy.nanmax(times) < 1 else (1.0, "")


def time_label(prefix, in_si):
    return f"time ({prefix}s)" if in_si else "time"


def quantity_label(quantity, unit, prefix, in_si):
    """The energies and momenta of particles are in the user's own units."""
    if not in_si:
        return quantity
    if unit == "N s" and prefix == "":
        unit = "kg m/s"
    return f"{quantity} ({prefix}{unit})"


def number(value, digits=3):
    """1.23e-4 as people write it in a label."""
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.{digits}g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = f"10^{{{int(exponent)}}}"
    return f"${power}$" if mantissa == "1" else f"${mantissa}\\times{power}$"
