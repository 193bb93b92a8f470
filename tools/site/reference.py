"""Sphinx extension: makes a page for each public header, in the header's own order, with an anchor for every name. Names in the code of
all pages become links."""
import html
import pathlib
import re

from docutils import nodes
from docutils.parsers.rst import Directive
from pygments.lexers.c_cpp import CLexer
from pygments.lexers.special import TextLexer
from pygments.token import Error
from sphinx.domains import Domain

import headers

FOLDER = "include/kickdrift"
NAME_ALONE = re.compile(rf"\b{headers.NAME}\b")


def paragraph(lines):
    """Returns a paragraph, or a block of code if the lines are indented. Text in backticks and public names become literals."""
    if all(line.startswith("  ") for line in lines):
        width = min(len(line) - len(line.lstrip()) for line in lines)
        code = "\n".join(line[width:] for line in lines)
        is_c = ";" in code and not any(kind is Error for kind, _ in CLexer().get_tokens(code))
        return nodes.literal_block(code, code, language="c" if is_c else "text")
    joined = " ".join(line.strip() for line in lines)
    result = nodes.paragraph()
    for part in re.split(rf"(`[^`]+`|\*\w+\*|\b{headers.NAME}\b(?:\(\))?)", joined):
        if part.startswith("`"):
            result += nodes.literal(part[1:-1], part[1:-1])
        elif re.fullmatch(r"\*\w+\*", part):
            result += nodes.emphasis(part[1:-1], part[1:-1])
        elif NAME_ALONE.match(part):
            result += nodes.literal(part, part)
        elif part:
            result += nodes.Text(part)
    return result


def paragraphs(comment):
    """Returns the nodes of a comment. Lines that begin with a dash become a list."""
    result = []
    for lines in headers.text_of(comment):
        while lines:
            same = [line for line in lines]
            indented = lines[0].startswith("  ")
            n = next((i for i, line in enumerate(lines) if line.startswith("  ") != indented), len(lines))
            same, lines = lines[:n], lines[n:]
            result.append(paragraph(same))
    return result


def code_block(code):
    return nodes.literal_block(code, code, language="c")


def member_table(members):
    """Returns a list of members with their comments."""
    result = nodes.definition_list(classes=["members"])
    for member in members:
        term = nodes.term("", "", nodes.literal(member.code, member.code))
        said = [node for comment in re.findall(r"/\*.*?\*/", member.comment, flags=re.S) for node in paragraphs(re.sub(r"\n\s+", "\n * ", comment))]
        result += nodes.definition_list_item("", term, nodes.definition("", *said))
    return result


class HeaderDirective(Directive):
    required_arguments = 1

    def run(self):
        env = self.state.document.settings.env
        domain = env.get_domain("kickdrift")
        name = self.arguments[0]
        path = pathlib.Path(env.app.config.kickdrift_source) / FOLDER / name
        env.note_dependency(str(path))
        page = nodes.section(ids=["header"], names=[name])
        page += nodes.title(name, name)
        blocks = headers.blocks_of(path.read_text())
        include = f"#include <kickdrift/{name}>"
        section = page
        for n, block in enumerate(blocks):
            new = [x for x in block.names if domain.note(x, env.docname)]
            if new:
                section = nodes.section(ids=new, names=[new[0]])
                section += nodes.title("", "", nodes.literal(new[0], new[0]))
                page += section
            self.fill(section, block)
            if n == 0:
                page += code_block(include)
        return [page]

    def fill(self, section, block):
        """Adds the comment and the declarations of a block. A block that declares no new name belongs to the section before."""
        section += paragraphs(block.comment)
        if not block.code:
            return
        members = headers.members_of(block.code)
        if members:
            head, tail = block.code.split("\n", 1)[0], block.code.rsplit("\n}", 1)[1]
            section += code_block(f"{head} ... }}{tail}")
            section += member_table(members)
        else:
            section += code_block(headers.narrow(block.code))


class KickdriftDomain(Domain):
    """The domain of public names, which Sphinx's search finds as objects."""

    name = "kickdrift"
    label = "Kickdrift"
    initial_data = {"objects": {}}
    data_version = 1

    def note(self, name, docname):
        """Notes a name. Returns whether it is new; its anchor is then on this page."""
        if name in self.data["objects"]:
            return False
        self.data["objects"][name] = docname
        return True

    def clear_doc(self, docname):
        self.data["objects"] = {name: doc for name, doc in self.data["objects"].items() if doc != docname}

    def merge_domaindata(self, docnames, otherdata):
        for name, doc in otherdata["objects"].items():
            self.data["objects"].setdefault(name, doc)

    def get_objects(self):
        for name, doc in self.data["objects"].items():
            yield name, name, "name", doc, name, 1

    def resolve_any_xref(self, env, fromdocname, builder, target, node, contnode):
        return []


def link_names(app, pagename, templatename, context, doctree):
    """Turns public names in code into links, but not inside other links and headings."""
    body = context.get("body")
    if not body:
        return
    objects = app.env.get_domain("kickdrift").data["objects"]

    def link(match):
        name = html.unescape(match.group(2))
        doc = objects.get(name)
        if not doc:
            return match.group(0)
        target = ("" if doc == pagename else app.builder.get_relative_uri(pagename, doc)) + "#" + name
        return f'{match.group(1)}<a class="name" href="{target}">{match.group(2)}</a>{match.group(3)}'

    parts = re.split(r"(<a\b.*?</a>|<h[1-6]\b.*?</h[1-6]>)", body, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(rf'(<span class="(?:n|nf|nc|nl|kt|nb|pre)">)({headers.NAME})((?:\(\))?</span>)', link, parts[i])
    context["body"] = "".join(parts)


def setup(app):
    app.add_config_value("kickdrift_source", None, "env")
    app.add_directive("kickdrift-header", HeaderDirective)
    app.add_domain(KickdriftDomain)
    app.add_lexer("csv", TextLexer)
    app.connect("html-page-context", link_names)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
