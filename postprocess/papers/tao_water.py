"""TO 4.3: clusters of water molecules."""

import os

import numpy
from matplotlib import ticker

from papers.marks import number
from papers.registry import Figure, Finding
from papers.sources import RunSource, StudySource
from papers.tao_pendula import run_of
from plotting import style
from plotting.data import number_or_none, read_numbers, read_texts

NAMES = {"SHAKE": "SHAKE", "stiff split": "stiff split", "Newmark with one iteration": "Newmark, one iteration"}
DISTANCES = StudySource("water_radial_distribution", "studies/water_radial_distribution.prm",
                        quick={"Settings/End time": "20", "Settings/Particles/Radial distribution/Begin": "5",
                               "Sweep seed/Values": "1, 2"})
KEPT = StudySource("water_figure_6", "studies/water_figure_6.prm", quick={"Settings/End time": "20", "Sweep step/Values": "0.05, 0.025"})
# A history has columns of up to 12 multipliers, three a molecule: a cluster of 4 stands for the paper's 7.
SHOWN_MULTIPLIERS = {"Particles/Water/Molecules": "4", "End time": "10", "Output/History interval": "0.05", "Output/Snapshot interval": "none",
                     "Constraints/Multiplier window": "0.2"}
MULTIPLIERS = {"SHAKE": RunSource("water_multipliers_shake", "water_7_shake.prm", SHOWN_MULTIPLIERS, {"End time": "2"}),
               "stiff split": RunSource("water_multipliers_split", "water_7_stiff_split.prm",
                                        {**SHOWN_MULTIPLIERS, "Constraints/Penalty": "500"}, {"End time": "2"})}
# The heat bath of water_langevin.prm, for a hundred molecules until 1000.
BATH = {"End time": "1000", "Output/History interval": "5", "Output/Snapshot interval": "none", "Checks/Maximum energy error": "none",
        "Particles/Radial distribution/Range": "16", "Particles/Radial distribution/Bins": "160",
        "Particles/Radial distribution/Begin": "100", "Particles/Water/Temperature": "10.0644", "Thermostat/Temperature": "10.0644",
        "Thermostat/Boltzmann constant": "0.0019872043", "Thermostat/Friction": "0.01", "Thermostat/Seed": "1"}
QUICK_BATH = {"End time": "5", "Output/History interval": "1", "Particles/Radial distribution/Begin": "1"}
LARGE = {"SHAKE": RunSource("water_100_shake", "water_100_shake.prm", BATH, QUICK_BATH),
         "stiff split": RunSource("water_100_split", "water_100_stiff_split.prm", BATH, QUICK_BATH)}


def overlap(distance, first, second):
    """The part that two densities have in common, from 0 to 1."""
    return float(numpy.sum(numpy.minimum(first, second)) * (distance[1] - distance[0]))


def draw_distances(results):
    study = results["study"]
    rows = read_texts(os.path.join(study.folder, "radial_distribution.csv"))
    drawing, axes = style.figure(1, 1, (11, 5.6))
    densities = {}
    for i, variant in enumerate(("SHAKE", "stiff split")):
        distance, density, error = numpy.array([[number_or_none(row[name]) or 0 for name in ("distance", "density", "density_standard_error")]
                                                for row in rows if row["variant"] == variant]).T
        densities[variant] = density
        axes.plot(distance, density, label=variant, linewidth=1.6, **style.look(i))
        axes.fill_between(distance, density - error, density + error, color=style.look(i)["color"], alpha=0.2, linewidth=0)
    axes.set_xlabel("distance of two oxygens (Å)")
    axes.set_ylabel("probability density (1/Å)")
    axes.set_title("Seven water molecules in a heat bath; bands: standard error over the seeds")
    style.legend_beside(axes)
    seconds = {variant: numpy.mean([number_or_none(row["wall_seconds"]) for row in study.rows if row["variant"] == variant])
               for variant in densities}
    common = overlap(distance, *densities.values())
    return drawing, [Finding("both methods give the same distribution (at least 90 % in common)", f"{100 * common:.3g} % in common",
                             bool(common > 0.9)),
                     Finding("the linearly implicit method is faster than SHAKE (paper: 1549 s and 13472 s)",
                             f"{number(seconds['stiff split'])} s and {number(seconds['SHAKE'])} s a run",
                             bool(seconds["stiff split"] < seconds["SHAKE"]))]


def draw_multipliers(results):
    drawing, axes = style.figure(3, 1, (12, 9), sharex=True)
    columns = [f"mean_multiplier_{i}" for i in (1, 2, 3)]
    share = []
    for panel, column in zip(axes, columns):
        for i, (name, run) in enumerate(results.items()):
            panel.plot(run.time, run.column(column), label=name if name == "SHAKE" else "stiff split, ω = 500", linewidth=1.4, **style.look(i))
        panel.set_ylabel(column.replace("_", " "), fontsize=11)
        panel.margins(x=0.01)
        rigid, stiff = (run.column(column)[run.time > 0.2] for run in results.values())
        n = min(len(rigid), len(stiff))
        share.append(float(numpy.sqrt(numpy.mean((rigid[:n] - stiff[:n]) ** 2) / numpy.mean(rigid[:n] ** 2))))
    axes[2].set_xlabel("time (48.9 fs)")
    style.legend_beside(axes[0])
    drawing.suptitle("Multipliers of the first of four water molecules, means over 0.2")
    return drawing, [Finding("the means over a window of 0.2 agree (root mean square difference below 20 % of the values)",
                             ", ".join(f"{100 * value:.2g} %" for value in share), bool(max(share) < 0.2))]


def length(run, what):
    return numpy.sqrt(sum((run.column(f"{what}_{axis}") - run.column(f"{what}_{axis}")[0]) ** 2 for axis in "xyz"))


def draw_kept(results):
    study = results["study"]
    coarsest = max(float(row["step"]) for row in study.rows)
    runs = {row["variant"]: run_of(study, row) for row in study.rows
            if float(row["step"]) == coarsest and row["status"] in ("done", "stopped")}
    drawing, axes = style.figure(3, 1, (12, 9), sharex=True)
    for i, (variant, run) in enumerate(runs.items()):
        for panel, values in zip(axes, (run.column("total_energy") - run.column("total_energy")[0], length(run, "linear_momentum"),
                                        length(run, "angular_momentum"))):
            panel.plot(run.time, values, label=NAMES[variant], linewidth=1.2, **style.look(i))
            panel.margins(x=0.01)
    for panel, label in zip(axes, ("change of energy\n(kcal/mol)", "change of\nlinear momentum", "change of\nangular momentum")):
        panel.set_ylabel(label)
    # A run that explodes leaves the picture, so that the others can be seen.
    whole = [run for run in runs.values() if run.time[-1] == max(other.time[-1] for other in runs.values())]
    largest = max(float(numpy.abs(run.column("total_energy") - run.column("total_energy")[0]).max()) for run in whole)
    axes[0].set_ylim(-1.3 * largest, 1.3 * largest)
    for panel in axes[1:]:
        panel.set_yscale("symlog", linthresh=1e-12)
        panel.yaxis.set_major_locator(ticker.SymmetricalLogLocator(base=1000, linthresh=1e-12))
        panel.set_ylim(bottom=0)
    axes[2].set_xlabel("time (48.9 fs)")
    style.legend_beside(axes[0])
    drawing.suptitle(f"Seven water molecules without a heat bath, h = {coarsest:g}")
    change = {variant: float(numpy.abs(run.column("total_energy") - run.column("total_energy")[0]).max()) for variant, run in runs.items()}
    spin = {variant: float(length(run, "angular_momentum").max()) for variant, run in runs.items()}
    text = lambda values: "; ".join(f"{NAMES[variant]} {number(value)}" for variant, value in values.items())
    return drawing, [Finding("energy: the stiff split keeps it better than Newmark with one iteration (largest change)", text(change),
                             bool(change["stiff split"] < change["Newmark with one iteration"])),
                     Finding("angular momentum: the stiff split keeps it better, too (largest change)", text(spin),
                             bool(spin["stiff split"] < spin["Newmark with one iteration"]))]


def draw_large(results):
    drawing, axes = style.figure(1, 1, (11, 5.6))
    densities, distance = {}, None
    for i, (name, run) in enumerate(results.items()):
        table = read_numbers(run.file("radial_distribution.csv"), "distance")
        distance, densities[name] = table["distance"], table["density"]
        axes.plot(distance, densities[name], label=name, linewidth=1.6, **style.look(i))
    axes.set_xlabel("distance of two oxygens (Å)")
    axes.set_ylabel("probability density (1/Å)")
    axes.set_title("A hundred water molecules in a heat bath")
    style.legend_beside(axes)
    seconds = {name: run.summary()["wall_seconds"] for name, run in results.items()}
    common = overlap(distance, *densities.values())
    return drawing, [Finding("both methods give the same distribution (at least 90 % in common)", f"{100 * common:.3g} % in common",
                             bool(common > 0.9)),
                     Finding("the linearly implicit method is faster (paper: 30059 s and 42234 s)",
                             f"{number(seconds['stiff split'])} s and {number(seconds['SHAKE'])} s",
                             bool(seconds["stiff split"] < seconds["SHAKE"]))]


FIGURES = [Figure("TO", "4", "distances of oxygens in a cluster of 7 molecules", draw_distances, {"study": DISTANCES}),
           Figure("TO", "5", "multipliers of the first molecule", draw_multipliers, MULTIPLIERS),
           Figure("TO", "6", "energy and momenta of the cluster", draw_kept, {"study": KEPT}),
           Figure("TO", "7", "distances of oxygens in a cluster of 100 molecules", draw_large, LARGE)]
