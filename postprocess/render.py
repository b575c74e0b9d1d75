"""Draws the snapshots of a run: the mesh coloured by a field, the walls, a colour bar and the time.

For ParaView's pvpython; `postprocess/render` starts it without a screen:

    postprocess/render RUN_FOLDER [--time T | --frames N] [--field NAME] [--output FILE.png | --film FILE.mp4]

Without --time it draws the instant of the largest contact energy in history.csv (where no row has any, of the largest potential
energy), or else the last snapshot. A film shows all snapshots, or --frames of them, in about eight seconds; it needs ffmpeg.
"""

import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 1400, 900
# Value, red, green, blue. Pale where nothing happens, hot where much does; darker all the way, so it reads in grey as well,
# and never so dark that the edges of the mesh are lost.
COLOURS = [0.00, 0.88, 0.91, 0.95,
           0.25, 0.99, 0.87, 0.55,
           0.50, 0.98, 0.62, 0.28,
           0.75, 0.86, 0.28, 0.20,
           1.00, 0.60, 0.02, 0.14]
INK = [0.1, 0.1, 0.1]
LARGEST_MESH_WITH_EDGES = 200_000  # cells; with more of them the edges would hide the colours
SAMPLES_OF_THE_MOTION = 41  # snapshots that are read for the bounds of the motion

UNITS = {"stress": "Pa", "pressure": "Pa", "velocity": "m/s", "displacement": "m", "force": "N", "energy": "J",
         "energy_density": "J/m³"}
TITLES = {"von_mises_stress": "von Mises stress"}
PREFIXES = {-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}


class InputError(Exception):
    """Something that the user gave is wrong; the text says what to do."""


def parse_arguments():
    parser = argparse.ArgumentParser(prog="render", description="Draw the snapshots of a run.")
    parser.add_argument("run_folder", help="the folder of the run, with snapshots.pvd")
    instants = parser.add_mutually_exclusive_group()
    instants.add_argument("--time", type=float, help="draw the snapshot nearest to this time in s (default: the instant of "
                          "the largest contact energy, or else the last)")
    instants.add_argument("--frames", type=int, help="draw this many snapshots, evenly over the run, as FILE_0000.png ...")
    parser.add_argument("--field", default="von_mises_stress", help="colour by this field (default: %(default)s)")
    results = parser.add_mutually_exclusive_group()
    results.add_argument("--output", help="the picture (default: RUN_FOLDER/picture.png)")
    results.add_argument("--film", metavar="FILE.mp4", help="a film of all snapshots, or of --frames of them")
    return parser.parse_args()


def scale_of(largest):
    """The power of ten and the SI prefix in which `largest` has one to three digits before the point."""
    if not (largest > 0 and math.isfinite(largest)):
        return 1.0, ""
    exponent = 3 * math.floor(math.log10(largest * 1.0001) / 3)
    exponent = min(max(exponent, min(PREFIXES)), max(PREFIXES))
    return 10.0**exponent, PREFIXES[exponent]


def unit_of(field):
    matches = [word for word in UNITS if field.endswith(word)]
    return UNITS[max(matches, key=len)] if matches else ""


def time_label(time):
    scale, prefix = scale_of(abs(time)) if abs(time) < 1 else (1.0, "")
    return f"t = {time / scale:.4g} {prefix}s"


def time_of_impact(folder):
    """When the contact energy is largest; where no row caught a contact (stiff walls are touched for nanoseconds), when the
    potential energy is. None when the history has no contact energy: nothing could touch."""
    try:
        with open(os.path.join(folder, "history.csv"), newline="") as file:
            rows = [(float(row["contact_energy"]), float(row["potential_energy"]), float(row["time"]))
                    for row in csv.DictReader(file) if row.get("contact_energy")]
    except (OSError, KeyError, TypeError, ValueError):
        return None
    return max(rows, default=(0, 0, None))[2]


def obstacles_of(folder):
    """Plane walls and round obstacles."""
    try:
        with open(os.path.join(folder, "summary.json")) as file:
            summary = json.load(file)
            return summary.get("walls", []), summary.get("rounds", [])
    except (OSError, ValueError):
        return [], []


def nearest(times, time):
    return min(times, key=lambda candidate: abs(candidate - time))


def evenly_chosen(times, n):
    if n >= len(times):
        return list(times)
    return [times[round(i * (len(times) - 1) / max(n - 1, 1))] for i in range(n)]


def chosen_times(arguments, times):
    if arguments.film and arguments.time is not None:
        raise InputError("--time is for a picture, not for a film.")
    if arguments.film and arguments.frames is None:
        return list(times)
    if arguments.frames is not None:
        if arguments.frames < 1:
            raise InputError(f"--frames {arguments.frames}: at least one frame is needed.")
        return evenly_chosen(times, arguments.frames)
    time = arguments.time
    if time is not None:
        slack = 1e-9 * (times[-1] - times[0])
        if not times[0] - slack <= time <= times[-1] + slack:
            raise InputError(f"--time {time:g}: the snapshots are from {times[0]:g} s to {times[-1]:g} s.")
    else:
        time = time_of_impact(arguments.run_folder)
    return [times[-1] if time is None else nearest(times, time)]


def joined(first, second):
    """The bounds around two bounds (xmin, xmax, ymin, ...)."""
    return [(min if i % 2 == 0 else max)(a, b) for i, (a, b) in enumerate(zip(first, second))]


def bounds_at(reader, time):
    reader.UpdatePipeline(time)
    return list(reader.GetDataInformation().GetBounds())


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit_vector(a):
    length = math.sqrt(dot(a, a))
    return [x / length for x in a]


def corners_of(bounds):
    return [[bounds[i], bounds[2 + j], bounds[4 + k]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]


def wall_rectangle(wall, bounds):
    """Origin and the two other corners of a rectangle in the wall that the motion's bounds cast, with a margin."""
    normal = unit_vector(wall["normal"])
    axis = min(range(3), key=lambda i: abs(normal[i]))
    first = unit_vector(cross(normal, [float(i == axis) for i in range(3)]))
    second = cross(normal, first)
    corners = corners_of(bounds)
    ranges = [(min(values), max(values)) for values in ([dot(c, t) for c in corners] for t in (first, second))]
    margin = 0.2 * max(high - low for low, high in ranges)
    (low1, high1), (low2, high2) = [(low - margin, high + margin) for low, high in ranges]
    height = dot(wall["point"], normal)
    point = lambda a, b: [height * n + a * t + b * s for n, t, s in zip(normal, first, second)]
    return point(low1, low2), point(high1, low2), point(low1, high2)


def draw_walls(simple, view, walls, bounds):
    for wall in walls:
        origin, corner1, corner2 = wall_rectangle(wall, bounds)
        plane = simple.Plane(Origin=origin, Point1=corner1, Point2=corner2)
        display = simple.Show(plane, view)
        display.ColorArrayName = [None, ""]
        display.AmbientColor = display.DiffuseColor = [0.55, 0.62, 0.72]
        display.Opacity = 0.35
        display.Specular = 0.0
        frame = simple.Show(simple.FeatureEdges(Input=plane), view)
        frame.ColorArrayName = [None, ""]
        frame.AmbientColor = frame.DiffuseColor = [0.35, 0.4, 0.48]
        frame.LineWidth = 1.5


def round_surface(simple, obstacle, bounds):
    """A sphere, or the part of a cylinder along which the motion's bounds lie."""
    centre, axis, radius = obstacle["centre"], obstacle["axis"], obstacle["radius"]
    if not any(axis):
        return simple.Sphere(Center=centre, Radius=radius, ThetaResolution=96, PhiResolution=48)
    along = [dot(corner, axis) - dot(centre, axis) for corner in corners_of(bounds)]
    margin = 0.2 * (max(along) - min(along))
    ends = [[c + (a + s) * x for c, x in zip(centre, axis)] for a, s in ((min(along), -margin), (max(along), margin))]
    line = simple.Line(Point1=ends[0], Point2=ends[1])
    return simple.Tube(Input=line, Radius=radius, NumberofSides=96, Capping=0)


def draw_rounds(simple, view, rounds, bounds):
    for obstacle in rounds:
        display = simple.Show(round_surface(simple, obstacle, bounds), view)
        display.ColorArrayName = [None, ""]
        display.AmbientColor = display.DiffuseColor = [0.55, 0.62, 0.72]
        display.Opacity = 0.25
        display.Specular = 0.0


def bounds_with_rounds(bounds, rounds):
    """The bounds with those round obstacles that are not much larger than the motion (a huge ball is a floor)."""
    size = max(bounds[2 * i + 1] - bounds[2 * i] for i in range(3))
    for obstacle in rounds:
        centre, axis, radius = obstacle["centre"], obstacle["axis"], obstacle["radius"]
        if radius > 3 * size:
            continue
        around = []
        for i in range(3):
            # A cylinder reaches as far as the motion along its axis.
            reach = radius * math.sqrt(max(0.0, 1 - axis[i] ** 2)) if any(axis) else radius
            if abs(axis[i]) > 0.5:
                around += [bounds[2 * i], bounds[2 * i + 1]]
            else:
                around += [centre[i] - reach, centre[i] + reach]
        bounds = joined(bounds, around)
    return bounds


def find_field(reader, name):
    """(association, number of components), or None when no snapshot array has that name."""
    for association, arrays in (("CELLS", reader.CellData), ("POINTS", reader.PointData)):
        if name in arrays.keys():
            return association, arrays[name].GetNumberOfComponents()
    return None


def magnitude_range(reader, times, name, association, n_components):
    """Smallest and largest value over the times; of the length for a vector."""
    low, high = math.inf, -math.inf
    for time in times:
        reader.UpdatePipeline(time)
        array = (reader.CellData if association == "CELLS" else reader.PointData)[name]
        first, last = array.GetRange(-1 if n_components > 1 else 0)
        low, high = min(low, first), max(high, last)
    return low, high


def round_ticks(low, high):
    """Round numbers from at or below `low` to at or above `high`, eight at most; from 0 where the values begin near it."""
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        low, high = min(low, 0.0), max(high, 0.0) or float(low == 0)
    if 0 <= low < high / 2:
        low = 0.0
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6)
    return [i * step for i in range(first, last + 1)]


def draw_field(simple, view, reader, name, times):
    """Shows the mesh coloured by the field in a readable unit, with its bar; plain where there is no such field."""
    found = find_field(reader, name)
    if found is None:
        available = sorted(set(reader.CellData.keys()) | set(reader.PointData.keys()))
        print(f"render: no field '{name}'; drawn in one colour. There are: {', '.join(available) or 'none'}.", file=sys.stderr)
        display = simple.Show(reader, view)
        display.ColorArrayName = [None, ""]
        display.AmbientColor = display.DiffuseColor = [0.45, 0.62, 0.80]
        return display
    association, n_components = found
    low, high = magnitude_range(reader, times, name, association, n_components)
    unit = unit_of(name)
    scale, prefix = scale_of(max(abs(low), abs(high))) if unit else (1.0, "")
    scaled = simple.Calculator(Input=reader, AttributeType="Cell Data" if association == "CELLS" else "Point Data")
    scaled.ResultArrayName = "shown"
    scaled.Function = (f'mag("{name}")' if n_components > 1 else f'"{name}"') + f" / {scale:g}"
    display = simple.Show(scaled, view)
    simple.ColorBy(display, (association, "shown"))
    colours = simple.GetColorTransferFunction("shown")
    colours.RGBPoints = COLOURS
    colours.ColorSpace = "Lab"
    ticks = round_ticks(low / scale, high / scale)
    colours.RescaleTransferFunction(ticks[0], ticks[-1])
    title = TITLES.get(name, name.replace("_", " ")) + (", magnitude" if n_components > 1 else "")
    style_bar(simple.GetScalarBar(colours, view), title, prefix + unit, ticks)
    display.SetScalarBarVisibility(view, True)
    return display


def style_bar(bar, title, unit, ticks):
    bar.Title = f"{title} ({unit})" if unit else title
    bar.ComponentTitle = ""
    bar.Orientation = "Horizontal"
    bar.WindowLocation = "Any Location"
    bar.Position = [0.32, 0.02]
    bar.ScalarBarLength = 0.36
    bar.ScalarBarThickness = 18
    bar.TitleColor = bar.LabelColor = INK
    bar.TitleFontSize, bar.LabelFontSize = 22, 20
    bar.AutomaticLabelFormat = 0
    bar.LabelFormat = "%-.4g"
    bar.UseCustomLabels = 1
    bar.CustomLabels = ticks
    bar.AddRangeLabels = 0


def has_faces(reader):
    """Whether any cell is more than points and lines (VTK's cell types 1 to 4)."""
    from paraview import servermanager

    types = servermanager.Fetch(reader).GetDistinctCellTypesArray()
    return any(types.GetValue(i) > 4 for i in range(types.GetNumberOfValues()))


def style_mesh(display, n_cells, has_faces):
    display.SetRepresentationType("Surface With Edges" if has_faces and n_cells <= LARGEST_MESH_WITH_EDGES else "Surface")
    display.EdgeColor = [0.15, 0.15, 0.15]
    # Without faces the lines are bonds between particles.
    display.LineWidth = 1.0 if has_faces else 4.0
    display.PointSize = 14
    display.RenderPointsAsSpheres = 1
    display.Ambient, display.Diffuse, display.Specular = 0.5, 0.55, 0.0


def make_view(simple):
    view = simple.CreateRenderView()
    view.ViewSize = [WIDTH, HEIGHT]
    style_view(view)
    return view


def style_view(view):
    view.UseColorPaletteForBackground = 0
    view.Background = [1.0, 1.0, 1.0]
    view.OrientationAxesVisibility = 1
    view.OrientationAxesLabelColor = INK
    view.OrientationAxesOutlineColor = INK
    view.UseFXAA = 1


def direction_to_eye(walls):
    """A slant from above, turned to the free side of the walls, so that no wall stands before the body."""
    towards_eye = [0.75, -0.45, 0.38]
    turned = set()
    for wall in walls:
        axis = max(range(3), key=lambda i: abs(wall["normal"][i]))
        if axis not in turned and wall["normal"][axis] * towards_eye[axis] < 0:
            towards_eye[axis] *= -1
        turned.add(axis)
    return unit_vector(towards_eye)


def aim_camera(view, bounds, walls):
    """Fills the picture with the bounds; z is up, or y when all lies in the xy plane."""
    flat = bounds[4] == bounds[5] and not walls
    up = [0.0, 1.0, 0.0] if flat else [0.0, 0.0, 1.0]
    towards_eye = [0.0, 0.0, 1.0] if flat else direction_to_eye(walls)
    right = unit_vector(cross(up, towards_eye))
    upright = cross(towards_eye, right)
    centre = [(bounds[2 * i] + bounds[2 * i + 1]) / 2 for i in range(3)]
    corners = corners_of(bounds)
    half_width = max(abs(dot(c, right) - dot(centre, right)) for c in corners)
    half_height = max(abs(dot(c, upright) - dot(centre, upright)) for c in corners)
    scale = max(half_height / 0.70, half_width / (0.80 * WIDTH / HEIGHT)) or 1.0
    distance = 10 * scale + max(abs(dot(c, towards_eye) - dot(centre, towards_eye)) for c in corners)
    # The colour bar takes the lowest part of the picture.
    focus = [c - 0.18 * scale * u for c, u in zip(centre, upright)]
    view.CameraParallelProjection = 1
    view.CameraParallelScale = scale
    view.CameraFocalPoint = focus
    view.CameraPosition = [f + distance * t for f, t in zip(focus, towards_eye)]
    view.CameraViewUp = up


def file_names(arguments, n_frames, film_folder):
    if arguments.film:
        return [os.path.join(film_folder, f"{i:06d}.png") for i in range(n_frames)]
    output = arguments.output or os.path.join(arguments.run_folder, "picture.png")
    if not output.endswith(".png"):
        raise InputError(f"--output {output}: the name must end with .png.")
    if arguments.frames is None:
        return [output]
    return [f"{output[:-4]}_{i:04d}.png" for i in range(n_frames)]


def check_film(film):
    if not film.endswith(".mp4"):
        raise InputError(f"--film {film}: the name must end with .mp4.")
    if shutil.which("ffmpeg") is None:
        raise InputError("--film: 'ffmpeg' is missing. On Debian: apt install ffmpeg")


def make_film(film, folder, n_frames):
    """About eight seconds, at 5 to 30 frames a second; playable everywhere (H.264, 4:2:0)."""
    rate = min(max(round(n_frames / 8), 5), 30)
    command = ["ffmpeg", "-y", "-loglevel", "error", "-framerate", str(rate), "-i", os.path.join(folder, "%06d.png"),
               "-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", film]
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode != 0:
        raise InputError(f"ffmpeg could not make '{film}': {finished.stderr.strip()}")
    print(film, flush=True)


def render(arguments):
    if not arguments.film:
        draw(arguments, None)
        return
    check_film(arguments.film)
    with tempfile.TemporaryDirectory() as folder:
        make_film(arguments.film, folder, draw(arguments, folder))


def draw(arguments, film_folder):
    """Draws the pictures, or the frames of a film into their folder; returns how many."""
    collection = os.path.join(arguments.run_folder, "snapshots.pvd")
    if not os.path.isfile(collection):
        raise InputError(f"There is no '{collection}': give the folder of a run that wrote snapshots.")
    from paraview import simple

    simple._DisableFirstRenderCameraReset()
    reader = simple.PVDReader(FileName=os.path.abspath(collection))
    reader.UpdatePipelineInformation()
    all_times = list(reader.TimestepValues)
    if not all_times:
        raise InputError(f"'{collection}' names no snapshot.")
    times = chosen_times(arguments, all_times)
    names = file_names(arguments, len(times), film_folder)

    shown_bounds = None
    for time in times:
        shown_bounds = joined(shown_bounds or bounds_at(reader, time), bounds_at(reader, time))
    motion_bounds = shown_bounds
    for time in evenly_chosen(all_times, SAMPLES_OF_THE_MOTION):
        motion_bounds = joined(motion_bounds, bounds_at(reader, time))

    view = make_view(simple)
    display = draw_field(simple, view, reader, arguments.field, times)
    style_mesh(display, reader.GetDataInformation().GetNumberOfCells(), has_faces(reader))
    walls, rounds = obstacles_of(arguments.run_folder)
    draw_walls(simple, view, walls, motion_bounds)
    draw_rounds(simple, view, rounds, motion_bounds)
    shown_bounds = bounds_with_rounds(shown_bounds, rounds)
    aim_camera(view, shown_bounds, walls)
    text = simple.Text()
    text_display = simple.Show(text, view)
    text_display.Color = INK
    text_display.FontSize = 26
    text_display.WindowLocation = "Any Location"
    text_display.Position = [0.02, 0.93]

    for time, name in zip(times, names):
        text.Text = time_label(time)
        view.ViewTime = time
        simple.Render(view)
        simple.SaveScreenshot(name, view, ImageResolution=[WIDTH, HEIGHT])
        if not os.path.isfile(name):
            raise InputError(f"Cannot write '{name}'.")
        if not arguments.film:
            print(name, flush=True)
    # Left to the end of the program, the window outlives its graphics context: an X error and a false exit code.
    simple.Delete(view)
    return len(times)


def main():
    arguments = parse_arguments()
    try:
        render(arguments)
    except InputError as error:
        print(f"render: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
