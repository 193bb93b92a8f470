"""Checks that every planted mistake of table.cmake still compiles. No test can catch a mistake that does not compile.

    python3 tests/mutants/compiles.py BUILD [EXPRESSION_OF_NAMES]

BUILD is a configured build directory with its compile_commands.json. Each mistake is planted in a copy of the sources, and one unit
that sees it is parsed with the flags of the build. A unit sees a mistake if its preprocessed text changes. Rows in files of CMake, and
in files that this build does not compile, are counted and skipped. The whole check takes two minutes of one processor.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ("include", "src", "tools", "tests")
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
Row = collections.namedtuple("Row", "name file before after kind")


def rows_of(table):
    """Returns the rows of the table, each as a Row."""
    text = table.read_text()
    pattern = re.compile(r"^mutant\((\w+) (\S+)\s+\[(=*)\[\n?(.*?)\]\3\]\s+\[(=*)\[\n?(.*?)\]\5\]\s*(\w*)\)", re.M | re.S)
    starts = [found.start() for found in re.finditer(r"^mutant\(", text, re.M)]
    found = [pattern.match(text, start) for start in starts]
    for start, row in zip(starts, found):
        if not row:
            sys.exit(f"{table}: not a row: {text[start : start + 80]}")
    return [Row(*row.group(1, 2, 4, 6, 7)) for row in found]


def unit_of(entry):
    """Returns the compiler's words of an entry of compile_commands.json, without its output, and a key that orders equal units."""
    words = shlex.split(entry["command"])
    output = words[words.index("-o") + 1]
    if words[0].endswith("ccache"):
        words = words[1:]
    at = words.index("-o")
    words = [word for word in words[:at] + words[at + 2 :] if word != "-c" and not word.startswith("-MF")]
    return {"words": words, "directory": entry["directory"], "name": output}


def run(unit, options, copy=None):
    """Runs the compiler of a unit on the copied sources, or on the sources themselves."""
    words = unit["words"] + options
    if copy:
        sources = re.compile(re.escape(str(ROOT)) + r"/(?=(?:%s)(?:/|$))" % "|".join(COPIED))
        words = [sources.sub(lambda _: f"{copy}/", word) for word in words]
    return subprocess.run(words, cwd=unit["directory"], capture_output=True, text=True, check=False)


def files_of(unit):
    """Returns the files of this project that a unit is made of."""
    listed = run(unit, ["-MM", "-MG"]).stdout.replace("\\\n", " ").split()[1:]
    paths = (pathlib.Path(os.path.normpath(os.path.join(unit["directory"], name))) for name in listed)
    return {str(path.relative_to(ROOT)) for path in paths if path.is_relative_to(ROOT)}


def preference(unit, kind):
    """Orders the units that may see a mistake: first those of the backend that judges it, then the common precision and arithmetic."""
    name = unit["name"]
    isa = {"WIDE": "avx2", "AVX512": "avx512"}.get(kind, "scalar")
    return (f"_{isa}_" not in name, "_f64_" not in name, "_fused" not in name, name)


def judge(row, units, copies, plain):
    """Returns None if the mistake compiles, or else what is wrong; "" if no unit of this build has the file."""
    if not units:
        return ""
    copy = copies.get()
    path = pathlib.Path(copy, row.file)
    text = path.read_text()
    try:
        if text.count(row.before) != 1:
            return f"its pattern is {text.count(row.before)} times in {row.file}"
        for unit in sorted(units, key=lambda one: preference(one, row.kind)):
            if unit["name"] not in plain:
                plain[unit["name"]] = run(unit, ["-E", "-P"], copy).stdout
            path.write_text(text.replace(row.before, row.after))
            if run(unit, ["-E", "-P"], copy).stdout != plain[unit["name"]]:
                parsed = run(unit, ["-fsyntax-only", "-w", "-Werror=implicit-function-declaration"], copy)
                return None if parsed.returncode == 0 else f"{unit['name']}:\n{parsed.stderr}"
            path.write_text(text)
        return f"no unit of {row.file} sees it"
    finally:
        path.write_text(text)
        copies.put(copy)


def main(build, names="."):
    rows = [row for row in rows_of(ROOT / "tests/mutants/table.cmake") if re.fullmatch(names, row.name) or names == "."]
    entries = json.loads(pathlib.Path(build, "compile_commands.json").read_text())
    units = [unit_of(entry) for entry in entries if "/bench/" not in entry["file"]]
    copies, made = queue.Queue(), []
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for n in range(JOBS):
            for folder in COPIED:
                shutil.copytree(ROOT / folder, pathlib.Path(scratch, str(n), folder))
            copies.put(str(pathlib.Path(scratch, str(n))))
        seen_by = collections.defaultdict(list)
        for unit, files in zip(units, pool.map(files_of, units)):
            for file in files:
                seen_by[file].append(unit)
        plain = {}
        made = list(pool.map(lambda row: judge(row, seen_by[row.file], copies, plain), rows))
    wrong = [f"mutant {row.name}: {found}" for row, found in zip(rows, made) if found]
    skipped = [row.name for row, found in zip(rows, made) if found == ""]
    print("\n".join(wrong + [f"skipped, in no unit of this build: {' '.join(skipped)}"] * bool(skipped)), file=sys.stderr)
    if wrong:
        sys.exit(f"{len(wrong)} planted mistakes do not compile")
    print(f"{len(rows) - len(skipped)} planted mistakes compile, {len(skipped)} skipped")


if __name__ == "__main__":
    main(*sys.argv[1:])
