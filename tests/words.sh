#!/bin/sh
# words.sh SOURCE checks that tools/words finds each kind of planted mistake, in each language, and finds nothing in comments that keep the
# rules. Then it must find nothing in the folders that are clean so far.
set -eu
source=$1
if ! command -v python3 >/dev/null 2>&1; then
    echo 'words.sh: no python3 here'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "words.sh: $*" >&2; exit 1; }
# planted FILE EXPECTED: the file of standard input, alone in a folder, must have one mistake, in line 2, or none where EXPECTED is empty.
planted() {
    rm -rf "$work/folder"
    mkdir "$work/folder"
    cat >"$work/folder/$1"
    found=$("$source/tools/words" "$work/folder") && status=0 || status=$?
    case "$2:$status:$found" in
    :0:) ;;
    ?*:1:*"$1:2: $2"*) [ "$(echo "$found" | wc -l)" -eq 1 ] || die "$1: expected one mistake, got $found" ;;
    *) die "$1: expected '$2', got status $status and '$found'" ;;
    esac
}

planted good.c '' <<'END'
/* Returns 1. The word `behind` is a name here, and so is "What". */
static const char *text = "/* What is in a string is no comment. */"; /* may be NULL */
END
planted first.c "begins with 'What'" <<'END'
int x;
/* What the row is. */
END
planted after_code.h "begins with 'Of'" <<'END'
int x;
int y; // Of the row.
END
planted phrase.cpp "says 'behind'" <<'END'
int x;
/* The rows that stand
 * behind the first. */
END
planted words.inl "says 'of the caller's own'" <<'END'
int x;
/* A row of the caller's
   own is checked. */
END
planted long.sh "has a sentence of 46 words" <<'END'
x=1
# One two three four five six seven eight nine ten one two three four five six seven eight nine ten
# one two three four five six seven eight nine ten one two three four five six seven eight nine ten one two three four five six.
END
planted good.sh '' <<'END'
#!/bin/sh
# Prints a number sign.
echo 'a # What is in quotes is no comment.' # shellcheck disable=SC2086
cat <<'TEXT'
# What is in a here-document is no comment.
TEXT
END
planted here.sh "begins with 'Those'" <<'END'
x=1
cat <<TEXT # Those are words.
# What is in a here-document is no comment.
TEXT
END
planted CMakeLists.txt "begins with 'Who'" <<'END'
set(x 1)
set(y 2) # Who reads it
END
planted docstring.py "says 'apart'" <<'END'
def function():
    """Returns rows that lie apart."""
END
planted comment.py "begins with 'Likewise'" <<'END'
x = 1
y = 2  # Likewise
END

# commits SUBJECT...: these, in a repository of their own, follow one commit that is in the main branch.
git() { command git -c user.name=words -c user.email=words@localhost -C "$work/repository" "$@"; }
commits() {
    rm -rf "$work/repository"
    mkdir "$work/repository"
    git init -q -b main
    git commit -q --allow-empty -m 'What was landed is not looked at'
    git checkout -q -b other
    for subject; do git commit -q --allow-empty -m "$subject"; done
    (cd "$work/repository" && "$source/tools/words" --commits)
}
if command -v git >/dev/null 2>&1; then
    commits 'kernel: fuse the two kicks' 'colliders, system: plainer words' >/dev/null || die 'expected these subjects to be well'
    for subject in 'What is not there' 'Read again: one stage' 'kernel:' 'kernel: a sentence.'; do
        ! commits 'kernel: fuse the two kicks' "$subject" >"$work/out" || die "expected the subject '$subject' to be found"
        [ "$(wc -l <"$work/out")" -eq 1 ] || die "expected one finding, got $(cat "$work/out")"
    done
    commits 'kernel: fuse the two kicks' >/dev/null
    git checkout -q -b side main
    git commit -q --allow-empty -m 'io: one'
    git merge -q --no-ff -m 'What a merge says' other
    (cd "$work/repository" && "$source/tools/words" --commits) || die 'expected the subject of a merge not to be looked at'
fi

"$source/tools/words" || die 'see above, and docs/internals/style.md'
