"""Sphinx: makes the theme whole where it was packaged for a web server.

Debian's Furo takes a style sheet from a folder of the server, and its script imports another one, which pages that are opened from a disk may not. The
style sheet is put in its place, and the other script is loaded by the page before. It also has the dark colours for the button alone: they are taken where
the system asks for them, too.
"""
import pathlib
import re

SERVER = pathlib.Path("/usr/share/javascript")  # which servers of Debian's show as /javascript
IMPORTED = "scripts/gumshoe-patched.js"


def repair(app, exception):
    static = pathlib.Path(app.outdir) / "_static"
    if exception or not static.is_dir():
        return
    sheet = static / "styles/furo.css"
    rules = re.sub(r"@import url\(/javascript/([^)]*)\);", lambda found: (SERVER / found.group(1)).read_text(), sheet.read_text())
    dark = re.search(r'body\[data-theme="dark"\] \{(\s*--[^}]*)\}', rules)
    if dark and "prefers-color-scheme" not in rules:
        rules += f'\n@media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {{{dark.group(1)}}} }}\n'
    sheet.write_text(rules)
    script = static / "scripts/furo.js"
    script.write_text(re.sub(r'^import Gumshoe from "[^"]*";\n', "", script.read_text()))


def load_imported(app):
    import furo

    theme = pathlib.Path(furo.__file__).parent / "theme/furo/static"
    if (theme / IMPORTED).exists():
        app.add_js_file(IMPORTED, priority=100)


def setup(app):
    app.connect("builder-inited", load_imported)
    app.connect("build-finished", repair)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
