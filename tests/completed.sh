#!/bin/sh
# completed.sh SHELL FILE LINE prints what a shell offers at the end of LINE, one word a line. FILE is the shell's completion of kickdrift.
set -eu
shell=$1 file=$2 line=$3
case $shell in
bash)
    exec bash --norc -c '
        source "$1"
        complete -p kickdrift >/dev/null || exit 1
        read -r -a COMP_WORDS <<<"${2//=/ = }" # bash breaks words at an equals sign, too.
        [[ $2 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
        _kickdrift
        printf "%s\n" "${COMPREPLY[@]}"' bash "$file" "$line" ;;
fish)
    HOME=$(mktemp -d)
    export HOME
    trap 'rm -rf "$HOME"' EXIT
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$file" "$line" | cut -f 1 ;;
zsh)
    # The functions of completion need a line editor, which needs a terminal: completed.zsh uses one of zsh's own, from zpty. It records the
    # words where compadd receives them.
    exec zsh -f "$(dirname "$0")/completed.zsh" "$file" "$line" ;;
esac
