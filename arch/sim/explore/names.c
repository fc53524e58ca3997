/* SPDX-License-Identifier: Apache-2.0 */
/* Names of places in memory, for traces: static variables from the program's own symbol table,
 * per-CPU ones too, and what a scenario has named. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <arch/percpu.h>

#include "arch/sim/explore/explore.h"

#define NAMED_MAX 16u

static struct {
    uintptr_t at;
    size_t bytes;
    const char *name;
} named[NAMED_MAX];
static uint32_t nr_named;

void explore_names_forget(void)
{
    nr_named = 0;
}

void explore_name(const volatile void *at, size_t bytes, const char *name)
{
    if (nr_named < NAMED_MAX) {
        named[nr_named].at = (uintptr_t)at;
        named[nr_named].bytes = bytes;
        named[nr_named++].name = name;
    }
}

static const char *map_program(size_t *bytes)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *map = MAP_FAILED;

    if (file >= 0 && fstat(file, &status) == 0) {
        *bytes = (size_t)status.st_size;
        map = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0)
        close(file);
    return map == MAP_FAILED ? NULL : map;
}

/* The section headers of a whole file; NULL where there are none. */
static const Elf64_Shdr *sections_of(const char *program, size_t bytes)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)program;

    if (!program || bytes < sizeof(*head) ||
        head->e_shoff + (size_t)head->e_shnum * sizeof(Elf64_Shdr) > bytes)
        return NULL;
    return (const Elf64_Shdr *)(program + head->e_shoff);
}

/* The variable that holds `at`; *offset in it. */
static const char *variable_at(uintptr_t at, uintptr_t *offset)
{
    static const char *program;
    static size_t bytes;
    const Elf64_Shdr *section;

    if (!program)
        program = map_program(&bytes);
    section = sections_of(program, bytes);
    for (unsigned i = 0; section && i < ((const Elf64_Ehdr *)program)->e_shnum; i++) {
        const Elf64_Sym *symbol = (const Elf64_Sym *)(program + section[i].sh_offset);
        const char *names = program + section[section[i].sh_link].sh_offset;

        if (section[i].sh_type != SHT_SYMTAB || section[i].sh_offset + section[i].sh_size > bytes)
            continue;
        for (size_t n = section[i].sh_size / sizeof(*symbol); n > 0; n--, symbol++)
            if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
                at - symbol->st_value < symbol->st_size) {
                *offset = at - symbol->st_value;
                return names + symbol->st_name;
            }
    }
    return NULL;
}

static void put_name(char *text, size_t bytes, const char *name, uintptr_t offset)
{
    if (offset)
        snprintf(text, bytes, "%s+%#lx", name, (unsigned long)offset);
    else
        snprintf(text, bytes, "%s", name);
}

static bool name_in_unit(uintptr_t at, char *text, size_t bytes)
{
    for (uint32_t cpu = 0; cpu < sim_options.cpus; cpu++) {
        uintptr_t in_unit = at - percpu_base(cpu), offset;
        const char *name;
        int used;

        if (in_unit >= PERCPU_STRIDE_BYTES)
            continue;
        used = snprintf(text, bytes, "unit %u ", cpu);
        name = in_unit - PERCPU_STATIC_OFFSET < percpu_static_bytes()
                   ? variable_at((uintptr_t)percpu_image_start + in_unit - PERCPU_STATIC_OFFSET,
                                 &offset)
                   : NULL;
        if (name)
            put_name(text + used, bytes - (size_t)used, name, offset);
        else
            put_name(text + used, bytes - (size_t)used, "", in_unit);
        return true;
    }
    return false;
}

void explore_name_of(uintptr_t at, char *text, size_t bytes)
{
    uintptr_t offset;
    const char *name;

    for (uint32_t i = 0; i < nr_named; i++)
        if (at - named[i].at < named[i].bytes) {
            put_name(text, bytes, named[i].name, at - named[i].at);
            return;
        }
    if (name_in_unit(at, text, bytes))
        return;
    name = variable_at(at, &offset);
    if (name)
        put_name(text, bytes, name, offset);
    else
        snprintf(text, bytes, "%#lx", (unsigned long)at);
}
