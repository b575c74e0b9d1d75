"""GSO 6.2: the frozen argon cluster over 10 ns."""

import numpy

from papers.marks import average_step, bounded, histogram, kept, number, thin
from papers.registry import Figure, Finding
from papers.sources import RunSource
from plotting import style

EPSILON = 1654028.284  # of parameters/argon_*.prm, in its unit of energy
FEMTOSECONDS = 1e6     # in a nanosecond
PICTURE_INTERVAL = "0.0002"
QUICK = {"End time": "0.05"}
WINDOW = 0.05          # ns, the last of which the paths are shown


def pair(fine):
    output = {"Output/History interval": PICTURE_INTERVAL, "Output/Snapshot interval": "none"}
    return {"force": RunSource(f"argon_force{fine}", f"argon_force_stepping{fine}.prm", output, QUICK),
            "newmark": RunSource(f"argon_verlet{fine}", f"argon_verlet{fine}.prm", output, QUICK)}


COARSE, FINE = pair(""), pair("_fine")
LOOKS = {"force": ("force-stepping", style.look(1)), "newmark": ("velocity Verlet", style.look(2))}


def conserved(run):
    return run.column("conserved_energy" if "conserved_energy" in run.history else "total_energy")


def mean_temperature(run):
    """GSO (71): the mean up to each time."""
    time, temperature = run.time, run.column("temperature")
    integral = numpy.concatenate([[0], numpy.cumsum(numpy.diff(time) * (temperature[1:] + temperature[:-1]) / 2)])
    return time[1:], integral[1:] / time[1:]


def smooth_path(run, body, axis, chosen, n_between=6):
    """Cubics through positions and velocities of the rows."""
    time = run.time[chosen]
    place, speed = (run.column(f"{body}_{what}_{axis}")[chosen] for what in ("position", "velocity"))
    s = numpy.arange(n_between) / n_between
    dt = numpy.diff(time)[:, None]
    return ((1 + 2 * s) * (1 - s) ** 2 * place[:-1, None] + s * (1 - s) ** 2 * dt * speed[:-1, None] +
            s * s * (3 - 2 * s) * place[1:, None] - s * s * (1 - s) * dt * speed[1:, None]).ravel()


def draw_paths(axes, run):
    chosen = run.time >= run.time[-1] - WINDOW
    for body in run.particles():
        axes.plot(smooth_path(run, body, "x", chosen), smooth_path(run, body, "y", chosen), linewidth=0.7)
    start = [(run.column(f"{body}_position_x")[0], run.column(f"{body}_position_y")[0]) for body in run.particles()]
    ring = start[1:] + start[1:2]
    axes.plot(*zip(*ring), color="black", linestyle="--", linewidth=1)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x (nm)")
    axes.set_ylabel("y (nm)")
    axes.set_title(f"force-stepping, last {1000 * WINDOW:g} ps; dashed: start", fontsize=12)


def draw_cluster(results, title):
    force, newmark = results["force"], results["newmark"]
    drawing, axes = style.figure(2, 3, (18, 10))
    # The tables' units are 1e-27 kg, nm, ns: a momentum in units of 1e-27 kg nm/ns.
    panels = [(axes[0, 0], "energy / ε", lambda run: conserved(run) / EPSILON),
              (axes[0, 1], "total linear momentum (10⁻²⁷ kg m/s)",
               lambda run: numpy.hypot(run.column("linear_momentum_x"), run.column("linear_momentum_y"))),
              (axes[0, 2], "total angular momentum (10⁻³⁶ J s)", lambda run: run.column("angular_momentum_z"))]
    for panel, label, values in panels:
        # The thinner line is drawn last: it does not hide what lies below.
        for key, width in (("newmark", 2.2), ("force", 0.9)):
            panel.plot(thin(results[key].time), thin(values(results[key])), label=LOOKS[key][0], linewidth=width, **LOOKS[key][1])
        panel.set_ylabel(label)
        panel.ticklabel_format(axis="y", useOffset=False)
        panel.set_xlabel("time (ns)")
        panel.margins(x=0.01, y=0.15)
    for key, run in results.items():
        times, means = mean_temperature(run)
        axes[1, 0].plot(thin(times), thin(means), linewidth=1.4, **LOOKS[key][1])
    axes[1, 0].set_xlabel("time (ns)")
    axes[1, 0].set_ylabel("mean temperature up to then (K)")
    histogram(axes[1, 1], force, FEMTOSECONDS)
    axes[1, 1].set_xlabel("time step (fs)")
    draw_paths(axes[1, 2], force)
    style.legend_beside(axes[0, 2])
    drawing.suptitle(title)
    spin = force.column("angular_momentum_z")
    momentum = numpy.hypot(force.column("linear_momentum_x"), force.column("linear_momentum_y"))
    atoms = numpy.array([numpy.hypot(force.column(f"{body}_position_x"), force.column(f"{body}_position_y"))
                         for body in force.particles()])
    temperatures = {key: mean_temperature(run)[1] for key, run in results.items()}
    half = len(temperatures["force"]) // 2
    return drawing, [
        # The energy of the exact potential at the start, beside the interpolated one.
        Finding("E/ε = -10.51928 (to 5e-5)", f"{force.column('total_energy')[0] / EPSILON:.6g} by the potential, "
                f"{conserved(force)[0] / EPSILON:.6g} by its interpolant",
                bool(abs(force.column("total_energy")[0] / EPSILON + 10.51928) < 5e-5)),
        kept("force-stepping: energy", force, "conserved_energy", 1e-11),
        Finding("force-stepping: linear momentum exactly zero (below 1e-9 of an atom's)",
                f"largest {number(momentum.max())} of an atom's {number(66.34 * 100)}", bool(momentum.max() < 1e-9 * 6634)),
        bounded("force-stepping: error of the angular momentum", force.time, spin - spin[0]),
        kept("Verlet: angular momentum", newmark, "angular_momentum_z", 1e-8),
        Finding("the temperature settles: no numerical dissipation (change over the second half below 5 %)",
                "; ".join(f"{LOOKS[key][0]} {number(values[-1], 4)} K, changed by "
                          f"{100 * abs(values[-1] / values[half] - 1):.2g} %" for key, values in temperatures.items()),
                bool(abs(temperatures["force"][-1] / temperatures["force"][half] - 1) < 0.05)),
        Finding("the cluster stays together (no atom beyond 1 nm of the centre)", f"farthest {number(atoms.max())} nm",
                bool(atoms.max() < 1))]


def draw_coarse(results):
    drawing, findings = draw_cluster(results, "Frozen argon cluster: force-stepping with h = 0.020 nm, Verlet with 3.12 fs")
    return drawing, [average_step(results["force"], 3.12, 0.05, "fs", FEMTOSECONDS)] + findings


def draw_fine(results):
    drawing, findings = draw_cluster(results, "Frozen argon cluster: force-stepping with h = 0.005 nm, Verlet with 0.80 fs")
    return drawing, [average_step(results["force"], 0.80, 0.05, "fs", FEMTOSECONDS)] + findings


FIGURES = [Figure("GSO", "15", "frozen argon cluster over 10 ns, h = 0.020 nm", draw_coarse, COARSE),
           Figure("GSO", "16", "frozen argon cluster over 10 ns, h = 0.005 nm", draw_fine, FINE)]
