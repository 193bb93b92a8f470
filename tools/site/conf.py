"""The configuration of Sphinx. tools/site/pages.py writes the pages; KICKDRIFT_SOURCE names the sources, KICKDRIFT_EXTRA a folder that is
copied unchanged."""
import os
import pathlib
import re
import sys

SITE = pathlib.Path(os.environ["KICKDRIFT_SOURCE"]) / "tools/site"
sys.path.insert(0, str(SITE))
sys.dont_write_bytecode = True

kickdrift_source = os.environ["KICKDRIFT_SOURCE"]
header = (SITE / "../../include/kickdrift/kickdrift.h").read_text()
project = "Kickdrift"
release = version = re.search(r'KDR_VERSION_STRING "([0-9.]+)"', header).group(1)
copyright = "Kickdrift's authors"
extensions = ["myst_parser", "reference", "theme"]
myst_heading_anchors = 6
source_suffix = {".md": "markdown"}
exclude_patterns = []
nitpicky = True
smartquotes = False  # "--json" keeps both dashes
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_theme = "furo"
html_title = f"Kickdrift {release}"
html_static_path = [str(SITE / "static")]
html_css_files = ["site.css"]
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_extra_path = [path for path in [os.environ.get("KICKDRIFT_EXTRA")] if path]
