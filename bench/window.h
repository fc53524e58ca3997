/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of bench/team.h: what the members of a team share during one window. */
#ifndef BENCH_WINDOW_H
#define BENCH_WINDOW_H

#include "bench/team.h"

enum member_phase {
    MEMBER_AWAY,    /* has not come to the window */
    MEMBER_WORKING, /* at the barrier or in its window */
    MEMBER_CLOSED,  /* its window is closed, it goes on working */
    MEMBER_DONE,
};

struct window {
    struct team *team;
    struct barrier meet;
    bool calibrates;
    bool is_crowd;          /* many members take turns on a few processors */
    uint64_t length_ticks;  /* of each member's window */
    uint64_t chunk_ticks;   /* aim for the length of a chunk */
    uint64_t gap_ticks;     /* a chunk this much longer than its CPU's shortest has a gap in it */
    uint64_t timeout_ticks; /* for each of: meeting, closing */
    uint64_t start;         /* stamp, set by the last one at the barrier */
    uint64_t spread_ticks;  /* members begin within so long, at random; 0: together (simulated.c) */
    uint64_t lead_ticks;    /* from each one's beginning until it counts */
    cacheline_aligned _Atomic uint32_t open; /* members whose window is open */
    _Atomic uint32_t lost;                   /* somebody is naming the missing */
};

/* The function that smp_run() starts on each member; arg: struct window. */
void window_member(void *arg);

/* The counted part, by kind. */
void window_count(const struct window *w, struct participant *me);
void window_find_chunk(const struct window *w, struct participant *me);
/* The counted part in a crowd: the chunk is found anew all the time, from 1 up. */
void window_count_crowd(const struct window *w, struct participant *me);

/* simulated.c: the same where time is simulated. */
void window_simulate(struct window *w);
void window_simulated_chunk(const struct window *w, struct participant *me);
/* Works, uncounted, until the member has reached its place in the window. */
void window_simulated_lead(const struct window *w, struct participant *me);

/* I3 of bench/team.h. Does not return to the one that names; the others wait for its panic. */
void window_name_missing(struct window *w, enum member_phase expected);

#endif
