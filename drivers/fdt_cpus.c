/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPUs, and which memory is near to which, by the device tree (Devicetree Specification 0.4, 3.8;
 * docs.kernel.org, devicetree/bindings/arm/cpus.yaml and numa.txt).
 *
 * A CPU is used when its node is enabled and it can be started: by PSCI, or from a spin table. What
 * else stands in "enable-method" is named, and the CPU counts as disabled.
 */
#include <libfdt.h>

#include <arch/platform.h>
#include <arch/smp.h>

#include "core/init.h"
#include "core/log.h"
#include "core/string.h"
#include "core/topology.h"
#include "drivers/fdt.h"

#define FDT_NO_DOMAIN UINT32_MAX

static bool fdt_cpu_can_start(int node, uint64_t hw_id)
{
    uint64_t release;

    if (hw_id == arch_cpu_hw_id() || fdt_text_is(node, "enable-method", "psci"))
        return true;
    if (fdt_text_is(node, "enable-method", "spin-table")) {
        release = fdt_number(node, "cpu-release-addr", 0);
        if (release && release % 8 == 0) {
            arch_set_cpu_release(hw_id, release);
            return true;
        }
    }
    log_warn("device tree: CPU %#llx has no enable-method that is known here",
             (unsigned long long)hw_id);
    return false;
}

bool fdt_cpu_hw_id(int node, uint64_t *hw_id)
{
    int bytes, cells = fdt_address_cells(fdt_tree(), fdt_path_offset(fdt_tree(), "/cpus"));
    const fdt32_t *reg = fdt_getprop(fdt_tree(), node, "reg", &bytes);

    if (!reg || cells < 1 || cells > 2 || bytes != 4 * cells)
        return false;
    *hw_id = cells == 2 ? (uint64_t)fdt32_ld(reg) << 32 | fdt32_ld(reg + 1) : fdt32_ld(reg);
    return true;
}

static void fdt_add_cpu(int node, uint32_t number)
{
    uint64_t hw_id, domain = fdt_number(node, "numa-node-id", FDT_NO_DOMAIN);

    if (!fdt_cpu_hw_id(node, &hw_id)) {
        log_warn("device tree: CPU node %u has no usable \"reg\"", number);
        return;
    }
    topology_add_cpu(hw_id, number, fdt_is_enabled(node) && fdt_cpu_can_start(node, hw_id));
    if (domain < FDT_NO_DOMAIN)
        topology_set_cpu_domain(hw_id, (uint32_t)domain);
}

static void fdt_add_memory(int node)
{
    uint64_t base, bytes, domain = fdt_number(node, "numa-node-id", FDT_NO_DOMAIN);

    for (unsigned i = 0; domain < FDT_NO_DOMAIN && fdt_reg(node, i, &base, &bytes); i++)
        topology_add_memory_domain(base, bytes, (uint32_t)domain);
}

static void fdt_cpus_init(void)
{
    const void *tree = fdt_tree();
    int cpus = tree ? fdt_path_offset(tree, "/cpus") : -1, node;
    uint32_t number = 0;

    if (!tree)
        return;
    if (cpus >= 0) {
        fdt_for_each_subnode(node, tree, cpus)
        {
            if (fdt_text_is(node, "device_type", "cpu"))
                fdt_add_cpu(node, number++);
        }
    }
    fdt_for_each_subnode(node, tree, 0)
    {
        if (fdt_text_is(node, "device_type", "memory") && fdt_is_enabled(node))
            fdt_add_memory(node);
    }
    log_line("device tree: %u CPUs", number);
}
INIT_FN(fdt_cpus_init, INIT_FIRMWARE, 12);
