"""TO 4.1 and 4.2: the double pendulum and a chain of pendula."""

import glob
import os
import re

import numpy

from papers.marks import number, order
from papers.registry import Figure, Finding
from papers.sources import StudySource
from plotting import style
from plotting.data import InputError, Run, number_or_none

DOUBLE = StudySource("double_pendulum", "studies/double_pendulum.prm", quick={"Settings/End time": "5"})
PENALTY = StudySource("pendulum_penalty", "studies/pendulum_penalty.prm",
                      quick={"Settings/End time": "2", "Sweep omega/Geometric": "10, 40, 3"})
CHAIN = StudySource("pendulum_chain", "studies/pendulum_chain.prm", quick={"Sweep end/Values": "1, 2", "Reference/Settings/End time": "2"})
ROWS = ["SHAKE", "variational Euler", "Newmark", "Newmark with one iteration", "Zhang-Skeel in q"]
OMEGA = 20


def run_of(study, row):
    return Run(os.path.join(study.folder, "runs", row["run"]))


def rows_of(study):
    """Those that left a history: a run that could not go on has one up to there."""
    return {row["variant"]: row for row in study.rows if row["status"] in ("done", "stopped")}


def reference_of(study, setting=""):
    """The run that a study measures errors against; where there are several, the one whose parameters say `setting`."""
    for folder in sorted(glob.glob(os.path.join(study.folder, "runs", "reference*"))):
        with open(os.path.join(folder, "parameters.prm")) as file:
            if setting in re.sub(r" +", " ", file.read()):
                return Run(folder)
    raise InputError(f"'{study.folder}' has no reference run{' with ' + setting if setting else ''}.")


def difference(run, reference, column):
    """At the times of the run that the reference has, too (both have multiples of one interval)."""
    wanted = numpy.searchsorted(reference.time, run.time - 1e-9)
    known = wanted < len(reference.time)
    known[known] = numpy.abs(reference.time[wanted[known]] - run.time[known]) < 1e-9 * max(1, run.time[-1])
    return run.time[known], run.column(column)[known] - reference.column(column)[wanted[known]]


def draw_errors(results):
    study = results["study"]
    rows, reference = rows_of(study), reference_of(study)
    shown = [name for name in ROWS if name in rows]
    drawing, axes = style.figure(len(shown) + 1, 2, (13, 2.3 * (len(shown) + 1)), sharex=True)
    for panel, axis in zip(axes[0], "xy"):
        panel.plot(reference.time, reference.column(f"particle_lower_position_{axis}"), color="black", linewidth=1)
        panel.set_title(f"{axis} of the lower bead", fontsize=12)
    axes[0, 0].set_ylabel("benchmark")
    for panels, name in zip(axes[1:], shown):
        for panel, axis in zip(panels, "xy"):
            time, error = difference(run_of(study, rows[name]), reference, f"particle_lower_position_{axis}")
            panel.plot(time, error, color="#0072B2", linewidth=1)
            if numpy.abs(error).max() > 1:
                panel.set_ylim(-0.5, 0.5)  # it leaves the picture, as the run leaves the motion
        panels[0].set_ylabel("error:\n" + name.replace("Newmark with", "Newmark,\n").replace(" in q", ""), fontsize=11)
    for panel in axes[-1]:
        panel.set_xlabel("time")
    drawing.suptitle("Double pendulum: errors at h = 0.1 (variational Euler: 0.005), ω = 20, β = 0.4")
    largest = {name: number_or_none(row["error_lower"]) for name, row in rows.items()}
    last = {name: run_of(study, rows[name]).time[-1] for name in shown}
    middle = {name: mean_error(run_of(study, rows[name]), reference) for name in shown}
    text = lambda names: "; ".join(f"{name} {number(middle[name])}" for name in names)
    one, full = "Newmark with one iteration", "Newmark"
    until = 0.9 * last[one]  # the last tenth of a run that stops is the failure itself
    errors_until = {name: mean_error(run_of(study, rows[name]), reference, until) for name in (one, full)}
    return drawing, [
        Finding("Zhang-Skeel almost as Newmark with full solves (root mean square errors within 30 %)",
                text(["Newmark", "Zhang-Skeel in q"]), bool(0.7 < middle["Zhang-Skeel in q"] / middle["Newmark"] < 1.3)),
        Finding("Newmark with one iteration has a large error (twice that of full solves or more, or no end)",
                f"{number(errors_until[one])} instead of {number(errors_until[full])} until t = {number(until)}" +
                (f"; it could not go on at t = {number(last[one])}" if last[one] < last[full] else ""),
                bool(errors_until[one] > 2 * errors_until[full] or last[one] < last[full])),
        Finding("Zhang-Skeel has larger errors than SHAKE: the rods are springs", text(["Zhang-Skeel in q", "SHAKE"]),
                bool(middle["Zhang-Skeel in q"] > middle["SHAKE"])),
        Finding("largest errors, Zhang-Skeel in its own coordinates x beside that in q (the paper does not say which)",
                "; ".join(f"{name} {number(largest[name])}" for name in ("Zhang-Skeel", "Zhang-Skeel in q") if largest.get(name)))]


def mean_error(run, reference, until=numpy.inf):
    """Root mean square distance of the lower bead from the reference."""
    square = 0
    for axis in "xy":
        time, values = difference(run, reference, f"particle_lower_position_{axis}")
        square += numpy.mean(values[time <= until] ** 2)
    return float(numpy.sqrt(square))


def draw_multipliers(results):
    study = results["study"]
    rows = {variant: [row for row in study.rows if row["variant"] == variant and row["status"] == "done"]
            for variant in ("in the mean", "at instants")}
    columns = lambda variant, y: map(numpy.array, zip(*sorted((float(row["omega"]), number_or_none(row[y])) for row in rows[variant])))
    drawing, axes = style.figure(1, 2, (16, 5.6))
    omega, residual = columns("in the mean", "residual")
    axes[0].loglog(omega, residual, marker="o", markersize=7, color="black", label="largest |g|")
    axes[0].loglog(omega, residual[0] * (omega / omega[0]) ** -2, color="#D55E00", linestyle="--", label="slope -2")
    axes[0].set_xlabel("ω")
    axes[0].set_ylabel("residual of the constraints")
    axes[0].legend(loc="lower left", frameon=False)
    nearest = min(rows["in the mean"], key=lambda row: abs(numpy.log(float(row["omega"]) / OMEGA)))
    run, reference = run_of(study, nearest), reference_of(study, "set Multiplier window = 0.2")
    shown = run.time <= 10
    axes[1].plot(run.time[shown], run.column("mean_multiplier_1")[shown], label=f"penalised, ω = {float(nearest['omega']):g},\nmean over 0.2",
                 **style.look(1), linewidth=1.6)
    axes[1].plot(reference.time[reference.time <= 10], reference.column("mean_multiplier_1")[reference.time <= 10], label="rigid rod",
                 **style.look(0), linewidth=1.4)
    axes[1].set_xlabel("time")
    axes[1].set_ylabel("multiplier of the upper rod")
    style.legend_beside(axes[1])
    drawing.suptitle("Double pendulum with penalised rods, Zhang-Skeel with h = 0.01")
    errors = {variant: numpy.array([error_of_multiplier(study, row, window) for row in sorted(rows[variant], key=lambda row: float(row["omega"]))])
              for variant, window in (("in the mean", "0.2"), ("at instants", "1e-6"))}
    text = lambda variant: ", ".join(number(value, 2) for value in errors[variant])
    return drawing, [order("g is O(ω⁻²)", omega, residual, -2, 0.2),
                     Finding("multipliers converge in the mean over a window, but not at instants (root mean square errors of the first, "
                             "for the smallest and the largest ω: fall by more than 10, by less than 2)",
                             f"ω = {', '.join(f'{value:g}' for value in omega)}: {text('in the mean')} in the mean, "
                             f"{text('at instants')} at instants",
                             bool(errors["in the mean"][-1] < errors["in the mean"][0] / 10 and
                                  errors["at instants"][-1] > errors["at instants"][0] / 2))]


def error_of_multiplier(study, row, window):
    """Of the first one, root mean square, from when there is a whole window."""
    reference = reference_of(study, f"set Multiplier window = {window}")
    time, values = difference(run_of(study, row), reference, "mean_multiplier_1")
    return float(numpy.sqrt(numpy.mean(values[time > 0.3] ** 2)))


BEADS = ("bead_1", "bead_5", "bead_10")
CHAIN_RUNS = ["SHAKE at 0.05", "SHAKE at 0.025", "Zhang-Skeel at 0.05"]


def draw_chain(results):
    study = results["study"]
    ends = sorted({float(row["end"]) for row in study.rows})
    longest = {row["variant"]: row for row in study.rows if float(row["end"]) == ends[-1] and row["status"] == "done"}
    drawing, axes = style.figure(len(BEADS), 2, (15, 9), sharex=True)
    for panels, bead in zip(axes, BEADS):
        for panel, axis in zip(panels, "xy"):
            for i, name in enumerate(CHAIN_RUNS):
                run = run_of(study, longest[name])
                panel.plot(run.time, run.column(f"particle_{bead}_position_{axis}"), label=name, linewidth=1.5, **style.look(i))
            panel.set_ylabel(f"{axis} of {bead.replace('_', ' ')}")
            panel.margins(x=0.01)
    for panel in axes[-1]:
        panel.set_xlabel("time")
    style.legend_beside(axes[0, 1])
    drawing.suptitle("Chain of ten pendula: SHAKE, and Zhang-Skeel on springs with ω = 20")
    findings = []
    for end in ends:
        errors = {row["variant"]: number_or_none(row["error_beads"]) for row in study.rows if float(row["end"]) == end}
        findings.append(Finding(f"good agreement of SHAKE and Zhang-Skeel until t = {end:g} (to 1 % of a rod's length, "
                                "5, of a fine reference)", "; ".join(f"{name} {number(errors[name])}" for name in CHAIN_RUNS),
                                bool(max(errors.values()) < 0.05)))
    seconds = {name: number_or_none(longest[name]["wall_seconds"]) for name in CHAIN_RUNS}
    findings.append(Finding("Zhang-Skeel is faster than SHAKE at the same step (paper: 1.1 s and 8.1 s)",
                            f"{number(seconds[CHAIN_RUNS[2]])} s and {number(seconds[CHAIN_RUNS[0]])} s",
                            bool(seconds[CHAIN_RUNS[2]] < seconds[CHAIN_RUNS[0]])))
    return drawing, findings


FIGURES = [Figure("TO", "1", "double pendulum: errors of six methods", draw_errors, {"study": DOUBLE}),
           Figure("TO", "2", "double pendulum: residual and multipliers of penalised rods", draw_multipliers, {"study": PENALTY}),
           Figure("TO", "3", "chain of ten pendula", draw_chain, {"study": CHAIN})]
