"""Reads the public headers: their declarations, in order, and their comments.

A header is a list of blocks. A block is a comment and the declarations below it, up to the next empty line or the next comment that
begins a line.
"""
import collections
import re

Block = collections.namedtuple("Block", "comment code names")
Member = collections.namedtuple("Member", "code comment")

NAME = r"(?:kdr|KDR)_\w+"
NOISE = re.compile(r"^(#ifdef __cplusplus|extern \"C\" \{|\}|#endif|#include .*|#ifndef KICKDRIFT_\w+_H|#define KICKDRIFT_\w+_H)$")


def text_of(comment):
    """Returns the paragraphs of a comment, each a list of its lines without comment signs. Lines of code keep their indentation."""
    inside = re.sub(r"\s*\*/\s*$", "", re.sub(r"^\s*/\*", "", comment))
    lines = [re.sub(r"^\s*\* ?", "", line) if n else line.strip() for n, line in enumerate(inside.split("\n"))]
    paragraphs, current = [], []
    for line in [*lines, ""]:
        if line.strip():
            current.append(line.rstrip())
        elif current:
            paragraphs.append(current)
            current = []
    return paragraphs


def without_comments(code):
    return re.sub(r"/\*.*?\*/", "", code, flags=re.S)


def enumerators(code):
    for body in re.findall(r"\benum\b[^{;()]*\{(.*?)\}", code, flags=re.S):
        for part in body.split(","):
            found = re.match(rf"\s*({NAME})", part)
            if found:
                yield found.group(1)


def names_in(code):
    """Returns the public names that the code declares, each once, in order."""
    found = []
    plain = without_comments(code)
    depth = 0
    for line in plain.split("\n"):
        if depth == 0:
            found += re.findall(rf"^\s*#define ({NAME})", line)
            found += re.findall(rf"^(?:typedef )?(?:struct|enum|union) ({NAME})(?= \{{|;| {NAME};)", line)
            found += re.findall(rf"^typedef [^(]*?\b({NAME});", line)
            found += re.findall(rf"^typedef [^(]*?\(?\*?({NAME})\)?\(", line)[:1]
            found += re.findall(rf"^\}} ({NAME});", line)
            found += re.findall(rf"^extern .*?({NAME})[;\[]", line)
            if not line.startswith(("#", "typedef", " ")):
                found += re.findall(rf"\b({NAME})\(", line)[:1]
        if not line.startswith("#"):
            depth += line.count("{") - line.count("}")
            if depth == 0:
                found += re.findall(rf"^\}} ({NAME});", line)
    found += list(enumerators(plain))
    return list(dict.fromkeys(found))


def depth_of(lines):
    """Returns how many braces or comments are open after these lines. Braces of macros do not count."""
    plain = re.sub(r"^#(?:.*\\\n)*.*$", "", without_comments("\n".join(lines)), flags=re.M)
    return plain.count("{") - plain.count("}") + plain.count("/*")


def blocks_of(text):
    """Returns the blocks of a header; the first is the header's own comment."""
    blocks, comment, code, depth = [], [], [], 0
    in_comment = False

    def close():
        nonlocal comment, code
        joined = "\n".join(code).strip("\n")
        if comment or joined:
            blocks.append(Block("\n".join(comment), joined, names_in(joined)))
        comment, code = [], []

    for line in text.split("\n"):
        if in_comment:
            comment.append(line)
            in_comment = "*/" not in line
            continue
        continued = bool(code) and code[-1].endswith("\\")
        if depth == 0 and not continued:
            if not line.strip():
                close()
                continue
            if line.startswith("/*"):
                if code or comment:
                    close()
                comment.append(line)
                in_comment = "*/" not in line
                continue
            if NOISE.match(line) and not (line == "#endif" and any(c.startswith("#if") for c in code)):
                continue
        code.append(line)
        depth = depth_of(code)
    close()
    return blocks


def members_of(code):
    """Returns the members of the struct or enum that the code is, with their comments; None for any other code."""
    whole = re.fullmatch(rf"(?:typedef )?(struct|enum)(?: {NAME})? \{{\n(.*)\n\}}(?: {NAME})?;(?:\nenum \{{.*\}};)?", code, flags=re.S)
    if not whole or "{" in without_comments(whole.group(2)) or "#" in whole.group(2) or "/*" not in whole.group(2):
        return None
    members, before = [], ""
    end = "," if whole.group(1) == "enum" else ";"
    for piece in re.finditer(rf"(?P<comment>/\*.*?\*/)|(?P<code>[^/]+?(?:{end}|(?=/\*)|\s*\Z))", whole.group(2), flags=re.S):
        if piece.group("comment"):
            begins_line = whole.group(2)[: piece.start()].rstrip(" ")[-1:] in ("", "\n")
            if begins_line or not members:
                before = piece.group("comment")
            else:
                last = members[-1]
                members[-1] = Member(last.code, (last.comment + "\n" if last.comment else "") + piece.group("comment"))
        elif piece.group("code").strip():
            members.append(Member(" ".join(piece.group("code").split()), before))
            before = ""
    return members


def narrow(code, columns=84):
    """Returns declarations without the parts that only the compiler needs. Long ones get one argument per line."""
    lines = []
    joined = re.sub(r",\n +", ", ", code) if "{" not in code and "#" not in code else code
    for line in joined.split("\n"):
        line = line.replace("KDR_API ", "")
        if len(line) > columns and line.endswith(");") and "(" in line:
            head, _, rest = line.partition("(")
            parts, current = [], "    "
            for argument in re.split(r"(?<=,) ", rest):
                if len(current) + len(argument) > columns and current.strip():
                    parts.append(current.rstrip())
                    current = "    "
                current += argument + " "
            lines += [head + "(", *parts, current.rstrip()]
        else:
            lines.append(line)
    return "\n".join(lines)
