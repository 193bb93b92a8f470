# prose.awk: what is wrong with the prose of pages, a line each, and status 1: paragraphs above 90 words, sentences above 45, measured numbers outside
# tables, words and beginnings that docs/internals/style.md rules out. Code, tables and quotations of output are no prose.
function wrong(what) { print at ": " what; found = 1 }

function sentence(text,    words, w, plain) {
    words = split(text, w, / +/)
    if (words > 45) wrong("a sentence of " words " words: " substr(text, 1, 60) "...")
    # Code, links and bold words say no more than their text.
    plain = text
    gsub(/\]\([^)]*\)/, "]", plain)
    gsub(/`[^`]*`/, "`", plain)
    gsub(/[*"\[\]]/, "", plain)
    if (plain !~ /[?]$/ && plain ~ /^(Of|What|Who|Whose|Which|Those|Likewise)[ ,]/) wrong("begins so: " substr(text, 1, 60))
    if (match(tolower(plain), / (behind|beside|apart|textbook|likewise|or null|of the caller's own|feel each other)[ ,.;:)]/))
        wrong("\"" substr(plain, RSTART + 1, RLENGTH - 2) "\": " substr(text, 1, 60))
    # A number with a unit of measure, a number in exponents, a share of a cost.
    if (match(plain, /[0-9.] ?(ns|µs|ms|s|seconds?|minutes?|hours?|KB|MB|GB|%|million|times)[ ,.;:)]/) || match(plain, /[0-9]e[-+]?[0-9]/) ||
        match(plain, /(one|two|three|four|five|six|seven|eight|nine|ten|twenty|dozens?|some) (ns|µs|ms|seconds?|minutes?|hours?|percent|times)[ ,.;:)]/) ||
        match(plain, /(half|thirds?|quarters?|fifths?|tenths?|hundredths?) of (a |the |an |that )?(second|time|evaluations|cost|speed|particles)/))
        wrong("a measured number, \"" substr(plain, RSTART, RLENGTH) "\": " substr(text, 1, 60))
}

# A sentence ends where a new one begins: at a stop before a capital, a number or code.
function ends(    text, rest, words, w) {
    if (paragraph == "") return
    words = split(paragraph, w, / +/)
    if (words > 90) wrong("a paragraph of " words " words")
    rest = paragraph " Z"
    while (match(rest, /[.!?][)"*]* +["(*`\[A-Z0-9]/)) {
        text = substr(rest, 1, RSTART)
        rest = substr(rest, RSTART + RLENGTH - 1)
        sentence(text)
    }
    if (rest != "Z") sentence(substr(rest, 1, length(rest) - 2))
    paragraph = ""
}

FNR == 1 { ends(); code = 0 }
/^```/ { ends(); code = !code; next }
code { next }
/^(#|\||<!--|!\[|    )/ || /^ *$/ { ends(); next }
/^ *([-*]|[0-9]+[.]) / { ends() }
paragraph == "" { at = FILENAME ":" FNR }
{
    line = $0
    sub(/^ +/, "", line)
    if (paragraph == "") sub(/^([-*]|[0-9]+[.]) /, "", line)
    paragraph = paragraph (paragraph == "" ? "" : " ") line
}
END { ends(); exit found }
