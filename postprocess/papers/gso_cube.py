"""GSO 6.3: the oblique impact of a neo-Hookean cube."""

import math

import numpy
from matplotlib.collections import PolyCollection
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from papers.marks import kept, number
from papers.registry import Figure, Finding
from papers.snapshots import Snapshot, times_of
from papers.sources import RunSource, StudySource
from plotting import style
from plotting.data import number_or_none

SIDE, WALL = 0.1, 0.101  # m, of parameters/cube_impact.prm: the wall is y + z = 2 WALL
SHOWN = [0, 6e-6, 12e-6, 18e-6, 24e-6, 30e-6, 40e-6, 60e-6]  # s; the paper's own times are in its pictures only
QUICK = {"End time": "2e-6"}
FORCE = RunSource("cube_force", "cube_impact_force_stepping.prm", {"Output/Snapshot interval": "2e-6"}, QUICK)
NEWMARK = RunSource("cube_newmark", "cube_impact.prm",
                    {"Integrator/Explicit Newmark/Time step": "2e-10", "Output/Snapshot interval": "none",
                     "Checks/Check interval": "1e-7"}, QUICK)
BOTH = {"force": FORCE, "newmark": NEWMARK}
NAMES = {"newmark": "explicit Newmark, 0.2 ns", "force": "force-stepping, h = 5·10⁻⁴ m"}
SCALING = StudySource("time_step_vs_mesh", "studies/time_step_vs_mesh.prm",
                      quick={"Settings/End time": "2e-6", "Sweep spacing/Geometric": "1e-3, 5e-4, 2",
                             "Sweep mesh/Values": "cube I, cube II"})


def snapshots_near(run, wanted):
    """Those nearest to the wanted times, each once."""
    known = times_of(run.folder)
    chosen = sorted({min(range(len(known)), key=lambda i: abs(known[i][0] - time)) for time in wanted})
    return [(known[i][0], Snapshot(known[i][1])) for i in chosen]


def panels_for(n, **options):
    n_columns = min(n, 4)
    drawing, axes = style.figure(math.ceil(n / n_columns), n_columns, (3.9 * n_columns, 0.8 + 3.5 * math.ceil(n / n_columns)),
                                 squeeze=False, **options)
    for panel in axes.flat[n:]:
        panel.set_visible(False)
    return drawing, axes


def stress_scale(shots):
    """Gigapascals up to the highest stress but for the highest hundredth."""
    return numpy.quantile(numpy.concatenate([shot.arrays["von_mises_stress"] for _, shot in shots]), 0.99) / 1e9


def normal_of_rebound(run):
    """Momentum that the wall gave, its size and how much of it lay in the wall."""
    change = numpy.array([run.column(f"linear_momentum_{axis}")[-1] - run.column(f"linear_momentum_{axis}")[0] for axis in "xyz"])
    along = change @ numpy.array([0, -1, -1]) / math.sqrt(2)
    return along, float(numpy.linalg.norm(change - along * numpy.array([0, -1, -1]) / math.sqrt(2)))


def deepest(run):
    """Time and size of the least kinetic energy."""
    i = int(numpy.argmin(run.column("kinetic_energy")))
    return run.time[i], run.column("kinetic_energy")[i]


def draw_sections(results):
    shots = snapshots_near(results["force"], SHOWN)
    drawing, axes = panels_for(len(shots))
    highest = stress_scale(shots)
    for panel, (time, shot) in zip(axes.flat, shots):
        faces, cells = shot.section(0, SIDE / 2)
        shapes = PolyCollection(100 * shot.points[faces][:, :, 1:], array=shot.arrays["von_mises_stress"][cells] / 1e9,
                                cmap="YlOrRd", edgecolors="#333333", linewidths=0.5)
        shapes.set_clim(0, highest)
        panel.add_collection(shapes)
        centre = 100 * shot.points.mean(axis=0)[1:]
        reach = numpy.array([-9, 9])
        panel.set_xlim(*(centre[0] + reach))
        panel.set_ylim(*(centre[1] + reach))
        panel.plot(centre[0] + reach, 200 * WALL - (centre[0] + reach), color="black", linewidth=2)
        panel.set_aspect("equal")
        panel.set_title(f"{time * 1e6:.3g} µs", fontsize=12)
        panel.set_xlabel("y (cm)")
        panel.set_ylabel("z (cm)")
    drawing.colorbar(shapes, ax=axes, label="von Mises stress (GPa)", shrink=0.8)
    drawing.suptitle("Oblique impact: the plane x = 5 cm of the cube and the wall (force-stepping)")
    return drawing, [rebound(results["force"])]


def rebound(run):
    start, end = run.column("linear_momentum_y")[0], run.column("linear_momentum_y")[-1]
    return Finding("the cube meets the wall and leaves it (y momentum reversed)",
                   f"from {number(start)} to {number(end)} kg m/s by {number(run.time[-1] * 1e6)} µs", bool(start > 0 > end))


def draw_bodies(results):
    shots = snapshots_near(results["force"], SHOWN)
    drawing, axes = panels_for(len(shots), subplot_kw={"projection": "3d"})
    highest = stress_scale(shots)
    for panel, (time, shot) in zip(axes.flat, shots):
        faces, cells = shot.surface()
        shapes = Poly3DCollection(100 * shot.points[faces], array=shot.arrays["von_mises_stress"][cells] / 1e9, cmap="YlOrRd",
                                  edgecolors="#333333", linewidths=0.4)
        shapes.set_clim(0, highest)
        panel.add_collection3d(shapes)
        centre = 100 * shot.points.mean(axis=0)
        for set_limits, middle in zip((panel.set_xlim, panel.set_ylim, panel.set_zlim), centre):
            set_limits(middle - 7, middle + 7)
        panel.plot([centre[0] - 7, centre[0] + 7], [100 * WALL] * 2, [100 * WALL] * 2, color="black", linewidth=2)
        panel.view_init(20, 35)
        panel.set_box_aspect((1, 1, 1), zoom=0.92)
        panel.set_title(f"{time * 1e6:.3g} µs", fontsize=12)
        panel.tick_params(labelsize=8)
        for label, axis in zip((panel.set_xlabel, panel.set_ylabel, panel.set_zlabel), "xyz"):
            label(f"{axis} (cm)", fontsize=9)
    drawing.colorbar(shapes, ax=axes, label="von Mises stress (GPa)", shrink=0.8, pad=0.06)
    drawing.suptitle("Oblique impact: force-stepping; black: the line (x, 10.1 cm, 10.1 cm) of the wall")
    return drawing, [rebound(results["force"])]


def draw_energies(results):
    drawing, axes = style.figure(3, 1, (11, 10), sharex=True)
    for key, name in NAMES.items():
        run = results[key]
        total = run.column("conserved_energy" if key == "force" else "total_energy")
        potential = total - run.column("kinetic_energy")
        for panel, values in zip(axes, (total, run.column("kinetic_energy"), potential)):
            panel.plot(run.time * 1e6, values / 1e6, label=name, linewidth=2.4 if key == "newmark" else 1.4,
                       **style.look(0 if key == "newmark" else 1))
    for panel, what in zip(axes, ("total", "kinetic", "potential")):
        panel.set_ylabel(f"{what} energy (MJ)")
        panel.margins(x=0.01)
    largest = max(numpy.max(results["newmark"].column("total_energy")), 1)
    axes[0].set_ylim(0, 1.15e-6 * largest)
    axes[2].set_xlabel("time (µs)")
    style.legend_beside(axes[0])
    drawing.suptitle("Oblique impact: energies")
    times = {key: deepest(run) for key, run in results.items()}
    drift = results["newmark"].summary()["relative_energy_drift"]
    return drawing, [
        kept("force-stepping: energy (kinetic + interpolated potential)", results["force"], "conserved_energy", 1e-11),
        Finding("Newmark: energy within tight bounds (relative error below 1e-3)", f"largest relative error {number(drift)}",
                drift < 1e-3),
        Finding("the two trajectories go together (least kinetic energy within 2 %, its time within 1 µs)",
                "; ".join(f"{NAMES[key]}: {number(energy / 1e6, 4)} MJ at {number(time * 1e6)} µs"
                          for key, (time, energy) in times.items()),
                bool(abs(times["force"][1] / times["newmark"][1] - 1) < 0.02 and
                     abs(times["force"][0] - times["newmark"][0]) < 1e-6))]


def draw_momenta(results):
    drawing, axes = style.figure(3, 2, (14, 10), sharex=True)
    for row, axis in zip(axes, "xyz"):
        for panel, what, unit in ((row[0], "linear_momentum", "kg m/s"), (row[1], "angular_momentum", "J s")):
            for key, name in NAMES.items():
                run = results[key]
                panel.plot(run.time * 1e6, run.column(f"{what}_{axis}"), label=name, linewidth=2.4 if key == "newmark" else 1.4,
                           **style.look(0 if key == "newmark" else 1))
            panel.set_ylabel(f"{what.split('_')[0]} {axis} ({unit})")
            panel.margins(x=0.01, y=0.1)
    for panel in axes[2]:
        panel.set_xlabel("time (µs)")
    style.legend_beside(axes[0, 1])
    drawing.suptitle("Oblique impact: linear (left) and angular momentum (right)")
    given = {key: normal_of_rebound(run) for key, run in results.items()}
    spin = {key: results[key].column("angular_momentum_y") for key in results}
    gap = numpy.max(numpy.abs(numpy.interp(results["newmark"].time, results["force"].time, spin["force"]) - spin["newmark"]))
    return drawing, [
        Finding("force-stepping follows Newmark closely (momentum that the wall gives, within 2 %)",
                "; ".join(f"{NAMES[key]}: {number(along, 4)} kg m/s" for key, (along, _) in given.items()),
                bool(abs(given["force"][0] / given["newmark"][0] - 1) < 0.02)),
        Finding("momentum is given in the direction normal to the wall (of it, below 1 % along the wall)",
                "; ".join(f"{NAMES[key]}: {number(100 * across / along, 2)} %" for key, (along, across) in given.items()),
                bool(max(across / along for along, across in given.values()) < 0.01)),
        Finding("angular momentum follows too (y component, largest difference below 5 % of its largest change)",
                f"{number(100 * gap / numpy.ptp(spin['newmark']), 2)} %", bool(gap < 0.05 * numpy.ptp(spin["newmark"])))]


def draw_scaling(results):
    study = results["study"]
    fit = next(fit for fit in study.description["fits"] if fit["name"] == "all_crossings")
    rows = [row for row in study.rows if row["variant"] == "all crossings" and row["status"] == "done"]
    meshes = {}
    for row in rows:
        meshes.setdefault(row["n_dofs"], []).append((float(row["spacing"]), number_or_none(row["time_step.average"])))
    drawing, axes = style.figure(1, 1, (10, 6))
    for i, (n_dofs, points) in enumerate(meshes.items()):
        spacing, steps = map(numpy.array, zip(*sorted(points)))
        curve = numpy.exp(fit["log_constant"]) * spacing ** fit["slopes"][0] * float(n_dofs) ** fit["slopes"][1]
        axes.loglog(spacing * 1e3, curve * 1e9, **style.look(i), linewidth=1.2)
        axes.loglog(spacing * 1e3, steps * 1e9, linestyle="none", marker=style.MARKERS[i], color=style.look(i)["color"],
                    markersize=8)
        axes.plot([], [], label=f"{n_dofs} dofs", marker=style.MARKERS[i], **style.look(i))
    axes.set_xlabel("grid size h (mm)")
    axes.set_ylabel("average time step (ns)")
    axes.set_title("Oblique impact: average step of force-stepping on three meshes, every crossing counted")
    style.legend_beside(axes, title="lines: fit")
    widths = [math.nan if width is None else width for width in fit["half_widths"]]
    texts = ["O(h) (exponent 1 to 0.15)", "O(N⁻²) (exponent -2 to 0.15)"]
    return drawing, [Finding(text, f"exponent {slope:.4g} ± {width:.2g} (95 %, from {len(rows)} runs)", abs(slope - expected) <= 0.15)
                     for text, slope, width, expected in zip(texts, fit["slopes"], widths, (1, -2))]


FIGURES = [
    Figure("GSO", "19", "the middle plane of the cube during the impact", draw_sections, {"force": FORCE}),
    Figure("GSO", "20", "the cube during the impact", draw_bodies, {"force": FORCE}),
    Figure("GSO", "21", "energies of the impact", draw_energies, BOTH),
    Figure("GSO", "22", "momenta of the impact", draw_momenta, BOTH),
    Figure("GSO", "23", "average step against grid size and mesh", draw_scaling, {"study": SCALING}),
]
