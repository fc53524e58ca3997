/* SPDX-License-Identifier: Apache-2.0 */
/* Names of static variables: the program's own symbols (System V ABI, chapter 4). */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/sim/sim.h"

struct image {
    const Elf64_Sym *symbols;
    size_t nr;
    const char *names;
};

static char *read_program(void)
{
    FILE *stream = fopen("/proc/self/exe", "re");
    long bytes = stream && fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : 0;
    char *text = bytes > 0 ? malloc((size_t)bytes) : NULL;

    if (text) {
        rewind(stream);
        if (fread(text, 1, (size_t)bytes, stream) != (size_t)bytes) {
            free(text);
            text = NULL;
        }
    }
    if (stream)
        fclose(stream);
    return text;
}

static const struct image *image(void)
{
    static struct image found;
    static bool tried;
    const char *text;

    if (tried)
        return &found;
    tried = true;
    text = read_program();
    if (!text)
        return &found;
    for (unsigned i = 0; i < ((const Elf64_Ehdr *)text)->e_shnum; i++) {
        const Elf64_Shdr *sections =
            (const Elf64_Shdr *)(text + ((const Elf64_Ehdr *)text)->e_shoff);

        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        found.symbols = (const Elf64_Sym *)(text + sections[i].sh_offset);
        found.nr = sections[i].sh_size / sizeof(Elf64_Sym);
        found.names = text + sections[sections[i].sh_link].sh_offset;
    }
    return &found;
}

bool sim_variable_find(uintptr_t address, uintptr_t bytes, struct sim_variable *out)
{
    const struct image *all = image();
    const Elf64_Sym *best = NULL;

    for (size_t i = 0; i < all->nr; i++) {
        const Elf64_Sym *s = &all->symbols[i];

        if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_size &&
            s->st_value < address + bytes && s->st_value + s->st_size > address &&
            (!best || s->st_value < best->st_value))
            best = s;
    }
    if (best)
        *out = (struct sim_variable){all->names + best->st_name, best->st_value};
    return best != NULL;
}
