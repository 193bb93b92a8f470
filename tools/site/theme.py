"""Sphinx extension: completes the theme where it was packaged for a web server.

Debian's Furo loads a style sheet from a folder of the web server, and its script imports another one. Pages that are opened from a disk
may do neither. So the style sheet is copied to the place where it is expected, and each page loads the other script first. The theme
has dark colours for the button alone; here they are also used when the system asks for them.
"""
import pathlib
import re

SERVER = pathlib.Path("/usr/share/javascript")  # Debian's web servers show this folder as /javascript
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
