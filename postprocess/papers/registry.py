"""What a figure is, and the list of all of them."""

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """What a paper reports beside what came out. `agrees` follows from a comparison of numbers that the reported text states;
    None where numbers do not decide it."""

    reported: str
    measured: str
    agrees: bool = None

    def __post_init__(self):
        # Comparisons of numpy's numbers are no bool.
        if self.agrees is not None:
            object.__setattr__(self, "agrees", bool(self.agrees))


@dataclass(frozen=True)
class Figure:
    """draw(results) takes the results by the names of `sources` and returns a drawing and a list of findings.

    `paper` is the paper's tag, `number` that of the figure there (T1: table 1). A figure that another one's drawing shows has
    the same function.
    """

    paper: str
    number: str
    title: str
    draw: callable
    sources: dict = field(default_factory=dict)

    @property
    def name(self):
        return f"{self.paper}-{self.number}"

    @property
    def heading(self):
        kind, number = ("Table", self.number[1:]) if self.number.startswith("T") else ("Figure", self.number)
        return f"{self.paper} {kind} {number}: {self.title}"


def all_figures():
    """In the order of the papers."""
    from papers import gonzalez, gso_argon, gso_convergence, gso_cube, gso_kepler, reich, seiler, tao_bodies, tao_pendula, tao_water

    modules = [gso_kepler, gso_convergence, gso_argon, gso_cube, seiler, reich, gonzalez, tao_pendula, tao_water, tao_bodies]
    figures = [figure for module in modules for figure in module.FIGURES]
    order = ["GSO", "TO", "S", "R", "G99"]
    return sorted(figures, key=lambda figure: (order.index(figure.paper), figure.number.startswith("T"),
                                               int(re.sub(r"\D", "", figure.number))))
