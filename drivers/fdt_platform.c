/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How firmware is called and where the interrupt controller is, by the device tree
 * (docs.kernel.org, devicetree/bindings/arm/psci.yaml and interrupt-controller/arm,gic*.yaml).
 */
#include <libfdt.h>

#include <arch/platform.h>

#include "core/init.h"
#include "core/log.h"
#include "core/string.h"
#include "drivers/fdt.h"

static int fdt_find(const char *const *compatible, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        int node = fdt_node_offset_by_compatible(fdt_tree(), -1, compatible[i]);

        if (node >= 0 && fdt_is_enabled(node))
            return node;
    }
    return -1;
}

static void fdt_psci_init(void)
{
    static const char *const versions[] = {"arm,psci-1.0", "arm,psci-0.2", "arm,psci"};
    int node = fdt_tree() ? fdt_find(versions, ARRAY_LEN(versions)) : -1;
    bool hvc;

    if (node < 0)
        return;
    hvc = fdt_text_is(node, "method", "hvc");
    if (!hvc && !fdt_text_is(node, "method", "smc")) {
        log_warn("device tree: PSCI by neither hvc nor smc");
        return;
    }
    /* Only version 0.1 has the numbers of functions in the tree. */
    arch_set_psci(hvc ? ARCH_CONDUIT_HVC : ARCH_CONDUIT_SMC,
                  (uint32_t)fdt_number(node, "cpu_on", 0));
    log_line("device tree: PSCI by %s", hvc ? "hvc" : "smc");
}
INIT_FN(fdt_psci_init, INIT_FIRMWARE, 10);

/* Of the generic timer's node only what mends broken firmware (bindings/timer/arm,arch_timer.yaml).
 */
static void fdt_timer_init(void)
{
    static const char *const timers[] = {"arm,armv8-timer", "arm,armv7-timer"};
    int node = fdt_tree() ? fdt_find(timers, ARRAY_LEN(timers)) : -1;

    if (node >= 0)
        arch_set_stamp_hz(fdt_number(node, "clock-frequency", 0));
}
INIT_FN(fdt_timer_init, INIT_FIRMWARE, 13);

static void fdt_gic_init(void)
{
    static const char *const version3[] = {"arm,gic-v3"};
    static const char *const version2[] = {"arm,gic-400", "arm,cortex-a15-gic", "arm,cortex-a7-gic",
                                           "arm,cortex-a9-gic"};
    static struct arch_gic gic;
    uint64_t bytes;
    int node;

    if (!fdt_tree())
        return;
    node = fdt_find(version3, ARRAY_LEN(version3));
    gic.version = node >= 0 ? 3 : 2;
    if (node < 0)
        node = fdt_find(version2, ARRAY_LEN(version2));
    if (node < 0 || !fdt_reg(node, 0, &gic.distributor_phys, &bytes)) {
        log_line("device tree: no interrupt controller that is known here");
        return;
    }
    if (gic.version == 2) {
        (void)fdt_reg(node, 1, &gic.cpu_interface_phys, &bytes);
    } else {
        gic.nr_areas = (uint32_t)MIN(fdt_number(node, "#redistributor-regions", 1),
                                     (uint64_t)ARCH_GIC_AREAS_MAX);
        for (uint32_t i = 0; i < gic.nr_areas; i++)
            if (!fdt_reg(node, 1 + i, &gic.areas[i].phys, &gic.areas[i].bytes))
                gic.nr_areas = i;
    }
    arch_set_interrupt_controller(&gic);
    log_line("device tree: GICv%u, distributor at %#llx, %u areas of redistributors", gic.version,
             (unsigned long long)gic.distributor_phys, gic.nr_areas);
}
INIT_FN(fdt_gic_init, INIT_FIRMWARE, 11);
