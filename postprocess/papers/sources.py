"""The runs and studies behind the figures: made by the program from shipped files, and not made again while nothing changes."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field

from plotting.data import InputError, Run
from plotting.study import Study

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class MissingFile(Exception):
    """A parameter or study file that a figure needs is not there."""


class FailedRun(Exception):
    """The program could not make a run; the text is what it said."""


@dataclass(frozen=True)
class Source:
    """A file below parameters/, and what is set in place of its values; `quick` shortens it for tests. `may_stop`: a run that
    could not go on is a result, too, as far as it came."""

    name: str
    file: str
    settings: dict = field(default_factory=dict)
    quick: dict = field(default_factory=dict)
    may_stop: bool = False

    command = "run"

    def path(self):
        return os.path.join("parameters", self.file)

    def arguments(self, folder, quick):
        settings = {**self.settings, **(self.quick if quick else {})}
        return [self.command, self.path(), "--quiet", "--output", folder, *self.options,
                *(part for key, value in settings.items() for part in ("--set", f"{key}={value}"))]


class RunSource(Source):
    options = ("--force",)

    def is_whole(self, folder):
        try:
            with open(os.path.join(folder, "summary.json")) as file:
                return json.load(file).get("status") in (("done", "stopped") if self.may_stop else ("done",))
        except (OSError, ValueError):
            return False

    def read(self, folder):
        return Run(folder)


class StudySource(Source):
    command = "study"
    options = ("--no-plot",)

    def is_whole(self, folder):
        return os.path.isfile(os.path.join(folder, "study.json"))

    def read(self, folder):
        return Study(folder)


def files_behind(path):
    """A parameter file and the files that it names: the base of a study, tables of particles, meshes."""
    found, waiting = [], [os.path.normpath(os.path.join(ROOT, path))]
    while waiting:
        file = waiting.pop()
        if file in found or not os.path.isfile(file):
            continue
        found.append(file)
        if not file.endswith(".prm"):
            continue
        with open(file) as text:
            names = re.findall(r"=\s*(\S+\.(?:prm|csv|msh|inp|vtu))\b", text.read())
        waiting += [os.path.normpath(os.path.join(folder, name)) for name in names for folder in (os.path.dirname(file), ROOT)]
    return sorted(found)


def fingerprint(arguments, path):
    """What the results depend on: the command and the contents of all files behind it."""
    contents = hashlib.sha256()
    for file in files_behind(path):
        with open(file, "rb") as stream:
            contents.update(stream.read())
    return {"arguments": arguments, "files": contents.hexdigest()}


class Maker:
    """Makes sources in one output folder."""

    def __init__(self, program, output, quick=False, again=False):
        if not os.access(program, os.X_OK):
            raise InputError(f"There is no program '{program}': build it first, or name it with --program.")
        self.program, self.quick, self.again = program, quick, again
        self.folder = os.path.join(os.path.abspath(output), "runs")
        self.made = {}

    def read(self, source):
        """The results of the source, made if need be; the same object whenever the same source is asked for."""
        if source.name not in self.made:
            folder = os.path.join(self.folder, source.name)
            self.make(source, folder)
            self.made[source.name] = source.read(folder)
        return self.made[source.name]

    def make(self, source, folder):
        if not os.path.isfile(os.path.join(ROOT, source.path())):
            raise MissingFile(source.path())
        arguments = source.arguments(folder, self.quick)
        stamp, stamp_file = fingerprint(arguments, source.path()), folder + ".json"
        earlier = read_json(stamp_file) or {}
        if not self.again and earlier == {**stamp, "done": True} and source.is_whole(folder):
            return
        # Runs of another version of a study would stay among those of this one; those of an interrupted study are kept.
        if self.again or earlier.get("arguments") != stamp["arguments"] or earlier.get("files") != stamp["files"]:
            shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(self.folder, exist_ok=True)
        print(f"  making {source.name} from {source.path()}", flush=True)
        write_json(stamp_file, stamp)
        finished = subprocess.run([self.program, *arguments], cwd=ROOT, capture_output=True, text=True)
        if finished.returncode != 0 and not source.may_stop or not source.is_whole(folder):
            raise FailedRun(f"{source.path()}: {finished.stderr.strip() or 'exit code %d' % finished.returncode}")
        write_json(stamp_file, {**stamp, "done": True})


def write_json(path, contents):
    with open(path, "w") as file:
        json.dump(contents, file)


def read_json(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None
