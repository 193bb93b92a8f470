#!/usr/bin/env python3
"""Writes the pages from which Sphinx makes the site. Usage: pages.py SOURCE PAGES [EXPERIMENTS]

The pages are README.md and docs/, a page for each public header, the sources that pages link to, and the results of the experiments,
from the folder of JSON files EXPERIMENTS. Pages have the same paths as in SOURCE, so that links between them stay valid.
"""
import json
import os
import pathlib
import re
import shutil
import sys

SOURCE, PAGES = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
EXPERIMENTS = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
HEADERS = sorted(path.name for path in (SOURCE / "include/kickdrift").glob("*.h"))
LANGUAGES = {".c": "c", ".h": "c", ".inl": "c", ".cpp": "cpp", ".py": "python", ".sh": "sh", ".yaml": "yaml", ".json": "json", ".cmake": "cmake"}
MOST_BYTES = 200_000
TREE = [  # each part has a title, a folder, and the pages that come first
    ("Use", "docs/use", ["quickstart", "particles", "forces", "interactions", "walls", "events", "kernels", "cookbook"]),
    ("Methods", "docs/methods", ["choosing", "methods", "accuracy"]),
    ("Program", "docs/program", ["running", "scenes", "bench", "building", "ranks"]),
    ("Internals", "docs/internals", ["engine", "runs", "contract", "adding"]),
]
OTHERS = ["CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md", "bench/measured.md", "tools/scenes/README.md"]
wanted = set()  # paths in SOURCE that pages link to and that are not pages


def page_of(path):
    """Returns the path in PAGES of the page for a path in SOURCE, and notes that the page is needed."""
    if str(path) == "README.md":
        return "index.md"
    if path.suffix == ".md":
        return str(path)
    if path.parent == pathlib.Path("include/kickdrift") and path.suffix == ".h":
        return f"{path}.md"
    wanted.add(path)
    if (SOURCE / path).is_dir():
        return f"{path}/README.md" if (SOURCE / path / "README.md").exists() else f"{path}/index.md"
    return f"{path}.md"


def with_links(text, path):
    """Returns the page with its links changed to pages of the site. Code stays as it is."""

    def lead(match):
        target, _, anchor = match.group(2).partition("#")
        if not target or re.match(r"[a-z]+:", target) or target.endswith((".png", ".svg")):
            return match.group(0)
        there = pathlib.Path(os.path.normpath(path.parent / target))
        if not (SOURCE / there).exists():
            sys.exit(f"{path}: links to {target}, which is not there")
        return f"{match.group(1)}{os.path.relpath(page_of(there), path.parent)}{'#' + anchor if anchor else ''})"

    parts = re.split(r"(^```.*?^```$|`[^`\n]+`(?!\]))", text, flags=re.M | re.S)
    return "".join(part if i % 2 else re.sub(r"(\]\()([^)\s]+)\)", lead, part) for i, part in enumerate(parts))


def write(name, text):
    target = PAGES / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def toctree(caption, pages):
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""])


def tree():
    parts = []
    for caption, folder, first in TREE:
        there = sorted(path.stem for path in (SOURCE / folder).glob("*.md"))
        parts.append(toctree(caption, [f"{folder}/{name}" for name in first + [name for name in there if name not in first]]))
    main = ["kickdrift.h", *(name for name in HEADERS if name != "kickdrift.h")]
    parts.append(toctree("Headers", [f"include/kickdrift/{name}" for name in main]))
    parts.append(toctree("Project", [*(["experiments"] if EXPERIMENTS else []), *(name[:-3] for name in OTHERS)]))
    return "".join(parts)


def write_source(path):
    """Makes a page for a source file, or for the files of a folder."""
    whole = SOURCE / path
    if whole.is_dir():
        files = sorted(file.name for file in whole.iterdir() if file.is_file() and is_text(file))
        listed = "\n".join(f"- [{name}]({name}.md)" for name in files if name != "README.md")
        for name in files:
            if name != "README.md":
                write_source(path / name)
        if (whole / "README.md").exists():
            return
        write(f"{path}/index.md", f"---\norphan: true\n---\n\n# {path}\n\n{listed}\n")
        return
    name = os.path.relpath(path)
    target = PAGES / path
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(whole, target)
    language = LANGUAGES.get(path.suffix, "sh" if whole.read_bytes().startswith(b"#!") else "text")
    write(f"{name}.md", f"---\norphan: true\nnosearch: true\n---\n\n# {name}\n\n```{{literalinclude}} /{name}\n:language: {language}\n```\n")


def is_text(file):
    return file.stat().st_size <= MOST_BYTES and b"\0" not in file.read_bytes() and file.suffix != ".md" or file.name == "README.md"


def cell(text):
    return re.sub(r"([|\\*_<>`$\[\]])", r"\\\1", str(text)).replace("\n", " ")


def write_experiments():
    """Makes the page of claims: what the sources claim, what was measured, and whether the two agree."""
    lines = ["# Experiments", "", "This page is for people who want to know what methods do. Every experiment has a table of claims, and what was measured.", ""]
    if (EXPERIMENTS / "index.html").exists():
        lines += ['<p><a href="experiments/index.html">All pictures and tables</a>, on a page of their own.</p>', ""]
    for file in sorted(EXPERIMENTS.glob("*.json")):
        found = json.loads(file.read_text())
        lines += [f"## {cell(found['title'])}", "", f"`kickdrift experiment {found['experiment']}{' --quick' if found['quick'] else ''}`: {cell(found['about'])}", ""]
        if found["claims"]:
            lines += ["| source | claim | measured | agrees |", "|---|---|---|---|"]
            lines += [f"| {cell(c['source'])} | {cell(c['claim'])} | {cell(c['measured'])} | {'yes' if c['reproduces'] else 'no'} |" for c in found["claims"]]
            lines.append("")
    write("experiments.md", "\n".join(lines))


def main():
    pages = ["README.md", *OTHERS, *(str(path.relative_to(SOURCE)) for path in sorted((SOURCE / "docs").glob("*/*.md")))]
    for name in pages:
        text = with_links((SOURCE / name).read_text(), pathlib.Path(name))
        write(page_of(pathlib.Path(name)), text + (tree() if name == "README.md" else ""))
    for name in HEADERS:
        write(f"include/kickdrift/{name}.md", f"```{{kickdrift-header}} {name}\n```\n")
    shutil.copytree(SOURCE / "docs/images", PAGES / "docs/images", dirs_exist_ok=True)
    if EXPERIMENTS:
        write_experiments()
    for path in sorted(wanted):
        write_source(path)


main()
