"""Checks a site that was made: site.py SITE SOURCE [LIBRARY...]

Every link within the site leads to a file, and to an anchor in it. Every public name has an anchor on its header's page. The public
names are those that the libraries export, by `nm`, and those that the compiler and a search of the headers find. Every page has a
title, the tree of pages and the search field.
"""
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

SITE, SOURCE, LIBRARIES = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
HEADERS = SOURCE / "include/kickdrift"
wrong = []


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.text, self.nested = [], [], "", 0
        self.open_links = 0
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("id"):
            self.ids.append(given["id"])
        for key in ("href", "src"):
            if given.get(key):
                self.links.append(given[key])
        if tag == "a":
            self.nested += self.open_links > 0
            self.open_links += 1

    def handle_endtag(self, tag):
        if tag == "a":
            self.open_links -= 1

    def handle_data(self, data):
        self.text += data


def public_names():
    """Returns the names that users may write, each with the header that declares it."""
    found = {}
    for header in sorted(HEADERS.glob("*.h")):
        text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.S)
        for name in re.findall(r"^KDR_API [^;]*?\b(kdr_\w+)\(", text, flags=re.M):
            found[name] = header.name
        for name in re.findall(r"^#define ((?:KDR|kdr)_\w+)", text, flags=re.M):
            found.setdefault(name, header.name)
        for name in re.findall(r"^static inline [^;{(]*?\b(kdr_\w+)\(", text, flags=re.M):
            found[name] = header.name
        for name in re.findall(r"^\} (kdr_\w+);", text, flags=re.M) + re.findall(r"^enum (kdr_\w+) ", text, flags=re.M):
            found[name] = header.name
        for name in re.findall(r"\b(KDR_[A-Z0-9_]+) = ", text):
            found.setdefault(name, header.name)
    return found


def exported():
    for library in LIBRARIES:
        listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        yield from re.findall(r" T (kdr_\w+)", listed)


def main():
    pages = {path.relative_to(SITE): Page(path) for path in SITE.rglob("*.html") if "experiments/" not in str(path.relative_to(SITE))}
    links = 0
    for path, page in pages.items():
        for name in set(page.ids):
            if page.ids.count(name) > 1:
                wrong.append(f"{path}: two elements have the id {name}")
        if page.nested:
            wrong.append(f"{path}: {page.nested} links inside links")
        for link in page.links:
            target = urllib.parse.urlsplit(link)
            if target.scheme == "data":
                continue
            if target.scheme or target.netloc:
                if target.scheme not in ("http", "https", "mailto"):
                    wrong.append(f"{path}: a link to {link}")
                continue
            links += 1
            there = pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(target.path))) if target.path else path
            if not (SITE / there).is_file():
                wrong.append(f"{path}: no file {there}, to which it links")
            elif target.fragment and there in pages and urllib.parse.unquote(target.fragment) not in pages[there].ids:
                wrong.append(f"{path}: no anchor {target.fragment} in {there}")
        if path.name not in ("search.html",) and not re.search(r'class="sidebar-tree"', (SITE / path).read_text()):
            wrong.append(f"{path}: no tree of pages")

    for path in SITE.glob("_static/**/*.css"):
        for target in re.findall(r"url\(['\"]?(?!data:)([^'\")]+)", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)):
            if not (path.parent / target).is_file():
                wrong.append(f"{path.relative_to(SITE)}: no file {target}")
    if "prefers-color-scheme: dark" not in "".join(path.read_text() for path in SITE.glob("_static/styles/*.css")):
        wrong.append("no dark colours where the system asks for them")
    for path in SITE.glob("_static/**/*.js"):
        if re.search(r"^(import|export)\b", path.read_text(), flags=re.M):
            wrong.append(f"{path.relative_to(SITE)}: a module, which pages that are opened from a disk may not load")

    names = public_names()
    for name, header in names.items():
        page = pages.get(pathlib.Path(f"include/kickdrift/{header}.html"))
        if not page or name not in page.ids:
            wrong.append(f"{header}: no anchor for {name}")
    for name in exported():
        if name not in names and not any(name in page.ids for page in pages.values()):
            wrong.append(f"no anchor for {name}, which a library exports")
    index = (SITE / "searchindex.js").read_text()
    for name in names:
        if f'"{name}"' not in index and name not in index:
            wrong.append(f"the search does not know {name}")
    for folder in ("use", "methods", "program", "internals"):
        for path in (SOURCE / "docs" / folder).glob("*.md"):
            if pathlib.Path(f"docs/{folder}/{path.stem}.html") not in pages:
                wrong.append(f"no page for {path}")
    if len(names) < 400 or links < 2000:
        wrong.append(f"expected more than 400 names and 2000 links, found {len(names)} and {links}")
    for line in wrong[:200]:
        print(f"site: {line}", file=sys.stderr)
    print(f"{len(pages)} pages, {links} links, {len(names)} names")
    sys.exit(bool(wrong))


main()
