"""TO 4.3: clusters of water."""

from papers.registry import Figure
from papers.sources import StudySource

CLUSTER = {"study": StudySource("water_cluster", "studies/water_cluster.prm")}
LARGE = {"study": StudySource("water_100", "studies/water_100.prm")}

FIGURES = [Figure("TO", "4", "distances of oxygens in a cluster of 7 molecules", None, CLUSTER),
           Figure("TO", "5", "multipliers of the first molecule", None, CLUSTER),
           Figure("TO", "6", "energy and momenta of the cluster", None, CLUSTER),
           Figure("TO", "7", "distances of oxygens in a cluster of 100 molecules", None, LARGE)]
