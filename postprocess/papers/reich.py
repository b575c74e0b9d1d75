"""R section 8: the pendulum by symplectic Runge-Kutta methods for constrained systems."""

import numpy

from papers.marks import bounded, number
from papers.registry import Figure, Finding
from papers.sources import RunSource
from plotting import style

QUICK = {"End time": "10"}
MIDPOINT_SETTINGS = {"Integrator/Name": "constrained Gauss", "Integrator/Constrained Gauss/Time step": "0.1",
                     "Integrator/Constrained Gauss/Index": "2", "Integrator/Constrained Gauss/Stages": "1"}
MIDPOINT = RunSource("reich_midpoint", "pendulum_reich.prm", MIDPOINT_SETTINGS, QUICK)
# One step of the composition is one of -h and one of h, seen from its middle: 2 h in all.
REVERSIBLE = RunSource("reich_reversible", "pendulum_reich.prm",
                       {**MIDPOINT_SETTINGS, "Integrator/Constrained Gauss/Time step": "0.2",
                        "Integrator/Constrained Gauss/Reversible": "true", "Output/History interval": "0.2"}, QUICK)
COMPOSED = RunSource("reich_composed", "pendulum_reich.prm", {}, QUICK)
BOTH = {"midpoint": MIDPOINT, "reversible": REVERSIBLE}


def bob(run):
    position = numpy.array([run.column(f"particle_bob_position_{axis}") for axis in "xy"])
    velocity = numpy.array([run.column(f"particle_bob_velocity_{axis}") for axis in "xy"])
    return position, velocity


def coordinate_drift(run):
    position, _ = bob(run)
    return (numpy.sum(position**2, axis=0) - 1) / 2


def velocity_drift(run):
    position, velocity = bob(run)
    return numpy.sum(position * velocity, axis=0)


def energy_drift(run):
    energy = run.column("total_energy")
    return energy - energy[0]


DRIFTS = {"coordinate": (coordinate_drift, "coordinate constraint (q² - 1)/2"),
          "velocity": (velocity_drift, "velocity constraint q·p"),
          "energy": (energy_drift, "drift of the energy")}


def zigzag(values):
    """The part that changes sign from step to step: the root mean square of the fourth differences over 16, in which what is
    smooth all but vanishes; as a share of the range of the values."""
    return float(numpy.sqrt(numpy.mean(numpy.diff(values, 4) ** 2))) / 16 / float(numpy.ptp(values))


def draw_curve(run, drift, title):
    of, label = DRIFTS[drift]
    drawing, axes = style.figure(1, 1, (11, 4.8))
    axes.plot(run.time, of(run), color="black", linewidth=1)
    axes.margins(x=0.01)
    axes.set_xlabel("time")
    axes.set_ylabel(label)
    axes.set_title(title)
    return drawing


def draw_midpoint(drift):
    def draw_figure(results):
        run = results["midpoint"]
        values = DRIFTS[drift][0](run)
        return (draw_curve(run, drift, "Pendulum by the implicit midpoint rule on R (6), h = 0.1"),
                [Finding("not preserved (beyond 1e-6)", f"largest {number(numpy.abs(values).max())}",
                         bool(numpy.abs(values).max() > 1e-6))])
    return draw_figure


def draw_reversible(drift):
    def draw_figure(results):
        before, after = (DRIFTS[drift][0](results[key]) for key in ("midpoint", "reversible"))
        return (draw_curve(results["reversible"], drift, "Pendulum by the R-reversible composition of the midpoint rule, h = 0.1"),
                [Finding("removes the high-frequency part of the midpoint rule's drift (from above 1 % of the range to below)",
                         f"{100 * zigzag(before):.2g} % before, {100 * zigzag(after):.2g} % after",
                         zigzag(before) > 0.01 > zigzag(after)),
                 bounded("the drift", results["reversible"].time, after)])
    return draw_figure


def draw_composed(results):
    run = results["composed"]
    residual = max(numpy.abs(coordinate_drift(run)).max(), numpy.abs(velocity_drift(run)).max())
    return (draw_curve(run, "energy", "Pendulum by R (25), h = 0.1"),
            [bounded("the drift of the energy", run.time, energy_drift(run)),
             Finding("on the constraint manifold exactly (both constraints below 1e-11)", f"largest residual {number(residual)}",
                     bool(residual < 1e-11))])


NAMES = {"coordinate": "drift of the coordinate constraint", "velocity": "drift of the velocity constraint",
         "energy": "drift of the energy"}
FIGURES = (
    [Figure("R", str(i), f"{NAMES[drift]}, implicit midpoint rule", draw_midpoint(drift), {"midpoint": MIDPOINT})
     for i, drift in enumerate(DRIFTS, 1)] +
    [Figure("R", str(i), f"{NAMES[drift]}, R-reversible midpoint rule", draw_reversible(drift), BOTH)
     for i, drift in enumerate(DRIFTS, 4)] +
    [Figure("R", "7", "drift of the energy, second-order method (25)", draw_composed, {"composed": COMPOSED})])
