"""Reads the folders of runs and studies."""

import csv
import difflib
import json
import os
import re

import numpy


class InputError(Exception):
    """Something that the user gave is wrong; the text says what to do."""


def read_numbers(path, first_column=None):
    """The columns of a table by name. A last row that a killed run left unfinished is dropped."""
    try:
        with open(path) as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise InputError(f"Cannot read '{path}': {error.strerror}. Give the folder of a run.")
    names = lines[0].split(",")
    # What follows the last newline is no whole row.
    rows = [line.split(",") for line in lines[1:-1]]
    try:
        table = numpy.array(rows, dtype=float).reshape(len(rows), len(names))
    except ValueError:
        raise InputError(f"'{path}' is no table of numbers with {len(names)} columns.")
    columns = dict(zip(names, table.T))
    if first_column and first_column not in columns or not rows:
        raise InputError(f"'{path}' has no column '{first_column}' or no row.")
    return columns


class Run:
    """The folder of a run: history at once, the rest when asked."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(os.path.abspath(folder))
        self.history = read_numbers(os.path.join(folder, "history.csv"), "time")

    def file(self, name):
        return os.path.join(self.folder, name)

    @property
    def time(self):
        return self.history["time"]

    def parameter(self, key):
        """The value of a key outside all sections of parameters.prm; None when the file is missing."""
        try:
            with open(self.file("parameters.prm")) as file:
                match = re.search(rf"^set {re.escape(key)} *= *(.*?) *$", file.read(), re.MULTILINE)
        except OSError:
            return None
        return match.group(1) if match else None

    @property
    def in_si(self):
        """Solids are in SI units; particles in units of the user's choice."""
        return self.parameter("Problem") in (None, "solid")

    @property
    def title(self):
        return self.parameter("Title") or self.name

    def summary(self):
        try:
            with open(self.file("summary.json")) as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    def column(self, name):
        if name not in self.history:
            near = difflib.get_close_matches(name, self.history, 1)
            hint = f" Did you mean '{near[0]}'?" if near else f" There are: {', '.join(self.history)}."
            raise InputError(f"'{self.file('history.csv')}' has no column '{name}'.{hint}")
        return self.history[name]

    def particles(self):
        """Names of the bodies whose positions are in the history: prefixes of ..._position_x."""
        return [name[:-len("_position_x")] for name in self.history if name.endswith("_position_x")]


def flatten(values, prefix=""):
    """The numbers of a summary, those of nested objects as time_step.average."""
    flat = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat.update(flatten(value, prefix + key + "."))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            flat[prefix + key] = value
    return flat


def read_texts(path):
    """The rows of a CSV file as dictionaries of texts."""
    try:
        with open(path, newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise InputError(f"Cannot read '{path}': {error.strerror}.")


def number_or_none(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None
