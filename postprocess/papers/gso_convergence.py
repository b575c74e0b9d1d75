"""GSO 6.1.3 and the end of 6.2: how errors and time steps go with the grid size."""

import os

import numpy

from papers.marks import number, order, slope
from papers.registry import Figure, Finding
from papers.sources import StudySource
from plotting import style
from plotting.data import number_or_none, read_numbers

QUICK = {"Settings/End time": "14", "Sweep spacing/Geometric": "0.022, 0.011, 2", "Sweep step/Geometric":
         "0.015707963267948967, 0.0078539816339744831, 2"}
QUICK_099 = {"Sweep spacing/Geometric": "0.000988, 0.000494, 2", "Sweep step/Geometric":
             "0.00078539816339744831, 0.00039269908169872416, 2",
             "Reference/Settings/Integrator/Gauss collocation/Stages": "2"}
KEPLER = {"e085": StudySource("kepler_convergence_e085", "studies/kepler_convergence_e085.prm", quick=QUICK),
          "e099": StudySource("kepler_convergence_e099", "studies/kepler_convergence_e099.prm", quick=QUICK_099)}
ECCENTRICITIES = {"e085": "e = 0.85", "e099": "e = 0.99"}
METHODS = ("explicit Newmark", "force-stepping")
QUICK_ARGON = {"Settings/End time": "0.002", "Sweep spacing/Geometric": "0.04, 0.01, 3",
               "Reference/Settings/Integrator/Force-stepping/Spacing": "0.0025"}
ARGON = {"with": StudySource("argon_convergence", "studies/argon_convergence.prm", quick=QUICK_ARGON),
         "without": StudySource("argon_convergence_without_parity", "studies/argon_convergence_without_parity.prm",
                                quick=QUICK_ARGON)}


def points(study, x, y, variant=None):
    rows = [(number_or_none(row[x]), number_or_none(row[y])) for row in study.rows
            if row["status"] == "done" and (variant is None or row["variant"] == variant)]
    known = numpy.array(sorted((a, b) for a, b in rows if a and b)).reshape(-1, 2)
    return known[:, 0], known[:, 1]


def advantage(study, column, largest):
    """How many times smaller the errors of force-stepping are than Newmark's at equal average steps: the geometric mean over
    the steps that both have, where both errors are below `largest`."""
    of = {method: points(study, "time_step.average", column, method) for method in METHODS}
    small = {method: (steps[errors < largest], errors[errors < largest]) for method, (steps, errors) in of.items()}
    if any(len(steps) < 2 for steps, _ in small.values()):
        return float("nan")
    first, last = (pick(steps) for pick, steps in ((max, [s[0] for s, _ in small.values()]), (min, [s[-1] for s, _ in small.values()])))
    common = numpy.geomspace(first, last, 20)
    newmark, force = (numpy.interp(numpy.log(common), numpy.log(steps), numpy.log(errors))
                      for steps, errors in (small[method] for method in METHODS))
    return float(numpy.exp(numpy.mean(newmark - force)))


def draw_errors(axes, results, column, label):
    i = 0
    for key, name in ECCENTRICITIES.items():
        for method in METHODS:
            steps, errors = points(results[key], "time_step.average", column, method)
            axes.loglog(steps, errors, marker=style.MARKERS[i], markersize=7, linewidth=1.3, label=f"{method}, {name}", **style.look(i))
            i += 1
    axes.set_xlabel("(average) time step")
    axes.set_ylabel(label)


def decided(agrees, *numbers):
    """None where too few points left no number to decide by."""
    return None if numpy.isnan(numbers).any() else bool(agrees)


def comparison(results, column, what, largest):
    at_085, at_099 = (advantage(results[key], column, largest) for key in ECCENTRICITIES)
    return [Finding(f"{what}: nearly identical for e = 0.85 (within a factor of 3)",
                    f"Newmark's errors are {number(at_085)} times those of force-stepping", decided(1 / 3 < at_085 < 3, at_085)),
            Finding(f"{what}: force-stepping is an order of magnitude more accurate for e = 0.99 (5 to 50 times)",
                    f"Newmark's errors are {number(at_099)} times those of force-stepping", decided(5 < at_099 < 50, at_099))]


def rates(results, column, what, largest):
    """Exponents of the errors below a limit, for each eccentricity and method."""
    findings = []
    for key, name in ECCENTRICITIES.items():
        found = {}
        for method in METHODS:
            steps, errors = points(results[key], "time_step.average", column, method)
            small = errors < largest
            found[method] = slope(steps[small], errors[small])[0] if small.sum() > 1 else float("nan")
        findings.append(Finding(f"{what}, {name}: the same rate for both methods (exponents differ by less than 0.5)",
                                "; ".join(f"{method} {value:.3g}" for method, value in found.items()),
                                decided(abs(found[METHODS[0]] - found[METHODS[1]]) < 0.5, *found.values())))
    return findings


def draw_spectral(results):
    drawing, axes = style.figure(1, 2, (16, 6))
    draw_errors(axes[0], results, "deviation_axis", "relative error of the semi-major axis")
    draw_errors(axes[1], results, "deviation_period", "relative error of the period")
    style.legend_beside(axes[1], fontsize=11)
    drawing.suptitle("Kepler problem: spectral convergence")
    return drawing, [finding for column, what in (("deviation_axis", "semi-major axis"), ("deviation_period", "period"))
                     for finding in comparison(results, column, what, 0.3) + rates(results, column, what, 0.3)]


def draw_pointwise(results):
    drawing, axes = style.figure(1, 1, (11, 6))
    draw_errors(axes, results, "error_orbit", "largest distance from the exact orbit (semi-major axes)")
    style.legend_beside(axes, fontsize=11)
    axes.set_title("Kepler problem: pointwise convergence")
    # Newmark's error for e = 0.99 is as large as the orbit at all steps: no limit for the comparison.
    return drawing, (comparison(results, "error_orbit", "pointwise error", 10) +
                     rates(results, "error_orbit", "pointwise error", 0.5))


def smallest_steps(study):
    """The shortest step of each run that is none of rounding: crossings at one and the same instant, of which the start on faces
    of the grid has some, are 1e-10 of the average step apart and less; the shortest of a million others about 1e-6."""
    found = []
    for row in study.rows:
        if row["status"] != "done":
            continue
        bins = read_numbers(os.path.join(study.folder, "runs", row["run"], "time_steps.csv"), "lower_edge")
        known = (bins["count"] > 0) & (bins["lower_edge"] > 1e-8 * float(row["time_step.average"]))
        found.append((float(row["spacing"]), numpy.sqrt(bins["lower_edge"] * bins["upper_edge"])[known].min()))
    return tuple(map(numpy.array, zip(*sorted(found))))


def draw_argon(study, title, smallest):
    drawing, axes = style.figure(1, 2, (16, 6))
    found = {"largest": points(study, "spacing", "time_step.maximum"), "average": points(study, "spacing", "time_step.average"),
             "smallest": smallest_steps(study)}
    for i, (name, (spacing, values)) in enumerate(found.items()):
        axes[0].loglog(spacing, values * 1e6, marker=style.MARKERS[i], markersize=7, linewidth=1.2, label=name, **style.look(i))
    axes[0].set_ylabel("time step (fs)")
    style.legend_beside(axes[0], fontsize=11)
    spacing, errors = points(study, "spacing", "deviation_norm")
    axes[1].loglog(spacing, errors, marker="o", markersize=7, color="black", linewidth=1.2)
    axes[1].set_ylabel("relative error of the W²,∞ norm, GSO (73)")
    for panel in axes:
        panel.set_xlabel("grid size h (nm)")
    drawing.suptitle(title)
    return drawing, [order("average step O(h)", *found["average"], 1, 0.1), order("largest step O(h)", *found["largest"], 1, 0.15),
                     order(f"smallest step O(h^{smallest:g})", *found["smallest"], smallest, 0.25),
                     order("error of the norm O(h)", spacing, errors, 1, 0.25)]


def draw_with_parity(results):
    return draw_argon(results["study"], "Frozen argon cluster, 0.1 ns: grid invariant under parity", 1.75)


def draw_without_parity(results):
    return draw_argon(results["study"], "Frozen argon cluster, 0.1 ns: grid not invariant under parity", 2)


FIGURES = [Figure("GSO", "12", "Kepler problem: convergence of semi-major axis and period", draw_spectral, KEPLER),
           Figure("GSO", "13", "Kepler problem: pointwise convergence", draw_pointwise, KEPLER),
           Figure("GSO", "17", "argon: steps and norm against the grid size, with parity", draw_with_parity, {"study": ARGON["with"]}),
           Figure("GSO", "18", "argon: steps and norm against the grid size, without parity", draw_without_parity,
                  {"study": ARGON["without"]})]
