"""TO 4.4 and 4.5: a DNA model, and a magnetised rigid body."""

import numpy

from papers.marks import number
from papers.registry import Figure, Finding
from papers.sources import RunSource, StudySource
from papers.tao_pendula import reference_of, rows_of, run_of
from plotting import style
from plotting.data import number_or_none

CLOSED = (numpy.arccos(0.7), 2 * numpy.pi - numpy.arccos(0.7))
DNA = {key: RunSource(f"dna_{key}", f"dna_{key}.prm", {}, {"End time": "500"}, may_stop=True) for key in ("verlet", "zhang_skeel")}
NAMES = {"verlet": "velocity Verlet, h = 0.2", "zhang_skeel": "Zhang-Skeel, h = 2"}
BODY = StudySource("so3", "studies/so3.prm", quick={"Settings/End time": "1",
                                                    "Reference/Settings/Integrator/Cayley Hamilton-Pontryagin/Time step": "1e-3"})


def going_well(run):
    """The rows before a run that fails has left its energy by a factor of 3."""
    energy = run.column("total_energy")
    failed = numpy.abs(energy) > 3 * numpy.abs(numpy.median(energy))
    return slice(0, int(numpy.argmax(failed)) if failed.any() else len(energy))


def transitions(run):
    """How often the mean angle goes from below 1.2 to above 5.08 or back: the levels of dna_*.prm."""
    position = run.column("mean_position")
    states = numpy.where(position < 1.2, -1, numpy.where(position > 5.08, 1, 0))
    visited = states[states != 0]
    return int(numpy.sum(visited[1:] != visited[:-1]))


def draw_dna(results):
    drawing, axes = style.figure(3, 2, (14, 10), sharex="row")
    for (key, name), column in zip(NAMES.items(), axes.T):
        run = results[key]
        shown = going_well(run)
        time, position, rate, energy = (run.column(name)[shown] for name in ("time", "mean_position", "mean_velocity", "total_energy"))
        column[0].plot(time, position, color="black", linewidth=0.7)
        column[0].set_title(name, fontsize=12)
        column[0].set_ylabel("mean angle (rad)")
        column[1].plot(time, energy, color="black", linewidth=0.7)
        column[1].set_ylabel("energy")
        column[1].set_xlabel("time")
        column[2].plot(position, rate, color="#0072B2", linewidth=0.4)
        column[2].set_xlabel("mean angle (rad)")
        column[2].set_ylabel("its rate (rad/time)")
        for state in CLOSED:
            column[0].axhline(state, color="#D55E00", linestyle="--", linewidth=1)
            column[2].axvline(state, color="#D55E00", linestyle="--", linewidth=1)
    drawing.suptitle("DNA model, 200 base pairs; dashed: the two closed states")
    counts = {key: transitions(run) for key, run in results.items()}
    ends = {key: run.time[-1] for key, run in results.items()}
    energies = {key: float(numpy.median(run.column("total_energy"))) for key, run in results.items()}
    seconds = {key: run.summary()["wall_seconds"] * 1e4 / run.time[-1] for key, run in results.items()}
    text = lambda values: "; ".join(f"{NAMES[key]}: {number(value, 4)}" for key, value in values.items())
    return drawing, [Finding("the mean angle goes from one closed state to the other, by both methods (number of transitions)",
                             text(counts), bool(min(counts.values()) >= 1)),
                     Finding("both go on to the end (t = 20000 here)", text(ends), bool(min(ends.values()) == max(ends.values()))),
                     Finding("the energy of Zhang-Skeel is lower than the benchmark's (median over the run)", text(energies),
                             bool(energies["zhang_skeel"] < energies["verlet"])),
                     Finding("Zhang-Skeel is faster (paper: 3.24 s and 23.26 s of computing; here for a time of 10000)", text(seconds),
                             bool(seconds["zhang_skeel"] < seconds["verlet"]))]


def rotation(run, row):
    return numpy.array([[run.column(f"r_{i}{j}")[row] for j in (1, 2, 3)] for i in (1, 2, 3)])


def draw_turning(results):
    """The dipole is the third axis of the body; the field is along z."""
    study = results["study"]
    runs = {"benchmark, h = 10⁻⁴": reference_of(study), "variational Zhang-Skeel, h = 0.1": run_of(study, rows_of(study)["linearised"])}
    end = min(run.time[-1] for run in runs.values())
    times = numpy.linspace(0, end, 5)
    drawing, axes = style.figure(2, 5, (18, 8), subplot_kw={"projection": "3d"})
    for panels, (name, run) in zip(axes, runs.items()):
        for panel, time in zip(panels, times):
            row = int(numpy.argmin(numpy.abs(run.time - time)))
            turned = rotation(run, row)
            panel.quiver(0, 0, -1, 0, 0, 2.2, color="#D55E00", linewidth=1.6, linestyle="--", arrow_length_ratio=0.1)
            panel.quiver(0, 0, 0, *turned[:, 2], color="black", linewidth=3)
            for axis in (0, 1):
                panel.plot(*zip(-turned[:, axis] * 0.7, turned[:, axis] * 0.7), color="#0072B2", linewidth=1.5)
            for set_limits in (panel.set_xlim, panel.set_ylim, panel.set_zlim):
                set_limits(-1, 1)
            panel.set_xticks([]), panel.set_yticks([]), panel.set_zticks([])
            panel.set_box_aspect((1, 1, 1), zoom=1.1)
            panel.set_title(f"{name}\nt = {run.time[row]:.3g}" if time == 0 else f"t = {run.time[row]:.3g}", fontsize=11)
    drawing.suptitle("Magnetised rigid body: dipole (thick), two axes of the body, field (dashed)")
    fine, coarse = runs.values()
    angle = angle_between(rotation(fine, -1)[:, 2], rotation(coarse, -1)[:, 2])
    return drawing, [Finding("the two motions look alike", f"the dipoles are {number(angle)} rad apart at t = {end:.3g}")]


def angle_between(a, b):
    return float(numpy.arccos(numpy.clip(a @ b / numpy.linalg.norm(a) / numpy.linalg.norm(b), -1, 1)))


def orthogonality(run):
    return numpy.array([numpy.linalg.norm(r.T @ r - numpy.eye(3)) for r in (rotation(run, i) for i in range(len(run.time)))])


def draw_errors(results):
    study = results["study"]
    rows, reference = rows_of(study), reference_of(study)
    shown = {"linearised": "(a) variational Zhang-Skeel", "Cayley of order 1": "(b) variational Euler on SO(3)"}
    drawing, axes = style.figure(3, 2, (14, 10), sharex=True)
    for (variant, name), column in zip(shown.items(), axes.T):
        run = run_of(study, rows[variant])
        same = numpy.searchsorted(reference.time, run.time - 1e-9)
        error = [numpy.linalg.norm(rotation(run, i) - rotation(reference, j)) for i, j in enumerate(same) if j < len(reference.time)]
        column[0].plot(run.time, run.column("total_energy"), color="black", linewidth=1.2)
        column[1].semilogy(run.time[1:], numpy.maximum(orthogonality(run)[1:], 1e-17), color="black", linewidth=1.2)
        column[2].plot(run.time[:len(error)], error, color="black", linewidth=1.2)
        column[0].set_title(f"{name}, h = 0.1", fontsize=12)
        column[2].set_xlabel("time")
    for panel, label in zip(axes[:, 0], ("energy", "|RᵀR - I|", "|R - benchmark|")):
        panel.set_ylabel(label)
    drawing.suptitle("Magnetised rigid body: energy, orthogonality and error")
    value = lambda variant, column: number_or_none(rows[variant][column])
    both = lambda column: "; ".join(f"{name[4:]} {number(value(variant, column))}" for variant, name in shown.items())
    return drawing, [
        Finding("the integrator on SO(3) keeps the group much better (largest |RᵀR - I| a million times smaller)", both("orthogonality"),
                bool(value("Cayley of order 1", "orthogonality") < 1e-6 * value("linearised", "orthogonality"))),
        Finding("Zhang-Skeel's error is moderate (largest |R - benchmark| below 0.5)", both("error_rotation"),
                bool(value("linearised", "error_rotation") < 0.5)),
        Finding("the energy does not drift for either (largest relative change below 10 %)", both("relative_energy_drift"),
                bool(max(value(variant, "relative_energy_drift") for variant in shown) < 0.1))]


FIGURES = [Figure("TO", "8", "DNA model: transitions between the closed states", draw_dna, DNA),
           Figure("TO", "9", "magnetised rigid body: snapshots", draw_turning, {"study": BODY}),
           Figure("TO", "10", "magnetised rigid body: energy, orthogonality and error", draw_errors, {"study": BODY})]
