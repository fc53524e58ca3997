/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing CPUs by where they lie. See bench/selection.h. */
#include "bench/selection.h"

#include "core/errno.h"
#include "core/format.h"
#include "core/param.h"
#include "core/slab.h"
#include "core/string.h"
#include "core/topology.h"

#define WHY_BYTES 100u

/* What CPUs are told apart by; the order is that of the words in messages. */
enum kind { NODE, PACKAGE, DIE, LLC, CLUSTER, CORE, THREAD, CPU, NR_KINDS };

static const char *const kind_names[NR_KINDS] = {"node",    "package", "die",    "llc",
                                                 "cluster", "core",    "thread", "cpu"};

static uint32_t number_of(const struct cpu *cpu, enum kind kind)
{
    const uint32_t numbers[NR_KINDS] = {cpu->node,    cpu->package, cpu->die,    cpu->llc,
                                        cpu->cluster, cpu->core,    cpu->thread, cpu->id};

    return numbers[kind];
}

/* The highest number that any CPU has. */
static uint32_t highest_of(enum kind kind)
{
    uint32_t highest = 0;

    for (uint32_t id = 0; id < nr_cpus; id++)
        highest = MAX(highest, number_of(cpu_get(id), kind));
    return highest;
}

/* Digits up to `end`; false for none, or for more than 9. */
static bool take_number(const char **text, const char *end, uint32_t *out)
{
    const char *start = *text;

    for (*out = 0; *text < end && **text >= '0' && **text <= '9'; (*text)++)
        *out = *out * 10 + (uint32_t)(**text - '0');
    return *text > start && *text - start <= 9;
}

struct domain_range {
    enum kind kind;
    uint32_t first, last;
};

/* "llc:3" or "llc:3-5". False when it does not begin as one; -CS_EINVAL in *error when it is
 * broken. */
static bool take_range(const char *item, size_t bytes, struct domain_range *out, int *error)
{
    const char *end = item + bytes, *text;
    size_t name = 0;

    while (name < bytes && item[name] != ':')
        name++;
    for (out->kind = NODE; out->kind < NR_KINDS; out->kind++)
        if (text_is(item, name, kind_names[out->kind]))
            break;
    if (name == bytes || out->kind == NR_KINDS)
        return false;
    text = item + name + 1;
    *error = -CS_EINVAL;
    if (!take_number(&text, end, &out->first))
        return true;
    out->last = out->first;
    if (text < end && *text == '-') {
        text++;
        if (!take_number(&text, end, &out->last) || out->last < out->first)
            return true;
    }
    *error = text == end ? 0 : -CS_EINVAL;
    return true;
}

/* "cores": one CPU of each. NR_KINDS for any other word. */
static enum kind one_of_each(const char *item, size_t bytes)
{
    for (enum kind kind = NODE; kind <= CORE; kind++)
        if (bytes > 1 && item[bytes - 1] == 's' && text_is(item, bytes - 1, kind_names[kind]))
            return kind;
    return NR_KINDS;
}

bool selection_is_item(const char *item, size_t bytes, const char **why)
{
    static char text[WHY_BYTES];
    struct domain_range range;
    int error;

    *why = NULL;
    if (one_of_each(item, bytes) < NR_KINDS || text_is(item, bytes, "compact") ||
        text_is(item, bytes, "spread"))
        return true;
    if (!take_range(item, bytes, &range, &error))
        return false;
    if (error)
        format_text(text, sizeof(text), "needs a number or a range as in %s:0-3",
                    kind_names[range.kind]);
    else if (range.last > highest_of(range.kind))
        format_text(text, sizeof(text), "goes beyond %s %u, which is the last one",
                    kind_names[range.kind], highest_of(range.kind));
    else
        return true;
    *why = text;
    return true;
}

/* Items of one kind add up, kinds narrow down. */
static bool is_wanted(const char *list, const struct cpu *cpu)
{
    bool named[NR_KINDS] = {false}, inside[NR_KINDS] = {false};
    struct domain_range range;
    const char *item;
    size_t bytes;
    int error;

    while (param_list_next(&list, &item, &bytes)) {
        if (!take_range(item, bytes, &range, &error) || error ||
            range.last > highest_of(range.kind))
            continue;
        named[range.kind] = true;
        inside[range.kind] |=
            number_of(cpu, range.kind) >= range.first && number_of(cpu, range.kind) <= range.last;
    }
    for (enum kind kind = NODE; kind < NR_KINDS; kind++)
        if (named[kind] && !inside[kind])
            return false;
    return true;
}

static uint32_t keep_wanted(const char *list, uint32_t *cpus, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (is_wanted(list, cpu_get(cpus[i])))
            cpus[kept++] = cpus[i];
    return kept;
}

/* Cores and the like are numbered over the whole machine, so that one number is enough to compare.
 */
static uint32_t keep_one_of_each(enum kind kind, uint32_t *cpus, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0;

        while (before < kept &&
               number_of(cpu_get(cpus[before]), kind) != number_of(cpu_get(cpus[i]), kind))
            before++;
        if (before == kept)
            cpus[kept++] = cpus[i];
    }
    return kept;
}

/* --- order --- */

/* The lowest number of `inner` in the CPU's domain of `outer`. */
static uint32_t first_inside(const struct cpu *cpu, enum kind inner, enum kind outer)
{
    uint32_t first = UINT32_MAX;

    for (uint32_t id = 0; id < nr_cpus; id++)
        if (number_of(cpu_get(id), outer) == number_of(cpu, outer))
            first = MIN(first, number_of(cpu_get(id), inner));
    return first;
}

/* What is compared first stands highest; no machine has more than 2^16 CPUs (core/topology.c). */
static uint64_t order_key(const struct cpu *cpu, bool spread)
{
    uint64_t core, llc;

    if (!spread)
        return (uint64_t)cpu->core << 32 | cpu->thread;
    core = cpu->core - first_inside(cpu, CORE, LLC);
    llc = cpu->llc - first_inside(cpu, LLC, PACKAGE);
    return (uint64_t)cpu->thread << 48 | core << 32 | llc << 16 | cpu->package;
}

/* Stable insertion: once a run. -CS_ENOMEM. */
static int put_in_order(uint32_t *cpus, uint32_t count, bool spread)
{
    uint64_t *keys = kmalloc(count * sizeof(*keys));

    if (!keys)
        return -CS_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cpu = cpus[i], at = i;
        uint64_t key = order_key(cpu_get(cpu), spread);

        for (; at && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            cpus[at] = cpus[at - 1];
        }
        keys[at] = key;
        cpus[at] = cpu;
    }
    kfree(keys);
    return 0;
}

int selection_apply(const char *list, uint32_t *cpus, uint32_t *count, bool *nothing_left)
{
    const char *rest = list, *item;
    uint32_t kept = 0;
    size_t bytes;

    for (uint32_t i = 0; i < *count; i++)
        kept += is_wanted(list, cpu_get(cpus[i]));
    *nothing_left = !kept;
    if (!kept)
        return 0;
    *count = keep_wanted(list, cpus, *count);
    while (param_list_next(&rest, &item, &bytes)) {
        enum kind kind = one_of_each(item, bytes);

        if (kind < NR_KINDS)
            *count = keep_one_of_each(kind, cpus, *count);
    }
    if (param_list_has(list, "spread"))
        return put_in_order(cpus, *count, true);
    return param_list_has(list, "compact") ? put_in_order(cpus, *count, false) : 0;
}

char *selection_text(const char *list, char *text, size_t bytes)
{
    const char *item, *why;
    size_t used = 0, length;

    text[0] = '\0';
    while (param_list_next(&list, &item, &length))
        if (selection_is_item(item, length, &why) && !why && used < bytes)
            used += format_text(text + used, bytes - used, "%s%.*s", used ? "+" : "", (int)length,
                                item);
    return text;
}
