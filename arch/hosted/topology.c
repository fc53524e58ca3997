/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the processors of the host lie, by /sys/devices/system/cpu (Linux,
 * Documentation/ABI/stable/sysfs-devices-system-cpu). A CPU of the process lies where the processor
 * that carries it does; two on one processor are two threads of its core. Hosts without the files,
 * or with ones that hold no numbers, have no known topology.
 */
#include <arch/machine.h>
#include <arch/topology.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/hosted/hosted.h"

#define CPU_FOLDER "/sys/devices/system/cpu/cpu"
#define FILE_BYTES 64 /* of a file, what is read of it */
#define CACHES_MAX 8u

/* The start of a file, as one line. False where there is none. */
static bool read_text(char text[FILE_BYTES], uint32_t processor, const char *name)
{
    char path[128];
    FILE *file;
    bool done;

    snprintf(path, sizeof(path), CPU_FOLDER "%u/%s", processor, name);
    file = fopen(path, "re");
    if (!file)
        return false;
    done = fgets(text, FILE_BYTES, file) != NULL;
    fclose(file);
    text[done ? strcspn(text, "\n") : 0] = '\0';
    return done;
}

/* The number that a file begins with: lists of processors ("0-7,64-71") begin with the lowest. -1
 * (also what the kernel writes for "not known") where there is none. */
static int64_t read_number(uint32_t processor, const char *name)
{
    char text[FILE_BYTES], *end;
    long value;

    if (!read_text(text, processor, name))
        return -1;
    value = strtol(text, &end, 10);
    return end == text || value < 0 ? -1 : value;
}

/* The lowest processor that shares the last cache; -1 where no cache is told. */
static int64_t last_cache(uint32_t processor)
{
    int64_t level = 1, shared = -1;
    char name[64];

    for (unsigned i = 0; i < CACHES_MAX; i++) {
        int64_t this_level;

        snprintf(name, sizeof(name), "cache/index%u/level", i);
        this_level = read_number(processor, name);
        if (this_level <= level)
            continue;
        level = this_level;
        snprintf(name, sizeof(name), "cache/index%u/shared_cpu_list", i);
        shared = read_number(processor, name);
    }
    return shared;
}

static int processor_place(uint32_t processor, struct arch_cpu_place *place)
{
    int64_t package = read_number(processor, "topology/physical_package_id");
    int64_t core = read_number(processor, "topology/thread_siblings_list");
    int64_t die = read_number(processor, "topology/die_id");
    int64_t cluster = read_number(processor, "topology/cluster_cpus_list");
    int64_t llc = last_cache(processor);

    if (package < 0 || core < 0)
        return -ENOENT;
    *place = (struct arch_cpu_place){{
        [TOPOLOGY_PACKAGE] = (uint64_t)package,
        [TOPOLOGY_DIE] = (uint64_t)(die < 0 ? 0 : die),
        [TOPOLOGY_LLC] = (uint64_t)(llc < 0 ? 0 : llc),
        [TOPOLOGY_CLUSTER] = (uint64_t)(cluster < 0 ? core : cluster),
        [TOPOLOGY_CORE] = (uint64_t)core,
    }};
    return 0;
}

/* Files are read once for each processor, however many CPUs it carries. */
int arch_cpu_place(uint64_t hw_id, struct arch_cpu_place *place)
{
    static struct known {
        bool was_read;
        int error;
        struct arch_cpu_place place;
    } * known;
    uint32_t nth = (uint32_t)(hw_id % arch_host_processors());
    uint32_t processor = hosted_processor((uint32_t)hw_id);

    if (!known)
        known = calloc(arch_host_processors(), sizeof(*known));
    if (!known)
        return -ENOENT;
    if (!known[nth].was_read)
        known[nth].error = processor_place(processor, &known[nth].place);
    known[nth].was_read = true;
    *place = known[nth].place;
    place->at[TOPOLOGY_THREAD] = (uint64_t)processor << 32 | hw_id;
    return known[nth].error;
}

/* The thread was pinned, or was not: the host does not say where it runs for good. */
bool arch_cpu_place_agrees(const struct arch_cpu_place *place)
{
    return true;
}

const char *arch_cpu_place_source(void)
{
    return "sysfs";
}

const char *arch_cpu_place_refused(void)
{
    return NULL;
}

/* "32K", "1024K", "1M". 0 for anything else. */
static uint64_t size_of(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);

    return *end == 'K' ? value << 10 : *end == 'M' ? value << 20 : 0;
}

bool arch_cache(unsigned i, struct arch_cache *out)
{
    uint32_t processor = hosted_processor(0);
    char name[64], size[FILE_BYTES], type[FILE_BYTES];
    int64_t level;

    if (i >= CACHES_MAX)
        return false;
    snprintf(name, sizeof(name), "cache/index%u/level", i);
    level = read_number(processor, name);
    snprintf(name, sizeof(name), "cache/index%u/size", i);
    if (level < 1 || !read_text(size, processor, name))
        return false;
    snprintf(name, sizeof(name), "cache/index%u/type", i);
    if (!read_text(type, processor, name))
        return false;
    *out = (struct arch_cache){.level = (unsigned)level,
                               .kind = *type == 'D'   ? ARCH_CACHE_DATA
                                       : *type == 'I' ? ARCH_CACHE_INSTRUCTIONS
                                                      : ARCH_CACHE_UNIFIED,
                               .bytes = size_of(size)};
    return true;
}
