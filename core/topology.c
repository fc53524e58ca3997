/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of CPUs.
 *
 * Entries are linked in the order of the firmware's table and live in blocks from bootmem, so that
 * a table of any size fits; by_id, an array of nr_cpus pointers, is made by topology_settle().
 *
 * I1. hw_id is unique among the entries.
 * I2. by_id[i]->id == i; entries that are disabled or left out have id UINT32_MAX.
 */
#include "core/topology.h"

#include <stdatomic.h>

#include <arch/mmu.h>
#include <arch/smp.h>

#include "core/errno.h"
#include "core/format.h"
#include "core/log.h"
#include "core/memory_map.h"
#include "core/panic.h"
#include "core/param.h"
#include "core/string.h"

#define BLOCK_CPUS 64u
#define CPUS_LIMIT 65536u /* of entries, against a table that makes no sense */

uint32_t nr_cpus = 1;
uint32_t nr_nodes = 1;
struct cpumask cpus_online;

static struct cpu *first_listed, *last_listed;
static uint32_t nr_listed, nr_duplicates;
static struct cpu **by_id;
static int64_t max_cpus = CPUS_LIMIT;

PARAM_NUMBER(maxcpus, "maxcpus", max_cpus, 1, CPUS_LIMIT, "a number of CPUs, 1 to 65536",
             "use at most this many CPUs");

#define EACH_LISTED(c)                                                                             \
    struct cpu *c = first_listed;                                                                  \
    c;                                                                                             \
    c = c->next_listed

static void cpu_set_state(struct cpu *c, uint32_t state)
{
    atomic_store_explicit(&c->state, state, memory_order_relaxed);
}

static bool cpu_is(const struct cpu *c, uint32_t state)
{
    return atomic_load_explicit(&c->state, memory_order_relaxed) == state;
}

/* A zeroed entry at the end of the list. */
static struct cpu *new_entry(void)
{
    static struct cpu *block;
    struct cpu *c;

    if (nr_listed % BLOCK_CPUS == 0) {
        uint64_t phys = bootmem_alloc(BLOCK_CPUS * sizeof(struct cpu), ARCH_PAGE_BYTES, 0);

        if (!phys)
            panic("no memory for the table of CPUs at entry %u", nr_listed);
        block = phys_to_virt(phys);
    }
    c = &block[nr_listed++ % BLOCK_CPUS];
    if (last_listed)
        last_listed->next_listed = c;
    else
        first_listed = c;
    last_listed = c;
    return c;
}

struct cpu *topology_find(uint64_t hw_id)
{
    for (EACH_LISTED(c))
        if (c->hw_id == hw_id)
            return c;
    return NULL;
}

struct cpu *topology_find_firmware_id(uint32_t firmware_id)
{
    for (EACH_LISTED(c))
        if (c->firmware_id == firmware_id)
            return c;
    return NULL;
}

void topology_add_cpu(uint64_t hw_id, uint32_t firmware_id, bool enabled)
{
    struct cpu *c = topology_find(hw_id);

    if (c) {
        nr_duplicates++;
        if (enabled)
            cpu_set_state(c, CPU_ENABLED);
        return;
    }
    if (nr_listed == CPUS_LIMIT) {
        log_warn("more than %u CPUs are listed; CPU with hardware id %llu is left out", CPUS_LIMIT,
                 (unsigned long long)hw_id);
        return;
    }
    c = new_entry();
    c->id = UINT32_MAX;
    c->hw_id = hw_id;
    c->firmware_id = firmware_id;
    cpu_set_state(c, enabled ? CPU_ENABLED : CPU_DISABLED);
}

static void add_port_cpus(void)
{
    uint64_t hw_id;
    uint32_t node;

    for (uint32_t i = 0; arch_cpu_listed(i, &hw_id, &node) == 0; i++) {
        topology_add_cpu(hw_id, i, true);
        topology_set_cpu_domain(hw_id, node);
    }
}

static struct cpu *settle_boot_cpu(void)
{
    uint64_t hw_id = arch_cpu_hw_id();
    struct cpu *boot = topology_find(hw_id);

    if (!boot) {
        if (nr_listed)
            log_warn("the boot CPU (hardware id %llu) is not in the firmware's table",
                     (unsigned long long)hw_id);
        topology_add_cpu(hw_id, 0, true);
        boot = topology_find(hw_id);
    }
    cpu_set_state(boot, CPU_ENABLED); /* it runs, whatever the table says */
    return boot;
}

void topology_settle(void)
{
    struct cpu *boot;
    uint32_t enabled = 0, next = 1;
    uint64_t table;

    add_port_cpus();
    boot = settle_boot_cpu();
    for (EACH_LISTED(c))
        enabled += cpu_is(c, CPU_ENABLED);
    nr_cpus = (uint32_t)MIN((int64_t)enabled, max_cpus);
    table = bootmem_alloc(nr_cpus * sizeof(*by_id), ARCH_PAGE_BYTES, 0);
    if (!table)
        panic("no memory for the numbers of %u CPUs", nr_cpus);
    by_id = phys_to_virt(table);
    by_id[0] = boot;
    boot->id = 0;
    for (EACH_LISTED(c)) {
        if (c == boot || !cpu_is(c, CPU_ENABLED))
            continue;
        if (next == nr_cpus) {
            cpu_set_state(c, CPU_UNUSED);
            continue;
        }
        c->id = next;
        by_id[next++] = c;
    }
    topology_settle_nodes();
    topology_settle_places(by_id);
}

void topology_set_cpu_domain(uint64_t hw_id, uint32_t domain)
{
    struct cpu *c = topology_find(hw_id);

    if (c)
        c->node = topology_node_of_domain(domain);
}

struct cpu *cpu_get(uint32_t id)
{
    return by_id[id];
}

uint32_t cpu_to_node(uint32_t id)
{
    return by_id[id]->node;
}

static uint32_t count_state(uint32_t state)
{
    uint32_t count = 0;

    for (EACH_LISTED(c))
        count += cpu_is(c, state);
    return count;
}

uint32_t topology_listed(void)
{
    return nr_listed;
}

uint32_t topology_disabled(void)
{
    return count_state(CPU_DISABLED);
}

uint32_t topology_failed(void)
{
    return count_state(CPU_FAILED);
}

uint32_t topology_unused(void)
{
    return count_state(CPU_UNUSED);
}

/* A line of ids that is printed when it is full: none is left out. */
struct id_line {
    const char *what;
    uint32_t count; /* of all; 0 once the first line has told it */
    size_t used;
    char ids[80];
};

static void flush_ids(struct id_line *line)
{
    if (line->count)
        log_line("cpus %s: %u (hardware ids %s)", line->what, line->count, line->ids);
    else
        log_line("cpus %s, further hardware ids: %s", line->what, line->ids);
    line->used = line->count = 0;
}

static void put_run(struct id_line *line, uint64_t first, uint64_t last)
{
    char run[48];
    size_t bytes = format_text(run, sizeof(run), last > first ? "%llu-%llu" : "%llu",
                               (unsigned long long)first, (unsigned long long)last);

    if (line->used + bytes + 2 > sizeof(line->ids))
        flush_ids(line);
    line->used += format_text(line->ids + line->used, sizeof(line->ids) - line->used, "%s%s",
                              line->used ? "," : "", run);
}

/* "0-3,5,8-9": the hardware ids of all entries in `state`, in the table's order, runs joined. */
static void report_state(uint32_t state, const char *what)
{
    struct id_line line = {.what = what, .count = count_state(state)};
    uint64_t first = 0, last = 0;
    bool open = false;

    if (!line.count)
        return;
    for (EACH_LISTED(c)) {
        if (!cpu_is(c, state))
            continue;
        if (open && c->hw_id == last + 1) {
            last++;
            continue;
        }
        if (open)
            put_run(&line, first, last);
        first = last = c->hw_id;
        open = true;
    }
    put_run(&line, first, last);
    flush_ids(&line);
}

void topology_report(void)
{
    log_line("meta cpus_listed=%u cpus_disabled=%u cpus_online=%u cpus_failed=%u cpus_unused=%u",
             nr_listed, topology_disabled(), count_state(CPU_ONLINE), topology_failed(),
             topology_unused());
    report_state(CPU_ONLINE, "online");
    report_state(CPU_DISABLED, "disabled by firmware");
    report_state(CPU_UNUSED, "left out by maxcpus=");
    report_state(CPU_FAILED, "that did not start");
    if (nr_duplicates)
        log_line("cpus listed more than once: %u entries passed over", nr_duplicates);
    topology_report_places();
    topology_report_nodes();
}
