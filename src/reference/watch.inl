/* Events and dense output: shortened steps, and the roots of watched functions. */

/* Returns the particle after a fraction of step n of its clock; `before` is its state at the beginning. It makes one step of a clock
 * with a shorter dt. It does not count or record anything. Memory that depends on the step's length does not fit. */
static particle after_fraction(const particle *before, uint64_t n, double fraction) {
    const kdr_clock *const whole = before->clock, clock = {kdr_clock_time(whole, n, 0.0), fraction * whole->dt, 0};
    particle p = *before;
    p.clock = &clock;
    p.later = n;
    p.contacts = NULL;
    p.events = NULL;
    if (kdr_problem_remembers_step(p.problem)) {
        p.keeps = false;
        memset(p.cx, 0, sizeof p.cx);
        memset(p.cv, 0, sizeof p.cv);
    }
    take_step(&p, 0);
    p.clock = whole;
    return p;
}

/* Returns the watched function g of the particle at a fraction of step n. */
static double watched(const particle *p, const kdr_watch *watch, uint64_t n, double fraction) {
    double x[3] = {0, 0, 0}, v[3] = {0, 0, 0}, radial = 0, height = 0, square = 0, value = 0;
    for (int i = 0; i < p->dims; ++i) {
        x[i] = (double)p->x[i];
        v[i] = (double)p->v[i];
        const double r = x[i] - watch->at[i];
        radial = radial + r * v[i];
        height = height + r * watch->normal[i];
        square = square + r * r;
    }
    switch (watch->kind) {
    case KDR_WATCH_FUNCTION:
        value = watch->value(watch->context, x, v, kdr_clock_time(p->clock, n, fraction));
        (void)kdr_round_to_nearest();
        return value;
    case KDR_WATCH_APSIS:
        return radial;
    case KDR_WATCH_PLANE:
        return height;
    case KDR_WATCH_DISTANCE:
        return square - watch->distance * watch->distance;
    }
    return 0;
}

/* A part of a step: its ends as fractions of it, and g there. */
typedef struct bracket {
    double begin, end, at_begin, at_end;
} bracket;

/* Returns the next trial: the root of the secant, moved towards the middle by 0.05 width^2 and a quarter of the precision (truncation),
 * but no farther from the middle than `room` (projection). Oliveira, Takahashi, ACM TOMS 47 (2021) 5, algorithm 1. */
static double interpolate_truncate_project(const bracket *b, double room, double precision) {
    const double width = b->end - b->begin, middle = 0.5 * (b->begin + b->end);
    const double secant = b->begin + width * (b->at_begin / (b->at_begin - b->at_end));
    const double delta = 0.05 * width * width + 0.25 * precision;
    double trial = middle;
    if (middle < secant) {
        if (delta <= secant - middle) {
            trial = secant - delta;
        }
        if (!(trial - middle <= room)) {
            trial = middle + room;
        }
    } else {
        if (delta <= middle - secant) {
            trial = secant + delta;
        }
        if (!(middle - trial <= room)) {
            trial = middle - room;
        }
    }
    return b->begin < trial && trial < b->end ? trial : middle;
}

/* A step of a particle, with the function that repeats a fraction of it. */
typedef struct watched_step watched_step;
struct watched_step {
    particle before, after;
    double length; /* 1, or the fraction after which the particle was stopped; `after` is its state there */
    bool stopped, ends_run;
    uint64_t n; /* number of the step, on the particle's clock */
    kdr_status (*again)(const watched_step *step, double fraction, particle *p);
    void *context;
};

static kdr_status again_alone(const watched_step *step, double fraction, particle *p) {
    *p = after_fraction(&step->before, step->n, fraction);
    return KDR_OK;
}

/* Sets *found to the particle just after the change of sign, *fraction of the step after its beginning. Trial j may lie 2^-j minus half
 * the bracket's width from the middle, j = 0, 1, ..., so that it takes at most one trial more than bisection. */
static kdr_status at_root(const watched_step *step, const kdr_watch *watch, double *fraction, particle *found) {
    const double precision = REAL_IS_FLOAT ? 0x1p-24 : 0x1p-50;
    const uint64_t n = step->n;
    bracket b = {0, step->length, watched(&step->before, watch, n, 0), watched(&step->after, watch, n, step->length)};
    const bool rises = b.at_begin < 0;
    *found = step->after;
    for (double reach = step->length; b.end - b.begin > precision; reach = 0.5 * reach) {
        const double trial = interpolate_truncate_project(&b, reach - 0.5 * (b.end - b.begin), precision);
        particle p;
        const kdr_status status = step->again(step, trial, &p);
        if (status != KDR_OK) {
            return status;
        }
        const double value = watched(&p, watch, n, trial);
        if (rises ? value >= 0 : value <= 0) {
            b.end = trial;
            b.at_end = value;
            *found = p;
        } else {
            b.begin = trial;
            b.at_begin = value;
        }
    }
    *fraction = b.end;
    return KDR_OK;
}

static bool is_sooner(const kdr_event *a, const kdr_event *b, bool back) {
    if (a->step != b->step) {
        return a->step < b->step;
    }
    if (a->particle != b->particle) {
        return a->particle < b->particle;
    }
    if (a->time < b->time || b->time < a->time) {
        return back ? b->time < a->time : a->time < b->time;
    }
    return a->watch < b->watch;
}

/* Returns where a run's events begin in the list. */
static size_t first_event_of(const kdr_events *events) {
    return !events ? 0 : events->count < events->capacity ? events->count : events->capacity;
}

/* Inserts an event among those of the run; if the list is full, the last one is dropped. */
static void note_event(const particle *p, const kdr_event *event) {
    kdr_event *const list = p->events->list;
    const size_t capacity = p->events->capacity;
    size_t at = p->events->count++;
    at = at < capacity ? at : capacity;
    for (; at > p->first_event && is_sooner(event, &list[at - 1], p->clock->dt < 0); --at) {
        if (at < capacity) {
            list[at] = list[at - 1];
        }
    }
    if (at < capacity) {
        list[at] = *event;
    }
}

/* Returns 1 or -1 if the function changes its sign in a watched direction, otherwise 0. */
static int crosses(const watched_step *step, const kdr_watch *watch) {
    const double from = watched(&step->before, watch, step->n, 0), to = watched(&step->after, watch, step->n, step->length);
    if (from < 0 && to >= 0 && watch->crossing != KDR_CROSSING_FALLING) {
        return 1;
    }
    return from > 0 && to <= 0 && watch->crossing != KDR_CROSSING_RISING ? -1 : 0;
}

/* Records all changes of sign in the step, up to the first event that stops the particle. */
static kdr_status watch_step(watched_step *step) {
    const kdr_problem *const problem = step->after.problem;
    size_t last = problem->watch_count;
    for (size_t w = 0; w < problem->watch_count; ++w) {
        if (problem->watches[w].action == KDR_ACTION_STOP_PARTICLE && crosses(step, &problem->watches[w]) != 0) {
            double fraction = 1;
            particle found;
            const kdr_status status = at_root(step, &problem->watches[w], &fraction, &found);
            if (status != KDR_OK) {
                return status;
            }
            step->after = found;
            step->length = fraction;
            step->stopped = true;
            last = w;
        }
    }
    for (size_t w = 0; w < problem->watch_count; ++w) {
        const int direction = crosses(step, &problem->watches[w]);
        double fraction = step->length;
        particle found = step->after;
        if (direction != 0 && w != last) {
            const kdr_status status = at_root(step, &problem->watches[w], &fraction, &found);
            if (status != KDR_OK) {
                return status;
            }
        }
        if (direction != 0) {
            const particle *const of = &step->before;
            kdr_event event = {.step = step->n >> of->level, .particle = of->index, .watch = w, .direction = direction};
            event.time = kdr_clock_time(of->clock, step->n, fraction);
            for (int i = 0; i < of->dims; ++i) {
                event.x[i] = (double)found.x[i];
                event.v[i] = (double)found.v[i];
            }
            note_event(of, &event);
            step->ends_run = step->ends_run || problem->watches[w].action == KDR_ACTION_STOP_RUN;
        }
    }
    return KDR_OK;
}
