/* SPDX-License-Identifier: Apache-2.0 */
/* Where machine=NAME looks: machines/ beside the program, and which names there are. */
#include "arch/sim/description.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES_BYTES 1024u

static const char suffix[] = ".machine";

/* machines/ is copied beside the program when that is built. */
const char *sim_machines_folder(void)
{
    static char path[4096];
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path) - 64);

    if (bytes <= 0)
        return "";
    path[bytes] = '\0';
    strcpy(strrchr(path, '/') + 1, "machines/");
    return path;
}

static int is_machine(const struct dirent *entry)
{
    size_t bytes = strlen(entry->d_name), end = sizeof(suffix) - 1;

    return bytes > end && strcmp(entry->d_name + bytes - end, suffix) == 0;
}

const char *sim_machine_names(void)
{
    static char text[NAMES_BYTES];
    struct dirent **entries;
    int nr = scandir(sim_machines_folder(), &entries, is_machine, alphasort);
    size_t used = 0;

    for (int i = 0; i < nr; i++) {
        int bytes = (int)(strlen(entries[i]->d_name) - (sizeof(suffix) - 1));

        if (used + (size_t)bytes + sizeof(", …") < sizeof(text))
            used += (size_t)sprintf(text + used, "%s%.*s", i ? ", " : "", bytes,
                                    entries[i]->d_name);
        free(entries[i]);
    }
    if (nr >= 0)
        free(entries);
    return used ? text : "none, the folder is not there";
}
