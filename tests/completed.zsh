# completed.zsh FILE LINE: see completed.sh. A shell behind a terminal of its own completes the line, and says each word that compadd is given and takes.
# What is awaited is written in two parts where it is asked for: the terminal echoes that too.
zmodload zsh/zpty
words=$(mktemp)
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= WORDS=${(q)words}; autoload -U compinit; compinit -D; source ${(q)1}; compdef _kickdrift kickdrift"
zpty -w shell 'zstyle ":completion:*" menu no; unsetopt list_beep; LISTMAX=10000; stty columns 500'
zpty -w shell 'compadd() { local -a kept; if [[ " $* " == *" -O "* || " $* " == *" -A "* || " $* " == *" -D "* ]]; then builtin compadd "$@"; return; fi
    builtin compadd -O kept "$@"; print -rl -- "word:"${^kept} >>$WORDS; builtin compadd "$@" }'
zpty -w shell 'completes() { zle complete-word; print -r -- do""ne }; zle -N completes; bindkey "^T" completes'
zpty -w shell 'print rea""dy'
zpty -r shell got '*ready*'
zpty -w -n shell "$2"$'\C-t'
zpty -r shell got '*done*'
zpty -d shell
sed -n 's/^word://p' $words
rm -f $words
