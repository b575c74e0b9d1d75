"""S: the pendulum and the chain molecule by Dirac brackets."""

import math

import numpy

from papers.marks import growth, number
from papers.registry import Figure, Finding
from papers.sources import RunSource
from plotting import style

FORMULATIONS = {"naive": ("pendulum_naive.prm", "naive (inv)"), "extended": ("pendulum_extended.prm", "extended Hamiltonian (ham)"),
                "dirac": ("pendulum_hamilton_dirac.prm", "Hamilton-Dirac (dir)")}
STEP = {"Integrator/Constrained ODE/Time step": "0.1", "Output/History interval": "0.1", "End time": "100"}
PENDULUM = {key: RunSource(f"seiler_{key}", file, STEP, {"End time": "10"}) for key, (file, _) in FORMULATIONS.items()}
# As shipped: a step of T/33, 30 revolutions.
REVOLUTIONS = {key: RunSource(f"seiler_{key}_revolutions", file, {}, {"End time": "14"})
               for key, (file, _) in FORMULATIONS.items()}
PERIOD = 3.3132763404731844  # of the pendulum with y = 0, |p| = 2 at the start
TABLE = {"naive": [9.66e-3, 7.28e-2, 9.22e-1, 2.16e-1, 3.05e-1], "extended": [5.75e-3, 1.77e-2, 8.98e-2, 3.17e-1, 6.21e-1],
         "dirac": [8.28e-4, 2.63e-3, 1.39e-2, 5.18e-2, 1.13e-1]}
TABLE_REVOLUTIONS = [2, 4, 10, 20, 30]
CHAIN_OUTPUT = {"Output/History interval": "0.1", "Output/Snapshot interval": "none", "Particles/Observed": "auto"}
CHAIN = {"dirac": RunSource("seiler_chain", "chain_molecule_hamilton_dirac.prm", CHAIN_OUTPUT, {"End time": "5"}),
         "reference": RunSource("seiler_chain_reference", "chain_molecule_hamilton_dirac.prm",
                                {**CHAIN_OUTPUT, "Integrator/Constrained ODE/Time step": "0.01"}, {"End time": "5"}),
         "rattle": RunSource("seiler_chain_rattle", "chain_molecule_rattle.prm", CHAIN_OUTPUT, {"End time": "5"})}


def exact_pendulum(times, n_substeps=10):
    """Angle and velocity of phi'' = -sin phi by Runge-Kutta 4 with a tenth of the step, as S estimates the error; phi is measured
    from the lowest point, and x = sin phi, y = -cos phi."""
    slope = lambda state: numpy.array([state[1], -math.sin(state[0])])
    state, states = numpy.array([math.pi / 2, -2.0]), []
    for i, time in enumerate(times):
        if i:
            h = (time - times[i - 1]) / n_substeps
            for _ in range(n_substeps):
                k1 = slope(state)
                k2 = slope(state + h / 2 * k1)
                k3 = slope(state + h / 2 * k2)
                k4 = slope(state + h * k3)
                state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        states.append(state)
    angle, speed = numpy.array(states).T
    return (numpy.sin(angle), -numpy.cos(angle), speed * numpy.cos(angle), speed * numpy.sin(angle))


def phase_space(run, bodies, with_momenta=True):
    kinds = ("position", "velocity") if with_momenta else ("position",)
    return numpy.array([run.column(f"{body}_{kind}_{axis}") for body in bodies for kind in kinds for axis in "xy"])


def integration_error(run):
    x, y, u, v = exact_pendulum(run.time)
    return numpy.linalg.norm(phase_space(run, ["particle_bob"]) - numpy.array([x, y, u, v]), axis=0)


def energy_error(run):
    energy = run.column("total_energy")
    return numpy.abs(energy - energy[0])


def two_panels(runs, values, labels, names, title):
    """A logarithmic panel for each of two quantities, a curve for each run."""
    drawing, axes = style.figure(1, 2, (15, 5.6))
    for panel, of, label in zip(axes, values, labels):
        for i, (key, run) in enumerate(runs.items()):
            # What oscillates stays behind what does not.
            panel.semilogy(run.time[1:], numpy.maximum(of(run)[1:], 1e-17), label=names[key], linewidth=1.2,
                           zorder=1.5 if key == "extended" else 2, **style.look(i))
        panel.set_xlabel("time")
        panel.set_ylabel(label)
        panel.margins(x=0.01)
    if len(runs) > 1:
        style.legend_beside(axes[1], fontsize=11)
    drawing.suptitle(title)
    return drawing


def exponents(runs, of, ranges):
    return {key: growth(run.time, of(run), *ranges[key]) for key, run in runs.items()}


# From the third revolution on (before, the swing within a revolution hides the growth) to where the paper calls the solution
# reasonable.
RANGES = {"naive": (10, 30), "extended": (10, 70), "dirac": (10, 100)}


# S speaks of powers that are multiples of 1/2: to 0.25 the exponent is nearest to the one given.
def grows(what, key, found, expected, tolerance=0.25):
    return Finding(f"{FORMULATIONS[key][1]}: {what} grows like t^{expected:g} (exponent to {tolerance:g})",
                   f"t^{found[key]:.2f}", abs(found[key] - expected) <= tolerance)


def breakdown(run):
    """When the integration error first exceeds 1."""
    beyond = integration_error(run) > 1
    return run.time[int(numpy.argmax(beyond))] if beyond.any() else math.inf


def draw_pendulum_errors(results):
    drawing = two_panels(results, (integration_error, energy_error), ("integration error", "energy error"),
                         {key: name for key, (_, name) in FORMULATIONS.items()}, "Pendulum by Runge-Kutta 4, h = 0.1: errors")
    of_solution, of_energy = exponents(results, integration_error, RANGES), exponents(results, energy_error, RANGES)
    ends = {key: breakdown(run) for key, run in results.items()}
    when = lambda time: "not before the end" if math.isinf(time) else f"at t = {time:.3g}"
    return drawing, [
        Finding("the error exceeds 1 first for naive (about t = 30), then for the extended Hamiltonian (about 70), not for "
                "Hamilton-Dirac", "; ".join(f"{FORMULATIONS[key][1]} {when(time)}" for key, time in ends.items()),
                bool(ends["naive"] < ends["extended"] and math.isinf(ends["dirac"]))),
        grows("the integration error", "naive", of_solution, 3), grows("the integration error", "extended", of_solution, 2),
        grows("the integration error", "dirac", of_solution, 2), grows("the energy error", "naive", of_energy, 2),
        grows("the energy error", "extended", of_energy, 1), grows("the energy error", "dirac", of_energy, 1)]


def position_residual(run):
    return numpy.abs(run.column("constraint_residual"))


def momentum_residual(run):
    return numpy.abs(run.column("hidden_constraint_residual"))


def draw_pendulum_residuals(results):
    drawing = two_panels(results, (position_residual, momentum_residual), ("position residual", "momentum residual"),
                         {key: name for key, (_, name) in FORMULATIONS.items()}, "Pendulum by Runge-Kutta 4, h = 0.1: residuals")
    positions, momenta = exponents(results, position_residual, RANGES), exponents(results, momentum_residual, RANGES)
    return drawing, [grows("the position residual", "naive", positions, 2), grows("the momentum residual", "naive", momenta, 1),
                     grows("the position residual", "dirac", positions, 1), grows("the momentum residual", "dirac", momenta, 1),
                     grows("the position residual", "extended", positions, 0.5),
                     grows("the momentum residual", "extended", momenta, 0.5)]


def draw_phase_errors(results):
    drawing, axes = style.figure(1, 1, (10, 5.8))
    findings = []
    for i, (key, run) in enumerate(results.items()):
        y = numpy.abs(run.column("particle_bob_position_y"))
        here = [(n, paper, y[int(numpy.argmin(numpy.abs(run.time - n * PERIOD)))])
                for n, paper in zip(TABLE_REVOLUTIONS, TABLE[key]) if n * PERIOD <= run.time[-1] * (1 + 1e-9)]
        revolutions = numpy.array([n for n, _, _ in here])
        axes.semilogy(revolutions, [value for _, _, value in here], label=FORMULATIONS[key][1], marker=style.MARKERS[i],
                      markersize=8, **style.look(i))
        axes.semilogy(revolutions, [paper for _, paper, _ in here], linestyle="none", marker="x", markersize=13,
                      color=style.look(i)["color"])
        findings += [Finding(f"{FORMULATIONS[key][1]}: |y({n}T)| = {paper:.3g} (to 1.5 %)", f"{value:.4g}",
                             abs(value / paper - 1) <= 0.015) for n, paper, value in here]
    axes.plot([], [], linestyle="none", marker="x", markersize=13, color="black", label="S Table 1")
    axes.set_xlabel("revolutions")
    axes.set_ylabel("|y|, exact: 0")
    axes.set_title("Pendulum by Runge-Kutta 4, h = T/33: phase error")
    style.legend_beside(axes)
    return drawing, findings


def atoms(run):
    return [f"particle_atom_{i}" for i in range(1, 8)]


def draw_chain(results):
    run = results["dirac"]
    drawing, axes = style.figure(1, 2, (14, 6.2))
    start = numpy.array([[run.column(f"{atom}_position_{axis}")[0] for axis in "xy"] for atom in atoms(run)])
    axes[0].plot(*start.T, color="black", linewidth=2)
    axes[0].plot(*start.T, linestyle="none", marker="o", markersize=22, color="#56B4E9", markeredgecolor="black")
    for i, place in enumerate(start, 1):
        axes[0].annotate(str(i), place, ha="center", va="center")
    axes[0].set_title("start: the global minimum", fontsize=12)
    x, y = (run.column(f"particle_atom_1_position_{axis}") for axis in "xy")
    axes[1].plot(x, y, color="#0072B2", linewidth=1.2)
    axes[1].plot(x[:1], y[:1], marker="o", color="black", markersize=8)
    axes[1].set_title("path of the first atom; dot: start", fontsize=12)
    for panel in axes:
        panel.set_xlabel("x")
        panel.set_ylabel("y")
        panel.set_aspect("equal", adjustable="datalim")
        panel.margins(0.12)
    drawing.suptitle("Chain molecule by Runge-Kutta 4 on the Hamilton-Dirac equations, h = 0.1")
    turned = (numpy.unwrap(numpy.arctan2(y, x))[-1] - math.atan2(y[0], x[0])) / (2 * math.pi)
    distance = numpy.hypot(x, y)
    return drawing, [Finding("about 5/4 turns of the chain until t = 200 (1.15 to 1.35)", f"{abs(turned):.3g} turns",
                             bool(1.15 <= abs(turned) <= 1.35)),
                     Finding("small vibrations about the hexagon (end atoms stay at 0.8 to 1.3 from the middle)",
                             f"{number(distance.min())} to {number(distance.max())}",
                             bool(distance.min() > 0.8 and distance.max() < 1.3))]


def draw_chain_errors(results):
    run, reference = results["dirac"], results["reference"]
    error = numpy.linalg.norm(phase_space(run, atoms(run)) - phase_space(reference, atoms(reference)), axis=0)
    shown = {"dirac": run}
    drawing = two_panels(shown, (lambda _: error, energy_error), ("integration error (against h = 0.01)", "energy error"),
                         {"dirac": ""}, "Chain molecule by Runge-Kutta 4 on the Hamilton-Dirac equations, h = 0.1: errors")
    drawing.axes[1].semilogy(results["rattle"].time[1:], numpy.maximum(energy_error(results["rattle"])[1:], 1e-17), label="RATTLE",
                             linewidth=1, zorder=1.5, **style.look(2))
    drawing.axes[1].semilogy([], [], label="Hamilton-Dirac", **style.look(0))
    style.legend_beside(drawing.axes[1], fontsize=11)
    rattle = energy_error(results["rattle"])
    time = results["rattle"].time
    middle = time[-1] / 2
    first, second = rattle[time <= middle].max(), rattle[time > middle].max()
    solution, energy = (growth(run.time, values, 10, 200) for values in (error, energy_error(run)))
    return drawing, [Finding("the integration error grows like t² (exponent to 0.25)", f"t^{solution:.2f}", abs(solution - 2) <= 0.25),
                     Finding("the energy error grows like t (exponent to 0.25)", f"t^{energy:.2f}", abs(energy - 1) <= 0.25),
                     Finding("RATTLE's energy error does not grow (second half below 1.5 times the first)",
                             f"{number(first)}, then {number(second)}", bool(second < 1.5 * first))]


def draw_chain_residuals(results):
    run = results["dirac"]
    drawing = two_panels({"dirac": run}, (position_residual, momentum_residual), ("position residual", "momentum residual"),
                         {"dirac": ""}, "Chain molecule by Runge-Kutta 4 on the Hamilton-Dirac equations, h = 0.1: residuals")
    positions, momenta = (growth(run.time, of(run), 10, 200) for of in (position_residual, momentum_residual))
    return drawing, [Finding("the position residual grows like t (exponent to 0.25)", f"t^{positions:.2f}", abs(positions - 1) <= 0.25),
                     Finding("the momentum residual grows like t (exponent to 0.25)", f"t^{momenta:.2f}", abs(momenta - 1) <= 0.25)]


FIGURES = [
    Figure("S", "1", "pendulum: integration and energy error", draw_pendulum_errors, PENDULUM),
    Figure("S", "2", "pendulum: residuals of the constraints", draw_pendulum_residuals, PENDULUM),
    Figure("S", "T1", "pendulum: phase error", draw_phase_errors, REVOLUTIONS),
    Figure("S", "3", "chain molecule: start, and path of an end atom", draw_chain, {"dirac": CHAIN["dirac"]}),
    Figure("S", "4", "chain molecule: integration and energy error", draw_chain_errors, CHAIN),
    Figure("S", "5", "chain molecule: residuals of the constraints", draw_chain_residuals, {"dirac": CHAIN["dirac"]}),
]
