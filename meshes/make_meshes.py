#!/usr/bin/env python3
"""Writes the meshes of this folder; needs nothing but Python.

plate_with_hole: a plate 0.2 x 0.1 x 0.01 m, centred at the origin, with a hole of radius 0.02 m; boundaries 1 left, 2 right,
  3 hole, 4 rest; linear hexahedra (.msh 2.2) and quadratic hexahedra whose nodes lie on the hole (.msh 4.1).
two_materials: a bar 1 x 0.1 x 0.1 m of linear tetrahedra, steel (1) for x < 0.5 m and rubber (2) beyond; boundaries 1 left,
  2 right; the same in Gmsh 4.1, Abaqus .inp and VTK .vtu (which has no names).
two_metals: a bar 1 x 0.04 x 0.04 m of 100 linear hexahedra (.msh 2.2), steel (1) for x < 0.5 m and aluminium (2) beyond;
  boundaries 1 left, 2 right.
"""
import itertools
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))

# Corners of which each node of an element is the middle, in the order of VTK, and of Gmsh where it differs.
HEX8 = [(i,) for i in range(8)]
HEX27_GMSH = HEX8 + [(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7),
                     (0, 1, 2, 3), (0, 1, 5, 4), (0, 3, 7, 4), (1, 2, 6, 5), (2, 3, 7, 6), (4, 5, 6, 7), tuple(range(8))]
QUAD9 = [(i,) for i in range(4)] + [(0, 1), (1, 2), (2, 3), (3, 0), (0, 1, 2, 3)]
FACES = [(0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (2, 3, 7, 6), (0, 3, 2, 1), (4, 5, 6, 7)]


class Mesh:
    """Nodes by key; cells and faces as (nodes, id)."""

    def __init__(self):
        self.numbers, self.points, self.cells, self.faces = {}, [], [], []

    def node(self, key, point):
        if key not in self.numbers:
            self.numbers[key] = len(self.points)
            self.points.append(point)
        return self.numbers[key]


def plate(quadratic):
    """Around the hole: n_around cells, n_out from the hole to the edge of the plate, one through the thickness."""
    n_around, n_out, radius = 16, 3, 0.02
    mesh = Mesh()

    def position(k, j, z):  # in units of cells; halves are middles
        angle = 2 * math.pi * k / n_around
        c, s = math.cos(angle), math.sin(angle)
        reach = min(0.1 / abs(c) if abs(c) > 1e-12 else math.inf, 0.05 / abs(s) if abs(s) > 1e-12 else math.inf)
        r = radius + (reach - radius) * (j / n_out) ** 1.5
        return (r * c, r * s, 0.01 * (z - 0.5))

    corner_angle = math.atan2(0.05, 0.1)
    stops = [0, corner_angle, math.pi / 2, math.pi - corner_angle, math.pi]

    def warped(k):  # the corners of the plate are nodes
        half, rest = divmod(k, n_around / 2)
        part = rest / (n_around / 8)
        i = min(int(part), 3)
        angle = stops[i] + (part - i) * (stops[i + 1] - stops[i]) + half * math.pi
        return angle * n_around / (2 * math.pi)

    steps = [(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 0, 1)]
    for k, j in itertools.product(range(n_around), range(n_out)):
        corners = [(k + a, j + b, c) for a, b, c in steps]

        def node(of):
            middle = tuple(sum(corners[i][d] for i in of) / len(of) for d in range(3))
            key = (middle[0] % n_around, middle[1], middle[2])
            return mesh.node(key, position(warped(middle[0]), middle[1], middle[2]))

        mesh.cells.append(([node(of) for of in (HEX27_GMSH if quadratic else HEX8)], 1))
        for face in FACES:
            points = [position(warped(corners[i][0]), corners[i][1], corners[i][2]) for i in face]
            if all(corners[i][1] == 0 for i in face):
                tag = 3
            elif all(abs(p[0] + 0.1) < 1e-9 for p in points):
                tag = 1
            elif all(abs(p[0] - 0.1) < 1e-9 for p in points):
                tag = 2
            elif all(corners[i][1] == n_out for i in face) or len({corners[i][2] for i in face}) == 1:
                tag = 4
            else:
                continue
            nodes = [node(tuple(face[i] for i in of)) for of in (QUAD9 if quadratic else QUAD9[:4])]
            mesh.faces.append((nodes, tag))
    return mesh


def bar():
    """20 x 2 x 2 cubes of 0.05 m, each cut into six tetrahedra along its diagonal."""
    mesh, n = Mesh(), (20, 2, 2)
    for cell in itertools.product(*map(range, n)):
        for order in itertools.permutations(range(3)):
            corner, keys = list(cell), [tuple(cell)]
            for axis in order:
                corner[axis] += 1
                keys.append(tuple(corner))
            if order not in [(0, 1, 2), (1, 2, 0), (2, 0, 1)]:
                keys[2], keys[3] = keys[3], keys[2]
            nodes = [mesh.node(key, tuple(0.05 * i for i in key)) for key in keys]
            mesh.cells.append((nodes, 1 if cell[0] < n[0] // 2 else 2))
            for value, tag in ((0, 1), (n[0], 2)):
                face = [node for key, node in zip(keys, nodes) if key[0] == value]
                if len(face) == 3:
                    mesh.faces.append((face, tag))
    return mesh


def slices():
    """100 slices of 0.01 m, each one hexahedron."""
    mesh, n = Mesh(), 100
    steps = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    for i in range(n):
        keys = [(i + a, b, c) for a, b, c in steps]
        nodes = [mesh.node(key, (key[0] / n, 0.04 * key[1], 0.04 * key[2])) for key in keys]
        mesh.cells.append((nodes, 1 if i < n // 2 else 2))
        if i == 0:
            mesh.faces.append(([nodes[k] for k in FACES[0]], 1))
        if i == n - 1:
            mesh.faces.append(([nodes[k] for k in FACES[1]], 2))
    return mesh


def line(values):
    return " ".join(map(str, values)) + "\n"


def number(x):
    return repr(round(x, 15) + 0.0)


def names(boundaries, materials):
    text = f"$PhysicalNames\n{len(boundaries) + len(materials)}\n"
    text += "".join(f'2 {i} "{name}"\n' for i, name in boundaries.items())
    return text + "".join(f'3 {i} "{name}"\n' for i, name in materials.items()) + "$EndPhysicalNames\n"


def write(name, text):
    with open(os.path.join(HERE, name), "w") as file:
        file.write(text)


def msh2(name, mesh, face_type, cell_type, boundaries, materials):
    text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + names(boundaries, materials)
    text += f"$Nodes\n{len(mesh.points)}\n"
    text += "".join(line([i + 1, *map(number, p)]) for i, p in enumerate(mesh.points)) + "$EndNodes\n"
    elements = [(face_type, *e) for e in mesh.faces] + [(cell_type, *e) for e in mesh.cells]
    text += f"$Elements\n{len(elements)}\n"
    text += "".join(line([i + 1, kind, 2, tag, tag, *(n + 1 for n in nodes)]) for i, (kind, nodes, tag) in enumerate(elements))
    write(name, text + "$EndElements\n")


def msh4(name, mesh, face_type, cell_type, boundaries, materials):
    text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" + names(boundaries, materials)
    lower = [min(p[d] for p in mesh.points) for d in range(3)]
    upper = [max(p[d] for p in mesh.points) for d in range(3)]
    # Entity 10 + i has the physical group i: readers must not take one for the other.
    box = [*map(number, lower), *map(number, upper)]
    text += f"$Entities\n0 0 {len(boundaries)} {len(materials)}\n"
    text += "".join(line([10 + i, *box, 1, i, 0]) for i in (*boundaries, *materials)) + "$EndEntities\n"
    n = len(mesh.points)
    text += f"$Nodes\n1 {n} 1 {n}\n3 11 0 {n}\n" + "".join(f"{i + 1}\n" for i in range(n))
    text += "".join(line(map(number, p)) for p in mesh.points) + "$EndNodes\n"
    blocks, n_elements = "", 0
    for dimension, kind, ids, elements in ((2, face_type, boundaries, mesh.faces), (3, cell_type, materials, mesh.cells)):
        for tag in ids:
            chosen = [nodes for nodes, t in elements if t == tag]
            blocks += f"{dimension} {10 + tag} {kind} {len(chosen)}\n"
            for nodes in chosen:
                n_elements += 1
                blocks += line([n_elements, *(node + 1 for node in nodes)])
    text += f"$Elements\n{len(boundaries) + len(materials)} {n_elements} 1 {n_elements}\n"
    write(name, text + blocks + "$EndElements\n")


def inp(name, mesh, boundaries, materials):
    """Boundaries as surfaces of element faces."""
    text = "*HEADING\nA bar of two materials\n*NODE\n"
    text += "".join(", ".join([str(i + 1), *map(number, p)]) + "\n" for i, p in enumerate(mesh.points))
    for tag, material in materials.items():
        text += f"*ELEMENT, TYPE=C3D4, ELSET=set_{material}\n"
        for i, (nodes, t) in enumerate(mesh.cells):
            if t == tag:
                text += ", ".join(str(v) for v in [i + 1, *(n + 1 for n in nodes)]) + "\n"
    for tag, boundary in boundaries.items():
        text += f"*SURFACE, TYPE=ELEMENT, NAME={boundary}\n"
        for face in (set(nodes) for nodes, t in mesh.faces if t == tag):
            for i, (nodes, _) in enumerate(mesh.cells):
                for label, of in enumerate([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]):
                    if {nodes[a] for a in of} == face:
                        text += f"{i + 1}, S{label + 1}\n"
    for material in materials.values():
        text += f"*SOLID SECTION, ELSET=set_{material}, MATERIAL={material}\n"
    write(name, text)


def vtu(name, mesh):
    elements = [(5, *e) for e in mesh.faces] + [(10, *e) for e in mesh.cells]
    ends = itertools.accumulate(len(nodes) for _, nodes, _ in elements)

    def array(kind, title, values, components=1):
        return (f'<DataArray type="{kind}" Name="{title}" NumberOfComponents="{components}" format="ascii">\n'
                + line(values) + "</DataArray>\n")

    write(name, '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">\n'
          f'<UnstructuredGrid>\n<Piece NumberOfPoints="{len(mesh.points)}" NumberOfCells="{len(elements)}">\n'
          "<Points>\n" + array("Float64", "Points", (number(x) for p in mesh.points for x in p), 3) + "</Points>\n<Cells>\n"
          + array("Int32", "connectivity", (n for _, nodes, _ in elements for n in nodes))
          + array("Int32", "offsets", ends) + array("UInt8", "types", (kind for kind, _, _ in elements)) + "</Cells>\n<CellData>\n"
          + array("Int32", "MaterialID", (tag for _, _, tag in elements))
          + "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")


def main():
    sides = {1: "left", 2: "right", 3: "hole", 4: "rest"}
    msh2("plate_with_hole.msh", plate(False), 3, 5, sides, {1: "plate"})
    msh4("plate_with_hole_quadratic.msh", plate(True), 10, 12, sides, {1: "plate"})
    ends, materials = {1: "left", 2: "right"}, {1: "steel", 2: "rubber"}
    msh4("two_materials.msh", bar(), 2, 4, ends, materials)
    inp("two_materials.inp", bar(), ends, materials)
    vtu("two_materials.vtu", bar())
    msh2("two_metals.msh", slices(), 3, 5, ends, {1: "steel", 2: "aluminium"})


if __name__ == "__main__":
    main()
