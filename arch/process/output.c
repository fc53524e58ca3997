/* SPDX-License-Identifier: Apache-2.0 */
/* The output of a process, and its end. See arch/process/process.h. */
#include <arch/machine.h>

#include <errno.h>
#include <port/context.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/process/process.h"

/* Why bytes of the report were lost, an errno; 0: none were. Written by whoever holds the log's
 * lock, or panics; read at the end by one of them. Relaxed: it carries nothing but itself. */
static _Atomic int lost_why;

void process_write(const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t done = write(STDOUT_FILENO, text, bytes);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            atomic_store_explicit(&lost_why, done ? errno : EIO, memory_order_relaxed);
            return;
        }
        text += done;
        bytes -= (size_t)done;
    }
}

/* exit and not _exit: a sanitizer that has found something turns the status into its own. */
void process_end(int exit_status)
{
    int why = atomic_load_explicit(&lost_why, memory_order_relaxed);

    if (why)
        fprintf(stderr, "corestorm: parts of the report were lost: %s\n", strerror(why));
    exit(why ? EXIT_FAILURE : exit_status);
}

bool arch_early_is_console(void)
{
    return true;
}

void arch_early_init(void)
{
}

uint64_t arch_smi_count(void)
{
    return UINT64_MAX;
}

const char *arch_goarch(void)
{
    return PROCESS_GOARCH;
}
