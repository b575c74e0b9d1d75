"""G99 section 4: two rods joined by springs, by the energy-momentum scheme."""

import numpy

from papers.marks import bounded, number, slope
from papers.registry import Figure, Finding
from papers.sources import RunSource, StudySource
from plotting import style
from plotting.data import number_or_none

MOTION = RunSource("four_particles", "four_particles.prm", {}, {"End time": "1"})
LONG = RunSource("four_particles_long", "four_particles.prm", {"End time": "100", "Output/Snapshot interval": "none"}, {"End time": "2"})
CONVERGENCE = StudySource("gonzalez_four_particles", "studies/gonzalez_four_particles.prm")
RODS = ((1, 2), (3, 4))
SPRINGS = ((1, 3), (2, 4))
SHOWN = (0, 1.0, 2.0, 4.0, 7.0, 10.0)  # s


def place(run, i, kind="position"):
    return numpy.array([run.column(f"particle_{i}_{kind}_{axis}") for axis in "xyz"])


def draw_motion(results):
    run = results["run"]
    places = {i: place(run, i) for i in range(1, 5)}
    drawing, axes = style.figure(2, 3, (15, 10), subplot_kw={"projection": "3d"})
    everything = numpy.concatenate(list(places.values()), axis=1)
    middle, reach = (everything.max(axis=1) + everything.min(axis=1)) / 2, numpy.ptp(everything, axis=1).max() / 2
    for panel, time in zip(axes.flat, SHOWN):
        row = int(numpy.argmin(numpy.abs(run.time - time)))
        trail = slice(max(0, row - 100), row + 1)
        for i, path in places.items():
            panel.plot(*path[:, trail], linewidth=0.8, color=style.COLOURS[i])
            panel.plot(*path[:, row:row + 1], marker=style.MARKERS[i - 1], markersize=9, color=style.COLOURS[i])
        for first, second in RODS:
            panel.plot(*zip(places[first][:, row], places[second][:, row]), color="black", linewidth=3)
            panel.plot(*zip(places[first][:, 0], places[second][:, 0]), color="black", linewidth=1.2, linestyle=":")
        for first, second in SPRINGS:
            panel.plot(*zip(places[first][:, row], places[second][:, row]), color="#666666", linewidth=1, linestyle="--")
        panel.set_title(f"t = {run.time[row]:.3g} s", fontsize=12)
        for set_limits, set_label, m, axis in zip((panel.set_xlim, panel.set_ylim, panel.set_zlim),
                                                  (panel.set_xlabel, panel.set_ylabel, panel.set_zlabel), middle, "xyz"):
            set_limits(m - reach, m + reach)
            set_label(f"{axis} (m)", fontsize=9)
        panel.tick_params(labelsize=8)
        panel.set_box_aspect((1, 1, 1), zoom=0.9)
    drawing.suptitle("Four particles: rods (thick; dotted: at the start), springs (dashed), paths of the last second")
    energy = run.column("total_energy")
    momentum = numpy.array([run.column(f"linear_momentum_{axis}") for axis in "xyz"])
    spin = numpy.array([run.column(f"angular_momentum_{axis}") for axis in "xyz"])
    residual = numpy.abs(run.column("constraint_residual")).max()
    change = lambda values: float(numpy.abs(values - values[:, :1]).max())
    return drawing, [
        Finding("energy, linear and angular momentum conserved to solver tolerance (1e-9 of 1 J, 1 N s, 1 J s)",
                f"largest changes {number(numpy.abs(energy - energy[0]).max())}, {number(change(momentum))}, {number(change(spin))}",
                bool(max(numpy.abs(energy - energy[0]).max(), change(momentum), change(spin)) < 1e-9)),
        Finding("both rods keep their length to solver tolerance (1e-9 m)", f"largest residual {number(residual)}",
                bool(residual < 1e-9))]


def hidden(run, first, second):
    """The rate at which the length of a rod changes."""
    apart = place(run, first) - place(run, second)
    rate = place(run, first, "velocity") - place(run, second, "velocity")
    return numpy.sum(apart * rate, axis=0) / numpy.linalg.norm(apart, axis=0)


def changes_of_sign(values):
    """The least of the numbers of changes in each tenth of the time."""
    return min(int(numpy.sum(part[1:] * part[:-1] < 0)) for part in numpy.array_split(values, 10))


def draw_hidden(results):
    run, long_run = results["run"], results["long"]
    drawing, axes = style.figure(2, 1, (11, 7), sharex=True)
    findings = []
    for i, (panel, rod) in enumerate(zip(axes, RODS), 1):
        values = hidden(run, *rod)
        panel.plot(run.time, values, color="black", linewidth=0.8)
        panel.set_ylabel(f"dg{i}/dt (m/s)")
        panel.margins(x=0.01)
        findings += [Finding(f"dg{i}/dt does not vanish (beyond 1e-6), but oscillates about zero (changes sign in each tenth of the time)",
                             f"largest {number(numpy.abs(values).max())}, at least {changes_of_sign(values)} changes of sign",
                             bool(numpy.abs(values).max() > 1e-6 and changes_of_sign(values) > 0)),
                     bounded(f"dg{i}/dt, over ten times the paper's 10 s,", long_run.time, hidden(long_run, *rod))]
    axes[1].set_xlabel("time (s)")
    drawing.suptitle("Four particles: velocity constraints of the energy-momentum scheme, dt = 0.01 s")
    return drawing, findings


def draw_convergence(results):
    study = results["study"]
    rows = [(float(row["step"]), number_or_none(row["error_q4"])) for row in study.rows
            if row["variant"] == "convergence" and row["status"] == "done"]
    steps, errors = map(numpy.array, zip(*sorted(row for row in rows if row[1])))
    drawing, axes = style.figure(1, 1, (9, 5.6))
    axes.loglog(steps, errors, marker="o", markersize=8, color="black", linewidth=1.4, label="energy-momentum")
    axes.loglog(steps, errors[0] * (steps / steps[0]) ** 2, linestyle="--", color="#D55E00", label="slope 2")
    axes.set_xlabel("time step (s)")
    axes.set_ylabel("relative error of q₄ at t = 0.1 s")
    axes.set_title("Four particles: convergence of the energy-momentum scheme")
    style.legend_beside(axes)
    found, width = slope(steps, errors)
    return drawing, [Finding("second order in the positions (exponent 2 to 0.1)", f"{found:.3g} ± {width:.2g}", abs(found - 2) <= 0.1)]


FIGURES = [Figure("G99", "2", "motion of the four particles", draw_motion, {"run": MOTION}),
           Figure("G99", "3", "velocity constraints over time", draw_hidden, {"run": MOTION, "long": LONG}),
           Figure("G99", "4", "error in q4 against the time step", draw_convergence, {"study": CONVERGENCE})]
