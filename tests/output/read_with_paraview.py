"""Prints as JSON what ParaView finds in a .pvd collection: for pvpython, started by a test."""

import json
import sys

from paraview import servermanager, simple

reader = simple.PVDReader(FileName=sys.argv[1])
reader.UpdatePipelineInformation()
snapshots = []
for time in reader.TimestepValues:
    reader.UpdatePipeline(time)
    grid = servermanager.Fetch(reader)
    velocity = grid.GetPointData().GetArray("velocity")
    stress = grid.GetCellData().GetArray("von_mises_stress")
    snapshots.append({
        "time": time,
        "time_value": grid.GetFieldData().GetArray("TimeValue").GetValue(0),
        "n_cells": grid.GetNumberOfCells(),
        "cell_types": sorted({grid.GetCellType(i) for i in range(grid.GetNumberOfCells())}),
        "last_cell": [grid.GetCell(grid.GetNumberOfCells() - 1).GetPointId(i) for i in range(4)],
        "points": [x for i in range(grid.GetNumberOfPoints()) for x in grid.GetPoint(i)],
        "velocity": [x for i in range(velocity.GetNumberOfTuples()) for x in velocity.GetTuple(i)],
        "stress": [stress.GetValue(i) for i in range(stress.GetNumberOfTuples())],
    })
print(json.dumps(snapshots))
