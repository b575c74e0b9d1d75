"""Reads the snapshots of a solid without ParaView."""

import os
import re
import xml.etree.ElementTree as ElementTree

import numpy

from plotting.data import InputError

TYPES = {"Float64": "f8", "Float32": "f4", "Int64": "i8", "Int32": "i4", "UInt8": "u1"}
TETRAHEDRON = 10
FACES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))


def times_of(folder):
    """Time and file of every snapshot of a run."""
    path = os.path.join(folder, "snapshots.pvd")
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise InputError(f"Cannot read '{path}': {error}.")
    return [(float(entry.get("timestep")), os.path.join(folder, entry.get("file"))) for entry in root.iter("DataSet")]


class Snapshot:
    """Points, cells (of linear tetrahedra) and fields of a .vtu file with a raw appended block."""

    def __init__(self, path):
        with open(path, "rb") as file:
            contents = file.read()
        start = contents.index(b"_", contents.index(b"<AppendedData")) + 1
        header = contents[:contents.index(b"<AppendedData")].decode()
        self.arrays = {}
        for element in re.findall(r"<DataArray [^>]*/>", header):
            attribute = dict(re.findall(r'(\w+)="([^"]*)"', element))
            at = start + int(attribute["offset"])
            n_bytes = int(numpy.frombuffer(contents, "u8", 1, at)[0])
            values = numpy.frombuffer(contents[at + 8:at + 8 + n_bytes], TYPES[attribute["type"]])
            n = int(attribute.get("NumberOfComponents", 1))
            self.arrays[attribute["Name"]] = values.reshape(-1, n) if n > 1 else values
        if numpy.any(self.arrays["types"] != TETRAHEDRON):
            raise InputError(f"'{path}' has other cells than linear tetrahedra.")
        self.cells = self.arrays["connectivity"].reshape(-1, 4)
        self.points = next(values for name, values in self.arrays.items() if name.lower() == "points")

    def reference(self):
        """The undeformed places of the points."""
        return self.points - self.arrays["displacement"]

    def faces(self):
        """The three points of each face and the cell it belongs to, four a cell."""
        faces = numpy.concatenate([self.cells[:, face] for face in FACES])
        return faces, numpy.tile(numpy.arange(len(self.cells)), 4)

    def surface(self):
        """Faces that only one cell has, and that cell."""
        faces, cells = self.faces()
        _, first, count = numpy.unique(numpy.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
        return faces[first[count == 1]], cells[first[count == 1]]

    def section(self, axis, position):
        """Faces that lay in a plane of the undeformed body, with both of their cells' numbers averaged by the caller."""
        faces, cells = self.faces()
        reference = self.reference()[:, axis]
        size = numpy.ptp(reference)
        chosen = numpy.all(numpy.abs(reference[faces] - position) < 1e-6 * size, axis=1)
        return faces[chosen], cells[chosen]
