"""Makes the page of all experiments."""

import html
import os

from . import data, output
from .kinds import kinds_of

ORDER = ["e1", "e2", "e3", "e4", "e5", "ranking", "e6", "e7", "e8", "stability", "energy", "compensation"]
HEADINGS = {"ranking": "E5, continued"}

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
h2 { margin-top: 3rem; border-top: 1px solid #ccc; padding-top: 1rem }
img { max-width: 100%; height: auto } figure { margin: 1.5rem 0 } figcaption { color: #666; font-size: 90% }
table { border-collapse: collapse; font-size: 90%; font-variant-numeric: tabular-nums } th, td { padding: .15rem .6rem; text-align: left; vertical-align: top }
th { border-bottom: 1px solid #999 } td.number { text-align: right } tr:nth-child(even) { background: #f5f5f5 }
td.refused { color: #888 } .yes { color: #060; font-weight: bold } .no { color: #a00; font-weight: bold }
summary { cursor: pointer; margin: .5rem 0 } details > div { overflow-x: auto } nav a { margin-right: 1rem }
"""


def _cell(value):
    if isinstance(value, bool):
        return "<td>yes</td>" if value else "<td>no</td>"
    if isinstance(value, (int, float)):
        return f'<td class="number">{value:.6g}</td>'
    return '<td class="number">-</td>' if value is None else f"<td>{html.escape(str(value))}</td>"


def _row(columns, row):
    keys = [column["key"] for column in columns]
    if "refused" in row:
        return f'<tr>{_cell(row.get(keys[0]))}<td class="refused" colspan="{len(keys) - 1}">{html.escape(row["refused"])}</td></tr>'
    return "<tr>" + "".join(_cell(row.get(key)) for key in keys) + "</tr>"


def _table(table):
    head = "".join(f"<th>{html.escape(column['label'])}</th>" for column in table["columns"])
    body = "\n".join(_row(table["columns"], row) for row in table["rows"])
    opened = " open" if len(table["rows"]) <= 12 else ""
    return (f"<details{opened}><summary>{html.escape(table['title'])}</summary>\n<div><table><tr>{head}</tr>\n{body}\n</table></div></details>\n")


def _claims(experiment):
    rows = []
    for claim in experiment.claims:
        verdict = '<td class="yes">yes</td>' if claim["reproduces"] else '<td class="no">no</td>'
        rows.append(f"<tr><td>{html.escape(claim['source'])}</td><td>{html.escape(claim['claim'])}</td>"
                    f"<td>{html.escape(claim['measured'])}</td>{verdict}</tr>")
    return ("<table><tr><th>source</th><th>claim</th><th>measured</th><th>reproduces</th></tr>\n" + "\n".join(rows) + "\n</table>\n") if rows else ""


def _section(experiment, folder):
    heading = HEADINGS.get(experiment.name, experiment.name.upper() if experiment.name[0] == "e" and experiment.name[1:].isdigit() else "")
    title = html.escape(f"{heading}: {experiment.title}" if heading else experiment.title)
    parts = [f'<h2 id="{experiment.name}">{title}</h2>\n<p>{html.escape(experiment.about)}</p>\n', _claims(experiment)]
    for kind, row in kinds_of(experiment.name):
        name = f"{experiment.name}-{kind}.svg"
        output.save(row.draw(experiment), os.path.join(folder, name))
        parts.append(f'<figure><img src="{name}" alt="{html.escape(row.caption)}"><figcaption>{html.escape(row.caption)}</figcaption></figure>\n')
    parts += [_table(table) for table in experiment.tables]
    return "".join(parts)


def _summary(experiments):
    claims = [claim for experiment in experiments for claim in experiment.claims]
    good = sum(bool(claim["reproduces"]) for claim in claims)
    quick = " These are shortened runs (--quick)." if any(experiment.quick for experiment in experiments) else ""
    return (f"<p>What the sources show, done again with every method of the library: {good} of {len(claims)} claims reproduce.{quick} The numbers are "
            "what <code>kickdrift experiment NAME --json</code> prints; the files lie next to this page. In the tables a method that does not "
            "accept an experiment's forces stands with the library's message.</p>\n")


def make(folder, target):
    found = data.experiments_of(folder)
    ordered = [found[name] for name in ORDER if name in found] + [found[name] for name in sorted(found) if name not in ORDER]
    home = os.path.dirname(os.path.abspath(target))
    links = "".join(f'<a href="#{experiment.name}">{html.escape(experiment.title)}</a> ' for experiment in ordered)
    sections = "".join(_section(experiment, home) for experiment in ordered)
    output.write(target, f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Kickdrift: experiments</title>\n'
                         f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>Experiments</h1>\n{_summary(ordered)}<nav>{links}</nav>\n{sections}</body>\n</html>\n")
