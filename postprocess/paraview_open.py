"""Opens a run in ParaView with a sensible view: deformed mesh coloured by von Mises stress, walls, colour bar, time.

    postprocess/paraview RUN_FOLDER          starts ParaView with the run open
    Macros > Add new macro..., this file     one click for the run that the selected snapshots.pvd belongs to
"""

import importlib.util
import os
import sys

from paraview import simple


def load_render():
    """The drawing of postprocess/render.py, which lies beside this file; ParaView copies macros elsewhere."""
    folder = os.environ.get("FREEFALL_POSTPROCESS") or os.path.dirname(os.path.realpath(__file__))
    path = os.path.join(folder, "render.py")
    if not os.path.isfile(path):
        raise RuntimeError("Set the environment variable FREEFALL_POSTPROCESS to the folder postprocess/ of Freefall.")
    specification = importlib.util.spec_from_file_location("freefall_render", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def selected_run():
    """The folder of the source that is selected in ParaView, or the one that postprocess/paraview names."""
    folder = os.environ.get("FREEFALL_RUN")
    if folder:
        return folder
    source = simple.GetActiveSource()
    name = getattr(source, "FileName", None)
    if not name:
        raise RuntimeError("Open the snapshots.pvd of a run and select it, then use this macro.")
    return os.path.dirname(str(name[0] if isinstance(name, list) else name))


def open_run(folder):
    render = load_render()
    reader = simple.PVDReader(FileName=os.path.join(os.path.abspath(folder), "snapshots.pvd"))
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    view = simple.GetActiveViewOrCreate("RenderView")
    render.style_view(view)
    motion = None
    for time in render.evenly_chosen(times, render.SAMPLES_OF_THE_MOTION):
        bounds = render.bounds_at(reader, time)
        motion = render.joined(motion or bounds, bounds)
    shown = render.evenly_chosen(times, render.SAMPLES_OF_THE_MOTION)
    field = "von_mises_stress" if render.find_field(reader, "von_mises_stress") else "velocity"
    display = render.draw_field(simple, view, reader, field, shown)
    render.style_mesh(display, reader.GetDataInformation().GetNumberOfCells(), render.has_faces(reader))
    walls = render.walls_of(folder)
    render.draw_walls(simple, view, walls, motion)
    render.aim_camera(view, motion, walls)
    annotation = simple.AnnotateTimeFilter(Input=reader)
    scale, prefix = render.scale_of(times[-1]) if times[-1] < 1 else (1.0, "")
    annotation.Scale = 1 / scale
    # From version 5.11 on formats are those of fmt, before those of printf.
    annotation.Format = f"t = {{time:.4g}} {prefix}s" if simple.GetParaViewVersion() >= (5, 11) else f"t = %.4g {prefix}s"
    text = simple.Show(annotation, view)
    text.Color = render.INK
    text.FontSize = 20
    animation = simple.GetAnimationScene()
    animation.UpdateAnimationUsingDataTimeSteps()
    animation.GoToFirst()
    simple.SetActiveSource(reader)
    simple.Render(view)
    return view


if __name__ in ("__main__", "__vtkconsole__", "paraview_open"):
    open_run(selected_run())
