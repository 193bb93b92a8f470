"""Writes files completely or not at all."""

import os

from .data import Fault


def _replace(path, fill):
    beside = f"{path}.{os.getpid()}.part"
    try:
        fill(beside)
        os.replace(beside, path)
    except OSError as error:
        raise Fault(f"{path}: cannot write: {error.strerror}") from None
    finally:
        if os.path.exists(beside):
            os.unlink(beside)


def save(figure, path):
    """Writes a figure. The ending of the name gives the format: .svg or .png, or .gif for a film."""
    form = os.path.splitext(path)[1][1:]
    if form == "gif":
        def fill(beside):
            figure.save(beside + ".gif", writer="pillow", dpi=80)  # the library chooses the format by the ending
            os.replace(beside + ".gif", beside)
        _replace(path, fill)
        return
    metadata = {"Date": None} if form == "svg" else {}
    from .style import pyplot, take_turns  # imported late: a figure exists, so matplotlib is loaded
    figure.draw_without_rendering()  # computes all positions
    for frame in figure.axes:
        take_turns(frame)
    _replace(path, lambda beside: figure.savefig(beside, format=form, dpi=110, metadata=metadata))
    pyplot.close(figure)


def write(path, text):
    def fill(beside):
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
    _replace(path, fill)
