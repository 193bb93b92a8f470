/* Checks that a digest, and the key of a memory, depend on every member of a description that changes a bit. Each member in the table of
 * the library's structures (kdr_abi) is changed in turn, and so is every element of every array. */
#include "digests/digests.h"

typedef struct known {
    uint64_t digest[2], key[2]; /* of the field run and of the system run; 0: the run is refused */
} known;

/* Returns particles with memory, for which a key is made. */
static kdr_particles remembering(kdr_real real) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    kdr_particles p;
    desc.count = EACH, desc.real = real, desc.memory = desc.compensation = true;
    cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
    return p;
}

static known look(const parts *p) {
    known k = {{0, 0}, {0, 0}};
    const kdr_clock clock = {0, 0.25, 0};
    kdr_integrator *integrator;
    kdr_system *system;
    if (kdr_integrator_create(&p->field, &integrator, NULL) == KDR_OK) {
        kdr_particles particles = remembering(p->field.real);
        k.digest[0] = kdr_integrator_digest(integrator);
        k.key[0] = kdr_integrator_memory_key(integrator, &particles, &clock);
        kdr_particles_destroy(&particles);
        kdr_integrator_destroy(integrator);
    }
    if (kdr_system_create(&p->system, &system, NULL) == KDR_OK) {
        kdr_particles particles = remembering(p->system.real);
        k.digest[1] = kdr_system_digest(system);
        k.key[1] = kdr_system_memory_key(system, &particles, &clock);
        kdr_particles_destroy(&particles);
        kdr_system_destroy(system);
    }
    return k;
}

/* The description that is changed, its digests and keys before the change, and the counts of changes per member. */
typedef struct trial {
    int number;
    known before;
    const member *member;
    bool runs[2]; /* whether the structure belongs to the field run and to the system run */
    size_t *digests, *keys;
} trial;

/* Returns true if the member has an effect in this run of the description. */
static bool counts_in(const trial *t, const parts *p, int run, int element) {
    const char *const structure = t->member->structure, *const name = t->member->name;
    const kdr_force *const force = &p->force;
    if (strcmp(name, "method") == 0 && (p->field.tableau || p->field.fractions)) {
        return false; /* a user-defined method replaces it */
    }
    if ((strcmp(name, "as.drag.b") == 0 && force->as.drag.b_each) ||
        (strcmp(name, "as.custom.parameter") == 0 && (force->as.custom.each[element] || (force->as.custom.grid && element > 0)))) {
        return false; /* the array replaces it, or there is no such parameter */
    }
    if (strcmp(structure, "kdr_watch") == 0) { /* each kind has some of the numbers */
        const kdr_watch_kind kind = p->watch.kind;
        return (strcmp(name, "at") != 0 || kind != KDR_WATCH_FUNCTION) && (strcmp(name, "normal") != 0 || kind == KDR_WATCH_PLANE) &&
               (strcmp(name, "distance") != 0 || kind == KDR_WATCH_DISTANCE);
    }
    if (run == 0) {
        return t->runs[0] && strcmp(structure, "kdr_interaction") != 0 && strcmp(structure, "kdr_pair_spring") != 0 &&
               strcmp(structure, "kdr_distance") != 0;
    }
    if (strcmp(name, "velocity_dependent") == 0) {
        return p->system.method == KDR_STRANG_AFFINE; /* it then kicks twice; in other methods the member only causes refusals */
    }
    return t->runs[1] && (strncmp(name, "distance_", strlen("distance_")) != 0 || p->system.distances);
}

/* Checks that the digests see the change of p. Returns true if any run accepts the change. */
static bool seen(const trial *t, const parts *p, int element) {
    static const char *const runs[] = {"field", "system"};
    const known now = look(p);
    bool taken = false;
    for (int run = 0; run < 2; ++run) {
        if (now.digest[run] == 0 || t->before.digest[run] == 0 || !counts_in(t, p, run, element)) {
            continue;
        }
        taken = true;
        ++*t->digests;
        cr_expect(now.digest[run] != t->before.digest[run], "description %d, %s run: its digest does not know element %d of %s.%s",
                  t->number, runs[run], element, t->member->structure, t->member->name);
        if (t->member->key && now.key[run] != 0 && t->before.key[run] != 0) {
            ++*t->keys;
            cr_expect(now.key[run] != t->before.key[run], "description %d, %s run: the memory's key does not know element %d of %s.%s",
                      t->number, runs[run], element, t->member->structure, t->member->name);
        }
    }
    return taken;
}

/* Adds to each number; where numbers must add up, subtracts the same from a neighbour. */
static void change_doubles(const trial *t, const parts *base, const char *at) {
    parts *const p = malloc(sizeof *p);
    cr_assert(p);
    for (int n = t->member->first; n < t->member->first + t->member->count; ++n) {
        bool taken = false;
        for (int way = 0; way < 4 && !taken; ++way) {
            instance list[6];
            cr_assert(make_parts(t->number, p, list));
            double *const numbers = (double *)(void *)((char *)p + (at - (const char *)base));
            const int other = n + 1 < t->member->first + t->member->count ? n + 1 : t->member->first;
            const double by = way == 0 ? 0.0625 : 0.25;
            numbers[n] += by;
            numbers[other] -= (way == 1 || way == 2) && other != n ? by : 0;
            if (way == 2) {
                p->tableau.a[1][0] = p->tableau.c[1] = 0.75;
            }
            if (way == 3) { /* keeps a symmetric list symmetric */
                p->substeps = (kdr_substeps){3, {0.375, 0.25, 0.375}};
            }
            taken = seen(t, p, n);
        }
    }
    free(p);
}

/* Writes the value into element n of the member. Returns false if it is there already, or not possible for such a member. */
static bool put(how kind, char *to, int n, int value) {
    if (kind == SIZES) {
        uint64_t word;
        memcpy(&word, to, sizeof word);
        const uint64_t less = word - 1; /* for a list all of whose entries exist */
        memcpy(to, &less, sizeof less);
        return value == 0 && word > 0;
    }
    if (kind == FLAG) {
        *(bool *)to = !*(bool *)to;
        return value == 0;
    }
    int before;
    memcpy(&before, to + sizeof before * (size_t)n, sizeof before);
    memcpy(to + sizeof before * (size_t)n, &value, sizeof value);
    return value != before;
}

static void change_integers(const trial *t, const parts *base, const char *at) {
    parts *const p = malloc(sizeof *p);
    instance list[6];
    cr_assert(p);
    for (int n = 0; n < t->member->count; ++n) {
        for (int value = 0; value < 50; ++value) {
            cr_assert(make_parts(t->number, p, list));
            if (put(t->member->how, (char *)p + (at - (const char *)base), n, value)) {
                (void)seen(t, p, n);
            }
        }
    }
    free(p);
}

static void change_arrays(const trial *t, const parts *base, const char *at, size_t size) {
    parts *const p = malloc(sizeof *p);
    cr_assert(p);
    for (size_t pointer = 0; pointer < size / sizeof(void *); ++pointer) {
        const double *array;
        memcpy(&array, at + pointer * sizeof array, sizeof array);
        for (int n = 0; array && n < t->member->count; ++n) {
            instance list[6];
            cr_assert(make_parts(t->number, p, list));
            ((double *)(void *)((char *)p + ((const char *)(const void *)array - (const char *)base)))[n] += 0.0625;
            (void)seen(t, p, n);
        }
    }
    free(p);
}

static kdr_status nothing(void) { return KDR_OK; }

static void change_function(const trial *t, const parts *base, const char *at) {
    parts *const p = malloc(sizeof *p);
    instance list[6];
    kdr_status (*function)(void);
    cr_assert(p && make_parts(t->number, p, list));
    memcpy(&function, at, sizeof function);
    function = function ? NULL : nothing;
    memcpy((char *)p + (at - (const char *)base), &function, sizeof function);
    (void)seen(t, p, 0);
    free(p);
}

static const member *find(const char *structure, const char *name) {
    for (size_t n = 0; n < member_count; ++n) {
        if (strcmp(members[n].structure, structure) == 0 && strcmp(members[n].name, name) == 0) {
            return &members[n];
        }
    }
    return NULL;
}

static bool is_of(const kdr_abi_row *row, const instance *used) {
    return strcmp(row->structure, used->structure) == 0 &&
           (strncmp(row->member, "as.", 3) != 0 ||
            (used->as && strncmp(row->member, used->as, strlen(used->as)) == 0 && row->member[strlen(used->as)] == '.'));
}

static void change(const trial *t, const parts *base, const char *at, size_t size) {
    switch (t->member->how) {
    case DOUBLES:
        change_doubles(t, base, at);
        break;
    case INTEGERS:
    case WORDS:
    case SIZES:
    case FLAG:
        change_integers(t, base, at);
        break;
    case ARRAY:
        change_arrays(t, base, at, size);
        break;
    case FUNCTION:
        change_function(t, base, at);
        break;
    case REACHED:
    case IGNORED:
        break;
    }
}

Test(digests, know_every_member_that_changes_a_bit) {
    static size_t digests[256], keys[256];
    size_t rows;
    const kdr_abi_row *const table = kdr_abi(&rows);
    parts *const base = malloc(sizeof *base);
    instance list[6];
    cr_assert(base && member_count <= 256);
    for (int number = 0; make_parts(number, base, list); ++number) {
        trial t = {.number = number, .before = look(base)};
        cr_expect(t.before.digest[1] != 0, "description %d", number);
        for (int n = 0; n < 6 && list[n].structure; ++n) {
            /* A structure within one of the two descriptions does not belong to the other. */
            t.runs[0] = list[n].at < offsetof(parts, system) || list[n].at >= offsetof(parts, force);
            t.runs[1] = list[n].at >= offsetof(parts, system);
            for (size_t row = 0; row < rows; ++row) {
                t.member = is_of(&table[row], &list[n]) ? find(table[row].structure, table[row].member) : NULL;
                if (t.member) {
                    t.digests = &digests[t.member - members], t.keys = &keys[t.member - members];
                    change(&t, base, (const char *)base + list[n].at + table[row].offset, table[row].size);
                }
            }
        }
    }
    for (size_t n = 0; n < member_count; ++n) {
        const bool counts = members[n].how != REACHED && members[n].how != IGNORED;
        cr_expect(!counts || digests[n] > 0, "%s.%s was never changed", members[n].structure, members[n].name);
        cr_expect(!members[n].key || keys[n] > 0, "%s.%s was never changed where there is a memory", members[n].structure, members[n].name);
        cr_expect(members[n].how != IGNORED || members[n].why, "%s.%s is ignored without a reason", members[n].structure, members[n].name);
    }
    free(base);
}

Test(digests, differ_between_all_descriptions) {
    enum { MOST = 64 };
    known all[MOST];
    parts *const p = malloc(sizeof *p);
    instance list[6];
    cr_assert(p);
    for (int number = 0; make_parts(number, p, list); ++number) {
        cr_assert(number < MOST);
        all[number] = look(p);
        for (int other = 0; other < number; ++other) {
            cr_expect(all[number].digest[1] != all[other].digest[1], "descriptions %d and %d", number, other);
        }
    }
    free(p);
}

/* Returns true if a description reaches the structure: it is in the table of members. */
static bool is_reached(const char *structure) {
    for (size_t n = 0; n < member_count; ++n) {
        if (strcmp(members[n].structure, structure) == 0) {
            return true;
        }
    }
    return false;
}

Test(digests, every_member_of_a_description_is_in_the_table) {
    size_t rows, found = 0;
    const kdr_abi_row *const table = kdr_abi(&rows);
    for (size_t row = 0; row < rows; ++row) {
        const char *const name = table[row].member;
        const size_t length = strlen(name);
        if (!is_reached(table[row].structure) || length == 0) {
            continue;
        }
        bool has_members = false; /* it is a union or a structure within another */
        for (size_t other = 0; other < rows; ++other) {
            has_members = has_members || (strcmp(table[other].structure, table[row].structure) == 0 &&
                                          strncmp(table[other].member, name, length) == 0 && table[other].member[length] == '.');
        }
        cr_expect(has_members || find(table[row].structure, name), "%s.%s is not in the table of members", table[row].structure, name);
        found += find(table[row].structure, name) != NULL;
    }
    cr_expect(found == member_count, "%zu of %zu members are the library's", found, member_count);
}
