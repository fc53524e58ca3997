/* SPDX-License-Identifier: Apache-2.0 */
/* The boot order: what happens, one call a line, from the boot path's hand-off to the verdict. */
#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/mmu.h>

#include "boot/handoff.h"
#include "core/console.h"
#include "core/init.h"
#include "core/lock_profile.h"
#include "core/log.h"
#include "core/memory_map.h"
#include "core/pages.h"
#include "core/panic.h"
#include "core/param.h"
#include "core/percpu_boot.h"
#include "core/plant.h"
#include "core/power.h"
#include "core/session.h"
#include "core/shell.h"
#include "core/slab.h"
#include "core/smp.h"
#include "core/string.h"
#include "core/time.h"
#include "core/wait.h"

#define PARAM_TEXT_BYTES (BOOT_TEXT_BYTES_READ + 1)
#define CONFIG_NAME "corestorm.cfg"

static bool list_wanted;

PARAM_FLAG(list, "list", list_wanted, "print all parameters");

static void check_handoff(const struct boot_handoff *handoff)
{
    if (handoff->magic != BOOT_HANDOFF_MAGIC || handoff->version != BOOT_HANDOFF_VERSION)
        panic("the boot path's hand-off has magic %#llx version %u, expected %#llx version %u",
              (unsigned long long)handoff->magic, handoff->version,
              (unsigned long long)BOOT_HANDOFF_MAGIC, BOOT_HANDOFF_VERSION);
}

/* A loader's text may lie in memory that is given away soon: it is copied. */
static size_t copy_text(char to[PARAM_TEXT_BYTES], const char *what, uint64_t phys, uint32_t bytes)
{
    size_t copied = phys ? MIN((size_t)bytes, BOOT_TEXT_BYTES_READ) : 0;

    if (copied)
        memcpy(to, (const char *)(uintptr_t)phys, copied);
    if (phys && bytes > copied)
        log_warn("%s has %u bytes; those behind the first %zu are not read", what, bytes, copied);
    return copied;
}

static void read_parameters(const struct boot_handoff *handoff)
{
    static char config[PARAM_TEXT_BYTES], cmdline[PARAM_TEXT_BYTES];
    size_t bytes;

    bytes = copy_text(config, CONFIG_NAME, handoff->config_phys, handoff->config_bytes);
    param_parse_config(CONFIG_NAME, config, bytes);
    (void)copy_text(cmdline, "the command line", handoff->cmdline_phys, handoff->cmdline_bytes);
    param_parse(cmdline);
}

static void init_memory(const struct boot_handoff *handoff)
{
    memory_map_init(handoff);
    arch_mmu_init(memory_map_usable);
    bootmem_direct_map_ready();
    init_run(INIT_CONSOLE);
    console_init();
    memory_map_report();
    init_run(INIT_FIRMWARE); /* lists the CPUs and says which memory is near to which */
    topology_settle();       /* nr_cpus and nr_nodes are fixed from here on */
    pages_init();
    percpu_boot_init(); /* per-CPU areas of all CPUs; this CPU is number 0 from here on */
    slab_init();
    pages_init_percpu();
    slab_init_percpu();
}

static void init_cpus(void)
{
    init_run(INIT_TIME);
    time_init();
    smp_start_all();
    topology_report();
    wait_init(cpumask_count(&cpus_online));
    time_check_sync();
    time_report();
}

_Noreturn void kernel_main(const struct boot_handoff *handoff)
{
    kernel_handoff = handoff;
    arch_early_init(); /* traps: from here on a fault is printed */
    check_handoff(handoff);
    lock_classes_init();
    report_begin();
    read_parameters(handoff);
    session_describe(handoff);
    init_memory(handoff);
    init_cpus();
    init_run(INIT_LATE);
    if (list_wanted)
        param_list();
    if (plant_wanted("panic"))
        panic("planted by plant=panic");
    session_loop(); /* the self-tests and the storms */
    shell_main();
    power_off(session_passed());
}
