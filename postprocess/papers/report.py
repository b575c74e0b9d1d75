"""What came out of the figures: on the screen, in report.md, and as a gallery for the documentation."""

import os
from dataclasses import dataclass, field

from papers.registry import Figure
from plotting.data import InputError

VERDICTS = {True: "agrees", False: "DIFFERS", None: "not decided"}
WIDTH_IN_GALLERY = 1100  # pixels


@dataclass
class Outcome:
    """status: made, missing (a file it needs does not exist) or failed; `detail` says why."""

    figure: Figure
    status: str
    picture: str = ""
    findings: list = field(default_factory=list)
    detail: str = ""


def line_of(outcome):
    """Lines for the screen."""
    if outcome.status != "made":
        return [f"{outcome.status}: {outcome.detail}"]
    return [f"paper: {finding.reported}; here: {finding.measured} ({VERDICTS[finding.agrees]})" for finding in outcome.findings]


def table_of(outcome):
    if outcome.status != "made":
        return [f"{outcome.status}: {outcome.detail}"]
    cell = lambda text: text.replace("|", "\\|")
    return ["| the paper reports | here | |", "|---|---|---|",
            *(f"| {cell(finding.reported)} | {cell(finding.measured)} | {VERDICTS[finding.agrees]} |" for finding in outcome.findings)]


def files_of(outcome):
    paths = dict.fromkeys(source.path() for source in outcome.figure.sources.values())
    return "From " + ", ".join(f"`{path}`" for path in paths) + "."


def section_of(outcome, picture):
    lines = [f"## {outcome.figure.heading}", ""]
    if outcome.status == "made":
        lines += [f"![{outcome.figure.heading}]({picture})", ""]
    return lines + table_of(outcome) + ["", files_of(outcome), ""]


def write_report(outcomes, output, quick):
    path = os.path.join(output, "report.md")
    lines = ["# The figures of the papers", ""]
    if quick:
        lines += ["Made with `--quick`, from shortened runs: what differs here says nothing about the method.", ""]
    for outcome in outcomes:
        lines += section_of(outcome, os.path.basename(outcome.picture))
    with open(path, "w") as file:
        file.write("\n".join(lines))
    return path


def shrink(picture, small):
    """A narrower copy with a palette: a fifth of the bytes, no difference to the eye."""
    from PIL import Image

    image = Image.open(picture).convert("RGB")
    if image.width > WIDTH_IN_GALLERY:
        image = image.resize((WIDTH_IN_GALLERY, round(image.height * WIDTH_IN_GALLERY / image.width)), Image.LANCZOS)
    # Thin lines are few pixels: the usual choice of colours by number would make them grey.
    image.quantize(224, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(small, optimize=True)


def write_gallery(outcomes, folder, names):
    """`names`: of all figures there are, for those that were not asked for are not made either."""
    if any(outcome.picture and not outcome.picture.endswith(".png") for outcome in outcomes):
        raise InputError("--gallery is made from PNG pictures: leave out --format.")
    os.makedirs(os.path.join(folder, "gallery"), exist_ok=True)
    made = [outcome.figure.name for outcome in outcomes if outcome.status == "made"]
    others = ", ".join(name for name in names if name not in made)
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    count = lambda verdict: sum(finding.agrees is verdict for finding in findings)
    lines = ["# Gallery", "",
             "The figures and tables of the five papers, made from shipped parameter files by `postprocess/figures --gallery docs`, which",
             f"also wrote this page. {len(made)} of {len(names)} were made{' (not ' + others + ')' if others else ''}. Of {len(findings)} "
             "statements",
             f"{count(True)} agree with the papers, {count(False)} differ and {count(None)} are not decided by the numbers. The tags GSO, "
             "TO, S, R and", "G99 are those of README.md; what agreement means stands in brackets.", ""]
    for outcome in outcomes:
        small = os.path.join("gallery", f"{outcome.figure.name}.png")
        if outcome.status == "made":
            shrink(outcome.picture, os.path.join(folder, small))
        lines += section_of(outcome, small)
    path = os.path.join(folder, "gallery.md")
    with open(path, "w") as file:
        file.write("\n".join(lines))
    return path
