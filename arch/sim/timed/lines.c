/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the state of each line is.
 *
 * Most lines have one user: a slot of 8 bytes in a table that covers the whole modelled range (the
 * host gives its pages as they are touched). A line with several users has a record, and in it a
 * small hash table of the clusters that ever touched it.
 *
 * L1. A slot's tag is the CPU's whose exclusive copy has no end, or TAG_SHARED.
 * L2. Records are never moved or freed: pointers stay. Copies of clusters are, but for that of the
 *     CPU that runs (L4).
 * L3. The bit of a cluster in `holders` is set if its copy, the present or the coming one, has no
 *     end: they alone are asked when a line is taken away, however many clusters ever touched it.
 */
#include <port/layout.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <arch/percpu.h>

#include "arch/process/process.h"
#include "arch/sim/timed/timed.h"

#define BLOCKS_MAX 65536u
#define TABLE_MIN 4u

struct line *line_blocks[BLOCKS_MAX];
bool lines_counted;
static uint32_t nr_lines;

void lines_init(void)
{
    size_t bytes = (SIM_SPAN >> SIM_LINE_SHIFT) * sizeof(struct line_slot);
    void *got = mmap(LINE_SLOTS, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (got != LINE_SLOTS)
        process_usage("the host does not give %zu MiB of address space for the state of lines",
                      bytes >> 20);
    madvise(got, bytes, MADV_NOHUGEPAGE);
}

uint32_t lines_count(void)
{
    return nr_lines;
}

/* The socket whose memory holds the line: a CPU's own things are near to it, memory is dealt out in
 * as many parts as there are sockets (main.c), the rest is the first socket's. */
uint32_t line_home(uint32_t number)
{
    uintptr_t address = line_address(number);
    uint32_t cpu = NO_CPU;

    if (address >= SIM_PERCPU)
        cpu = (uint32_t)((address - SIM_PERCPU) / PERCPU_STRIDE_BYTES);
    else if (address >= SIM_STACKS)
        cpu = (uint32_t)((address - SIM_STACKS) / SIM_STACK_STRIDE);
    else if (address >= SIM_ARENA && address < SIM_ARENA + sim_options.memory_bytes)
        return (uint32_t)((address - SIM_ARENA) / (sim_options.memory_bytes / timed.sockets + 1));
    return cpu < sim_options.cpus ? timed_cpus[cpu].socket : 0;
}

static struct line *line_new(uint32_t number)
{
    struct line **block = &line_blocks[nr_lines / LINE_BLOCK];
    struct line *line;

    if (nr_lines / LINE_BLOCK >= BLOCKS_MAX)
        sim_fatal("more than %u shared lines", BLOCKS_MAX * LINE_BLOCK);
    if (!*block)
        *block = calloc(LINE_BLOCK, sizeof(struct line));
    if (!*block)
        sim_fatal("no memory for the state of %u shared lines", nr_lines);
    line = &(*block)[nr_lines++ % LINE_BLOCK];
    line->number = number;
    line->home = line_home(number);
    line->parked = line->owner = line->streak_cpu = line->last_cpu = NO_CPU;
    LINE_SLOTS[number].record = nr_lines;
    return line;
}

static struct cluster_copy *spare; /* chained by spare->then */

static struct cluster_copy *cluster_new(uint32_t cluster)
{
    size_t bytes = sizeof(*spare) + timed.cores * sizeof(struct grant);
    struct cluster_copy *copy = spare;

    if (copy) {
        spare = copy->then;
        memset(copy, 0, bytes);
    } else {
        copy = calloc(1, bytes);
    }
    if (!copy)
        sim_fatal("no memory for the state of a shared line");
    copy->cluster = cluster;
    return copy;
}

static void table_insert(struct line *line, struct cluster_copy *copy)
{
    uint32_t at = copy->cluster & (line->capacity - 1);

    while (line->table[at])
        at = (at + 1) & (line->capacity - 1);
    line->table[at] = copy;
    copy->slot = at;
    if (copy->now.until == NEVER || copy->next.until == NEVER)
        line_hold(line, copy);
}

static void table_grow(struct line *line)
{
    struct cluster_copy **old = line->table;
    uint32_t old_capacity = line->capacity;

    line->capacity = old_capacity ? 2 * old_capacity : TABLE_MIN;
    line->table = calloc(line->capacity, sizeof(*line->table));
    free(line->holders);
    line->holders = calloc((line->capacity + 63) / 64, sizeof(*line->holders));
    if (!line->table || !line->holders)
        sim_fatal("no memory for the state of a shared line");
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i])
            table_insert(line, old[i]);
    free(old);
}

/* L4. Of use to nobody whose time has not passed, and not counted for the report. */
static bool is_past(const struct cluster_copy *c, uint64_t t)
{
    return c->now.until <= t && c->next.until <= t && c->free <= t &&
           c->cluster != timed_me->cluster && !(lines_counted && c->requests);
}

static void forget_past(struct line *line)
{
    struct cluster_copy **old = line->table;
    uint64_t t = schedule_oldest();

    line->table = calloc(line->capacity, sizeof(*line->table));
    if (!line->table)
        sim_fatal("no memory for the state of a shared line");
    memset(line->holders, 0, (line->capacity + 63) / 64 * sizeof(*line->holders));
    for (uint32_t i = 0; i < line->capacity; i++) {
        if (!old[i])
            continue;
        if (is_past(old[i], t)) {
            old[i]->then = spare;
            spare = old[i];
            line->used--;
        } else {
            table_insert(line, old[i]);
        }
    }
    free(old);
}

static bool is_full(const struct line *line)
{
    return 4 * (line->used + 1) > 3 * line->capacity;
}

struct cluster_copy *line_cluster_find(struct line *line, uint32_t cluster)
{
    struct cluster_copy *copy;

    if (line->capacity)
        for (uint32_t at = cluster & (line->capacity - 1); line->table[at];
             at = (at + 1) & (line->capacity - 1))
            if (line->table[at]->cluster == cluster)
                return line->table[at];
    if (line->capacity && is_full(line))
        forget_past(line);
    if (is_full(line))
        table_grow(line);
    copy = cluster_new(cluster);
    line->used++;
    table_insert(line, copy);
    return copy;
}

/* L1: what the slot said becomes the record's. */
static void take_over_owner(struct line *line, uint32_t tag)
{
    const struct timed_cpu *cpu = &timed_cpus[tag - 1];
    struct cluster_copy *copy = line_cluster(line, cpu->cluster);

    copy->now = (struct grant){0, NEVER, NEVER};
    line_hold(line, copy);
    copy->copies = 1ull << cpu->core_in_cluster;
    copy->core[cpu->core_in_cluster] = (struct grant){0, NEVER, NEVER};
    line->owner = cpu->cluster;
    line->last_cpu = cpu->id;
    for (uint32_t i = 0; i < cpu->nr_stores; i++) /* R6: seen behind what was stored before */
        if (cpu->stores[i].done > copy->free)
            copy->free = cpu->stores[i].done;
}

struct line *line_make_shared(uint32_t number)
{
    struct line_slot *slot = &LINE_SLOTS[number];
    struct line *line;

    if (slot->record)
        line = line_by_index(slot->record - 1);
    else
        line = line_new(number);
    if (slot->tag != TAG_SHARED && slot->tag != TAG_UNTOUCHED)
        take_over_owner(line, slot->tag);
    slot->tag = TAG_SHARED;
    line->streak = 0;
    return line;
}

void line_make_private(struct line *line, const struct timed_cpu *cpu)
{
    LINE_SLOTS[line->number].tag = cpu->tag;
    line->streak = 0;
}
