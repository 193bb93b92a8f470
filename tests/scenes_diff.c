/* `kickdrift diff`: compares two files of particles. */
#include "scenes_json.h"

#include <string.h>

#define HEADER "id,x,y,z,vx,vy,vz\n"
#define FIRST HEADER "1,1,2,3,4,5,6\n2,0.1,0.2,0.3,0.4,0.5,0.6\n"

static void diff(program *p, const char *a, const char *b, const char *option) {
    program_write_text(p, "a.csv", a);
    program_write_text(p, "b.csv", b);
    program_run(p, "diff", "a.csv", "b.csv", option, option && strcmp(option, "--real") == 0 ? "f32" : NULL, NULL);
}

Test(scenes_diff, equal) {
    program p = program_begin();
    diff(&p, FIRST, FIRST, NULL);
    cr_expect(p.status == 0 && strstr(p.out, "2 compared, 0 values differ"), "%s%s", p.out, p.err);
    /* Numbers are compared, not texts, and NaN equals NaN. */
    diff(&p, HEADER "1,1,2,nan,4,5,inf\n", "vz,vy,vx,z,y,x,id\ninf,5e0,4.0,nan,2,1,1", NULL);
    cr_expect(p.status == 0, "%s%s", p.out, p.err);
    program_end(&p);
}

Test(scenes_diff, different) {
    program p = program_begin();
    /* vy of the second particle differs by one unit in the last place, vz by three. */
    diff(&p, FIRST, HEADER "1,1,2,3,4,5,6\n2,0.1,0.2,0.3,0.4,0.50000000000000011,0.60000000000000031\n", "--json");
    cr_expect(p.status == 1);
    json_t *o = program_json(&p);
    cr_expect(json_at(o, "rows", NULL) == 2 && json_at(o, "different", NULL) == 2, "%s", p.out);
    cr_expect(json_at(o, "max_ulp", "position") == 0 && json_at(o, "max_ulp", "velocity") == 3, "%s", p.out);
    cr_expect(json_at(o, "first", "row") == 1 && json_at(o, "first", "id") == 2);
    cr_expect(strcmp(json_text_at(json_object_get(o, "first"), "column"), "vy") == 0);
    json_decref(o);
    diff(&p, FIRST, HEADER "1,1,2,3,4,5,6\n2,0.1,0.2,0.3,0.4,0.50000000000000011,0.60000000000000031\n", "--real");
    cr_expect(p.status == 0, "in f32 these are equal: %s%s", p.out, p.err);
    diff(&p, HEADER "1,0,2,3,4,5,6\n", HEADER "1,-0,2,3,4,5,6\n", NULL);
    cr_expect(p.status == 1, "0 differs from -0: %s", p.out);
    diff(&p, HEADER "1,nan,2,3,4,5,6\n", HEADER "1,1,2,3,4,5,6\n", NULL);
    cr_expect(p.status == 1 && strstr(p.out, "NaN against a number"), "%s", p.out);
    diff(&p, FIRST, FIRST "3,1,1,1,1,1,1\n", NULL);
    cr_expect(p.status == 1 && strstr(p.out, "1 more in b.csv"), "%s", p.out);
    program_end(&p);
}

static const struct wrong {
    const char *a, *b, *begins, *holds;
} wrong[] = {
    {FIRST, HEADER "1,1,2,3,4,5,6\n3,0.1,0.2,0.3,0.4,0.5,0.6\n", "b.csv:3: expected id 2 as in line 3 of a.csv, found 3", ""},
    {FIRST, "x,y,z,vx,vy,vz\n1,2,3,4,5,6\n", "b.csv:1: no column id, expected it as in a.csv", ""},
    {FIRST, "id,x,y,z,vx,vy\n1,2,3,4,5,6\n", "b.csv:1: no column vz", "expected a header"},
    {FIRST, HEADER "1,1,2,3,4,5\n", "b.csv:2: expected 7 columns as the header has, found 6", ""},
    {HEADER "1,1,2,3,4,5,x\n", FIRST, "a.csv:2: column vz: expected a number, found \"x\"", ""},
    {"", FIRST, "a.csv:1: empty", "expected a header"},
    {"step," HEADER "0,1,1,2,3,4,5,6\n", "step," HEADER "1,1,1,2,3,4,5,6\n", "b.csv:2: expected step 0 as in line 2 of a.csv, found 1", ""},
};

Test(scenes_diff, wrong_files) {
    program p = program_begin();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        diff(&p, wrong[i].a, wrong[i].b, NULL);
        program_refused(&p, wrong[i].begins, wrong[i].begins, wrong[i].holds);
    }
    program_run(&p, "diff", "a.csv", "absent.csv", NULL);
    program_refused(&p, "absent", "absent.csv: cannot open: No such file", "expected a CSV file");
    program_end(&p);
}
