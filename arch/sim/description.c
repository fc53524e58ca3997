/* SPDX-License-Identifier: Apache-2.0 */
/* Machine descriptions: the keys, the parser, and what is said of a mistake. */
#include "arch/process/process.h"
#include "arch/sim/description.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/sim/backend.h"

#define LINE_BYTES 256u
#define OVERRIDES_MAX 32u
#define PER_LINE 6u

struct sim_description sim_machine;

enum kind { COUNT, NS, NUMBER };

static const struct key {
    const char *name;
    size_t offset;
    enum kind kind;
    double min, max;
    double otherwise; /* where the file has none; NONE: it must have one */
} keys[] = {
#define NONE -1
#define KEY(name, kind, min, max, otherwise)                                                       \
    {                                                                                              \
#name, offsetof(struct sim_description, name), kind, min, max, otherwise                   \
    }
    KEY(sockets, COUNT, 1, 64, NONE),
    KEY(clusters, COUNT, 1, 4096, NONE),
    KEY(cores, COUNT, 1, 64, NONE),
    KEY(threads, COUNT, 1, 2, NONE),
    KEY(threads_adjacent, COUNT, 0, 1, 0),
    KEY(l1, NS, 0, 1000, NONE),
    KEY(atomic, NS, 0, 1000, NONE),
    KEY(percpu, NS, 0, 1000, NONE),
    KEY(smt, NS, 0, 1000, 0),
    KEY(cluster, NS, 0, 10000, NONE),
    KEY(socket, NS, 0, 10000, NONE),
    KEY(far, NS, 0, 10000, 0),
    KEY(far2, NS, 0, 10000, 0),
    KEY(cluster_busy, NS, 0, 1000, NONE),
    KEY(home_busy, NS, 0, 1000, NONE),
    KEY(cold, NS, 0, 10000, NONE),
    KEY(cold_far, NS, 0, 10000, 0),
    KEY(tlb, NS, 0, 1000, 0),
    KEY(relax, NS, 0, 1000, NONE),
    KEY(wake, NS, 0, 100000, NONE),
    KEY(stamp, NS, 0.001, 1000, 5),
    KEY(operation, NS, 0, 1000, 0),
    KEY(instruction, NS, 0, 100, 0),
    KEY(alpha, NUMBER, 0, 1, NONE),
    KEY(rho, NUMBER, 0, 1, NONE),
    KEY(jitter, NUMBER, 0, 0.9, 0.15),
    KEY(smt_slowdown, NUMBER, 1, 4, 1),
    KEY(home_far, NUMBER, 0, 1, 0),
    KEY(store_buffer, COUNT, 1, 64, 16),
    KEY(tlb_entries, COUNT, 1, 256, 64),
    KEY(pair_prefetch, COUNT, 0, 1, 0),
    KEY(tso, COUNT, 0, 1, 1),
    KEY(instructions, NUMBER, 0, 1000, 0),
    KEY(rest, NUMBER, 0, 10, 1),
};

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))
#define KEYS_BYTES 1024u

const char *sim_description_keys(void)
{
    static char text[KEYS_BYTES];
    size_t used = 0;

    for (unsigned i = 0; i < NR_KEYS && used < sizeof(text); i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
                                 keys[i].name);
    return text;
}

static unsigned seen_at[NR_KEYS]; /* line of the file, 0: not there */
static const char *overrides[OVERRIDES_MAX];
static unsigned nr_overrides;

static double *field(const struct key *key)
{
    return (double *)((char *)&sim_machine + key->offset);
}

static const struct key *find_key(const char *name, size_t bytes)
{
    for (unsigned i = 0; i < NR_KEYS; i++)
        if (strlen(keys[i].name) == bytes && memcmp(keys[i].name, name, bytes) == 0)
            return &keys[i];
    return NULL;
}

/* `where`: "FILE:LINE" or the argument. */
static void set_value(const struct key *key, const char *text, const char *where)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= key->min && value <= key->max) ||
        (key->kind == COUNT && value != (double)(long)value))
        process_usage("%s: %s \"%s\": expected %s from %g to %g%s", where, key->name, text,
                      key->kind == COUNT ? "a whole number" : "a number", key->min, key->max,
                      key->kind == NS ? " (ns)" : "");
    *field(key) = value;
}

static void copy_text(char to[SIM_NAME_BYTES], const char *text, const char *where)
{
    if (strlen(text) >= SIM_NAME_BYTES)
        process_usage("%s: \"%s\" is longer than %u characters", where, text, SIM_NAME_BYTES - 1);
    strcpy(to, text);
}

static void read_line(char *line, const char *file, unsigned number)
{
    static char where[4096 + 16];
    char *name, *value, *end;
    const struct key *key;

    snprintf(where, sizeof(where), "%.4095s:%u", file, number);
    line[strcspn(line, "#")] = '\0';
    name = line + strspn(line, " \t\r\n");
    for (end = name + strlen(name); end > name && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    if (!*name)
        return;
    value = name + strcspn(name, " \t");
    if (!*value)
        process_usage("%s: \"%s\" has no value", where, name);
    *value++ = '\0';
    value += strspn(value, " \t");
    if (strcmp(name, "name") == 0) {
        copy_text(sim_machine.name, value, where);
        return;
    }
    if (strcmp(name, "model") == 0) {
        copy_text(sim_machine.model, value, where);
        return;
    }
    key = find_key(name, strlen(name));
    if (!key)
        process_usage("%s: there is no figure \"%s\"; expected name, model or one of %s", where,
                      name, sim_description_keys());
    if (seen_at[key - keys])
        process_usage("%s: %s is set already, in line %u", where, name, seen_at[key - keys]);
    seen_at[key - keys] = number;
    set_value(key, value, where);
}

static void read_file(FILE *stream, const char *file)
{
    char line[LINE_BYTES];
    unsigned number = 0;

    while (fgets(line, sizeof(line), stream)) {
        number++;
        if (!strchr(line, '\n') && !feof(stream))
            process_usage("%s:%u: a line of more than %u characters", file, number, LINE_BYTES - 2);
        read_line(line, file, number);
    }
    if (ferror(stream))
        process_usage("%s: cannot be read: %s", file, strerror(errno));
}

bool sim_description_override(const char *argument)
{
    if (strncmp(argument, "sim.", 4) != 0)
        return false;
    if (nr_overrides == OVERRIDES_MAX)
        process_usage("%s: more than %u figures are given", argument, OVERRIDES_MAX);
    overrides[nr_overrides++] = argument;
    return true;
}

static void apply_override(const char *argument)
{
    const char *name = argument + strlen("sim."), *equals = strchr(name, '=');
    const struct key *key = equals ? find_key(name, (size_t)(equals - name)) : NULL;

    if (!key)
        process_usage("%s: expected sim.FIGURE=VALUE, FIGURE one of %s", argument,
                      sim_description_keys());
    set_value(key, equals + 1, argument);
    seen_at[key - keys] = seen_at[key - keys] ? seen_at[key - keys] : 1;
}

static void fill_in(const char *file)
{
    for (unsigned i = 0; i < NR_KEYS; i++) {
        if (seen_at[i])
            continue;
        if (keys[i].otherwise == NONE)
            process_usage("%s: no figure for \"%s\"", file, keys[i].name);
        *field(&keys[i]) = keys[i].otherwise;
    }
    if (sim_machine.sockets > 1 && !sim_machine.far)
        process_usage("%s: no figure for \"far\", and there are %g sockets", file,
                      sim_machine.sockets);
    if (!sim_machine.far2)
        sim_machine.far2 = sim_machine.far;
    if (!sim_machine.cold_far)
        sim_machine.cold_far = sim_machine.cold;
    if ((uint32_t)sim_machine.tlb_entries & ((uint32_t)sim_machine.tlb_entries - 1))
        process_usage("%s: tlb_entries %g is no power of two", file, sim_machine.tlb_entries);
    if (sim_description_cpus() > SIM_MAX_CPUS)
        process_usage("%s: %u CPUs; %u at most", file, sim_description_cpus(), SIM_MAX_CPUS);
}

uint32_t sim_description_cpus(void)
{
    return (uint32_t)(sim_machine.sockets * sim_machine.clusters * sim_machine.cores *
                      sim_machine.threads);
}

/* More CPUs than the machine has: more sockets of the same kind. Fewer: the first ones. */
static void settle_size(const char *file)
{
    double one = sim_machine.clusters * sim_machine.cores * sim_machine.threads;

    if (!sim_options.cpus)
        sim_options.cpus = sim_description_cpus();
    while (sim_machine.sockets * one < sim_options.cpus)
        sim_machine.sockets++;
    if (sim_machine.sockets > 1 && !sim_machine.far)
        process_usage("%s: no figure for \"far\": smp=%u needs %g sockets", file, sim_options.cpus,
                      sim_machine.sockets);
}

void sim_description_load(void)
{
    const char *want = sim_options.machine;
    static char path[4096];
    FILE *stream;

    if (strchr(want, '/') || strchr(want, '.'))
        snprintf(path, sizeof(path), "%s", want);
    else
        snprintf(path, sizeof(path), "%s%s.machine", sim_machines_folder(), want);
    stream = fopen(path, "re");
    if (!stream)
        process_usage("machine=%s: %s: %s; expected a file's path or one of %s", want, path,
                      strerror(errno), sim_machine_names());
    read_file(stream, path);
    fclose(stream);
    for (unsigned i = 0; i < nr_overrides; i++)
        apply_override(overrides[i]);
    fill_in(path);
    settle_size(path);
}

const char *sim_description_line(uint32_t i)
{
    static char text[LINE_BYTES];
    size_t used = 0;

    if (i * PER_LINE >= NR_KEYS)
        return NULL;
    for (unsigned k = i * PER_LINE; k < NR_KEYS && k < (i + 1) * PER_LINE; k++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%g", used ? " " : "",
                                 keys[k].name, *field(&keys[k]));
    return text;
}
