"""Numbers of several runs side by side, or a study's table, as text, Markdown or CSV."""

import os

from plotting.data import InputError, Run, flatten, number_or_none, read_texts

DEFAULT = ["n_dofs", "n_steps", "time_step.average", "n_force_evaluations", "relative_energy_drift", "wall_seconds"]


def add_arguments(parser):
    parser.add_argument("folders", nargs="+", help="the folders of runs, or of one study")
    parser.add_argument("--columns", help="numbers of summary.json (time_step.average), or columns of study.csv, separated by "
                        "commas; all: every one (default: a choice)")
    parser.add_argument("--style", default="text", choices=["text", "markdown", "csv"], help="(default: %(default)s)")


def of_runs(folders):
    rows = []
    for folder in folders:
        run = Run(folder)
        summary = run.summary()
        if not summary:
            raise InputError(f"'{folder}' has no summary.json: the run is not finished.")
        rows.append({"run": run.name, "integrator": summary.get("integrator", ""), "status": summary.get("status", ""),
                     **{key: repr(value) for key, value in flatten(summary).items()}})
    return rows, ["run", "integrator", "status"]


def of_study(folder):
    rows = read_texts(os.path.join(folder, "study.csv"))
    if not rows:
        raise InputError(f"'{os.path.join(folder, 'study.csv')}' has no rows.")
    names = list(rows[0])
    return rows, names[1:names.index("status") + 1]


def short(text):
    value = number_or_none(text)
    return text if value is None or len(text) <= 8 else f"{value:.4g}"


def chosen(arguments, rows, first):
    present = list(dict.fromkeys(name for row in rows for name in row))
    if arguments.columns == "all":
        return [name for name in present if name != "message"]
    if not arguments.columns:
        return [name for name in first + DEFAULT if name in present]
    names = [name.strip() for name in arguments.columns.split(",")]
    for name in names:
        if name not in present:
            raise InputError(f"--columns: there is no '{name}'. There are: {', '.join(present)}.")
    return first + [name for name in names if name not in first]


def main(arguments):
    is_study = os.path.isfile(os.path.join(arguments.folders[0], "study.csv"))
    if is_study and len(arguments.folders) > 1:
        raise InputError("give one study, or runs.")
    rows, first = of_study(arguments.folders[0]) if is_study else of_runs(arguments.folders)
    names = chosen(arguments, rows, first)
    if arguments.style == "csv":
        for row in [dict(zip(names, names))] + rows:
            print(",".join(f'"{row.get(name, "")}"' if "," in row.get(name, "") else row.get(name, "") for name in names))
        return
    cells = [names] + [[short(row.get(name) or "") for name in names] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    numeric = [all(number_or_none(line[i]) is not None or not line[i] for line in cells[1:]) for i in range(len(names))]
    for k, line in enumerate(cells):
        padded = [text.rjust(width) if right else text.ljust(width) for text, width, right in zip(line, widths, numeric)]
        if arguments.style == "markdown":
            print("| " + " | ".join(padded) + " |")
            if k == 0:
                print("|" + "|".join("-" * (width + 1) + (":" if right else "-") for width, right in zip(widths, numeric)) + "|")
        else:
            print("  ".join(padded).rstrip())
