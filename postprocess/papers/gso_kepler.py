"""GSO 6.1: the Kepler problem."""

import math

import numpy

from papers.marks import (average_step, bounded, histogram, kept, nearly_kept, number, quantile_of_steps,
                          step_map, thin)
from papers.registry import Figure, Finding
from papers.sources import RunSource
from plotting import style

NAMES = {"force": "force-stepping", "newmark": "explicit Newmark", "momentum": "energy-momentum"}
SIX_REVOLUTIONS = {"End time": "38"}
THREE_REVOLUTIONS = {"End time": "19"}


def sources(eccentricity, interval, quick):
    output = {"Output/History interval": interval, "Output/Snapshot interval": "none"}
    files = {"force": "force_stepping", "newmark": "newmark", "momentum": "labudde_greenspan"}
    return {key: RunSource(f"kepler_{eccentricity}_{key}", f"kepler_{eccentricity}_{file}.prm", output, quick)
            for key, file in files.items()}


E085 = sources("e085", "0.0125", SIX_REVOLUTIONS)
E099 = sources("e099", "0.0025", THREE_REVOLUTIONS)
RADIAL = {"force": RunSource("kepler_radial_force", "kepler_radial_force_stepping.prm", {"Output/History interval": "0.0125"},
                             SIX_REVOLUTIONS),
          "newmark": RunSource("kepler_radial_newmark", "kepler_radial_force_stepping.prm",
                               {"Integrator/Name": "explicit Newmark", "Integrator/Explicit Newmark/Time step": "0.0125",
                                "Checks/Maximum energy error": "none", "Output/History interval": "0.0125"}, SIX_REVOLUTIONS)}


def ellipse(eccentricity):
    angle = numpy.linspace(0, 2 * math.pi, 800)
    return numpy.cos(angle) - eccentricity, math.sqrt(1 - eccentricity**2) * numpy.sin(angle)


def draw_orbit(axes, x, y, eccentricity, title):
    axes.plot(x, y, color="#0072B2", linewidth=0.4, label="run")
    axes.plot(*ellipse(eccentricity), color="black", linestyle="--", linewidth=2, label="exact")
    axes.plot([0], [0], marker="+", color="black", markersize=11, markeredgewidth=2)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title(title, fontsize=12)
    axes.set_xlabel("x (semi-major axes)")
    axes.set_ylabel("y (semi-major axes)")


def turn(run):
    """Of the periapsis, radians a revolution; not a number where there were not two revolutions."""
    return run.summary()["measured"].get("turn_of_periapsis", math.nan)


def mean_axis_of_halves(run):
    axis, middle = run.column("semi_major_axis"), run.time[-1] / 2
    return float(axis[run.time <= middle].mean()), float(axis[run.time > middle].mean())


def near_and_far(run):
    """Mean step within half a semi-major axis of the centre, and beyond one."""
    from plotting.data import read_numbers

    bins = read_numbers(run.file("time_steps_by_position.csv"), "x")
    radius, time = numpy.hypot(bins["x"], bins["y"]), bins["events"] * bins["mean_step"]
    mean = lambda chosen: time[chosen].sum() / bins["events"][chosen].sum()
    return mean(radius < 0.5), mean(radius > 1)


def steps_by_speed(run):
    near, far = near_and_far(run)
    return Finding("small steps where the velocity is high, large ones where it is low",
                   f"mean step {number(near)} at r < 0.5, {number(far)} at r > 1", near < far)


def draw_orbits(results, eccentricity, findings):
    drawing, axes = style.figure(2, 2, (13, 10))
    for panel, key in zip(axes.flat, NAMES):
        run = results[key]
        draw_orbit(panel, run.column("particle_body_position_x"), run.column("particle_body_position_y"), eccentricity, NAMES[key])
    axes[0, 0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2, frameon=False)
    step_map(axes[1, 1], drawing, results["force"], "mean time step (periods / 2π)")
    axes[1, 1].set_title("time steps of force-stepping", fontsize=12)
    axes[1, 1].set_xlabel("x (semi-major axes)")
    axes[1, 1].set_ylabel("y (semi-major axes)")
    drawing.suptitle(f"Kepler problem, e = {eccentricity}: orbits and where the steps are long")
    return drawing, findings


def draw_orbits_085(results):
    turns = {key: turn(run) for key, run in results.items()}
    axes_of = {key: mean_axis_of_halves(run) for key, run in results.items()}
    findings = [average_step(results["force"], 0.0125, 0.16),
                Finding("orbits precess, but are stable over 64π (mean semi-major axis of the second half that of the first to 1 %)",
                        "; ".join(f"{NAMES[key]}: axis {number(axes_of[key][0], 4)}, then {number(axes_of[key][1], 4)}, turn "
                                  f"{number(turns[key], 2)} rad a revolution" for key in NAMES),
                        all(abs(second / first - 1) < 0.01 for first, second in axes_of.values())),
                steps_by_speed(results["force"])]
    return draw_orbits(results, 0.85, findings)


def draw_orbits_099(results):
    turns = {key: abs(turn(results[key])) for key in results}
    spread = {key: numpy.ptp(results[key].column("semi_major_axis")) for key in results}
    findings = [average_step(results["force"], 0.000175, 0.16),
                Finding("Newmark does not even show a periodic orbit, the others do (range of the semi-major axis during the run)",
                        "; ".join(f"{NAMES[key]} {number(spread[key])}" for key in NAMES),
                        bool(spread["newmark"] > 10 * spread["force"] and spread["newmark"] > 10 * spread["momentum"])),
                Finding("energy-momentum precesses more than force-stepping (turn per revolution)",
                        f"{number(turns['momentum'])} rad and {number(turns['force'])} rad",
                        turns["momentum"] > turns["force"]),
                steps_by_speed(results["force"])]
    return draw_orbits(results, 0.99, findings)


def draw_invariants(results, eccentricity, title):
    exact = {"energy": -0.5, "angular momentum": math.sqrt(1 - eccentricity**2)}
    drawing, axes = style.figure(2, 1, (12, 8), sharex=True)
    for i, key in enumerate(results):
        run = results[key]
        energy = run.column("conserved_energy" if "conserved_energy" in run.history else "total_energy")
        revolutions = run.time / (2 * math.pi)
        for panel, values in zip(axes, (energy, run.column("angular_momentum_z"))):
            panel.plot(thin(revolutions), thin(values), label=NAMES[key], linewidth=1.1, **style.look(i + 1))
    for panel, (what, value) in zip(axes, exact.items()):
        panel.axhline(value, color="black", linewidth=2.2, linestyle=(0, (1, 3)), label="exact")
        panel.set_ylabel(what + " (units of the problem)")
        panel.ticklabel_format(axis="y", useOffset=False)
        panel.margins(x=0.01)
    style.legend_beside(axes[0])
    axes[1].set_xlabel("time (revolutions)")
    drawing.suptitle(title)
    return drawing


def invariants(results):
    force, newmark = results["force"], results["newmark"]
    return [kept("force-stepping: energy (kinetic + interpolated potential)", force, "conserved_energy", 1e-11),
            nearly_kept("force-stepping: angular momentum", force, "angular_momentum_z", 0.05),
            kept("Newmark: angular momentum", newmark, "angular_momentum_z", 1e-9),
            bounded("Newmark: error of the energy", newmark.time, newmark.column("total_energy") + 0.5)]


def draw_invariants_085(results):
    momentum, force = results["momentum"], results["force"]
    spin = force.column("angular_momentum_z")
    findings = invariants(results) + [bounded("force-stepping: no drift, error of the angular momentum", force.time, spin - spin[0]),
                                      kept("energy-momentum: energy", momentum, "total_energy", 1e-9),
                                      kept("energy-momentum: angular momentum", momentum, "angular_momentum_z", 1e-9)]
    return draw_invariants(results, 0.85, "Kepler problem, e = 0.85: energy and angular momentum"), findings


def draw_invariants_099(results):
    momentum = results["momentum"]
    findings = invariants(results) + [kept("energy-momentum: energy", momentum, "total_energy", 1e-8),
                                      kept("energy-momentum: angular momentum", momentum, "angular_momentum_z", 1e-8)]
    return draw_invariants(results, 0.99, "Kepler problem, e = 0.99: energy and angular momentum"), findings


def draw_histogram(results):
    drawing, axes = style.figure(1, 1, (10, 5.5))
    lower, upper, count = histogram(axes, results["force"])
    average = results["force"].summary()["time_step"]["average"]
    axes.axvline(average, color="black", linestyle="--", linewidth=1.6)
    axes.margins(y=0.12)
    axes.annotate(f"average {average:.3g}", (average, 1), xycoords=("data", "axes fraction"), xytext=(-6, -2),
                  textcoords="offset points", ha="right", va="top")
    axes.set_xlabel("time step (periods / 2π)")
    axes.set_title("Kepler problem, e = 0.85: time steps of force-stepping")
    low, high = (quantile_of_steps(lower, upper, count, share) for share in (0.01, 0.99))
    return drawing, [average_step(results["force"], 0.0125, 0.16),
                     Finding("a broad range of time steps (98 % of them within more than one decade)",
                             f"1 % are below {number(low)}, 1 % above {number(high)}", high > 10 * low)]


def reconstructed(run):
    """The path in the plane: the angle is a column of the history where the system integrates it, GSO (68)."""
    angle = run.column("angle") if "angle" in run.history else angle_by_quadrature(run)
    radius = run.column("radius")
    return radius * numpy.cos(angle), radius * numpy.sin(angle)


def angle_by_quadrature(run):
    """GSO (68) between the rows of the history: Gauss points of the cubic through radius and radial velocity."""
    time, radius, speed = run.time, run.column("radius"), run.column("radial_velocity")
    momentum = run.column("angular_momentum_z")[0]
    dt = numpy.diff(time)
    total = numpy.zeros_like(dt)
    for node, weight in zip(*numpy.polynomial.legendre.leggauss(6)):
        s = (1 + node) / 2
        cubic = ((1 + 2 * s) * (1 - s) ** 2 * radius[:-1] + s * (1 - s) ** 2 * dt * speed[:-1] +
                 s * s * (3 - 2 * s) * radius[1:] - s * s * (1 - s) * dt * speed[1:])
        total += weight / 2 * dt * momentum / cubic**2
    return numpy.concatenate([[0], numpy.cumsum(total)])


def draw_radial_orbits(results):
    from plotting.data import read_numbers

    drawing, axes = style.figure(1, 3, (18, 5.8))
    for panel, key in zip(axes, results):
        draw_orbit(panel, *reconstructed(results[key]), 0.85, NAMES[key])
    axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2, frameon=False)
    bins = read_numbers(results["force"].file("time_steps_by_position.csv"))
    radius, steps = bins["q_0"] if "q_0" in bins else bins["x"], bins["mean_step"]
    axes[2].plot(radius, steps, color="black", marker="o", markersize=2.5, linestyle="none")
    axes[2].set_xlabel("radius (semi-major axes)")
    axes[2].set_ylabel("mean time step (periods / 2π)")
    axes[2].set_title("time steps of force-stepping", fontsize=12)
    drawing.suptitle("Kepler problem reduced to the radius, e = 0.85: reconstructed orbits")
    return drawing, [average_step(results["force"], 0.0125, 0.1)]


def draw_radial_invariants(results):
    force, newmark = results["force"], results["newmark"]
    findings = [kept("force-stepping: energy (kinetic + interpolated potential)", force, "conserved_energy", 1e-11),
                kept("force-stepping: angular momentum", force, "angular_momentum_z", 1e-12),
                kept("Newmark: angular momentum", newmark, "angular_momentum_z", 1e-12),
                bounded("Newmark: error of the energy", newmark.time, newmark.column("total_energy") + 0.5)]
    return draw_invariants(results, 0.85, "Kepler problem reduced to the radius, e = 0.85: energy and angular momentum"), findings


FIGURES = [
    Figure("GSO", "5", "Kepler orbits for e = 0.85, and where the steps are long", draw_orbits_085, E085),
    Figure("GSO", "6", "energy and angular momentum for e = 0.85", draw_invariants_085, E085),
    Figure("GSO", "7", "histogram of the time steps for e = 0.85", draw_histogram, {"force": E085["force"]}),
    Figure("GSO", "8", "orbits reconstructed from the radius, e = 0.85", draw_radial_orbits, RADIAL),
    Figure("GSO", "9", "energy and angular momentum of the reduced problem", draw_radial_invariants, RADIAL),
    Figure("GSO", "10", "Kepler orbits for e = 0.99, and where the steps are long", draw_orbits_099, E099),
    Figure("GSO", "11", "energy and angular momentum for e = 0.99", draw_invariants_099, E099),
]
