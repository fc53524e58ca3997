/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict as QEMU's exit status, through its isa-debug-exit device.
 *
 *   qemu … -device isa-debug-exit,iobase=0xf4,iosize=0x04
 *
 * QEMU ends with (value << 1) | 1 for the value written: pass leaves as 33, fail as 35; what is not
 * one of them comes from QEMU itself. Without the device the write goes nowhere, and the next
 * method has its turn.
 *
 * Port 0xF4 is nobody's on a real machine, yet nothing is written there before the firmware
 * configuration device has said "QEMU" (QEMU docs/specs/fw_cfg: selector 0x510, data 0x511, key 0).
 */
#include <arch/machine.h>
#include <arch/pio.h>

#include "core/power.h"
#include "core/string.h"

#define FW_CFG_SELECTOR 0x510u
#define FW_CFG_DATA 0x511u
#define FW_CFG_SIGNATURE 0u
#define DEBUG_EXIT_PORT 0xF4u
#define DEBUG_EXIT_PASS 0x10u /* exit status 33 */
#define DEBUG_EXIT_FAIL 0x11u /* exit status 35 */

static bool exit_qemu_is_below(void)
{
    char text[4];

    if (!strcmp(arch_virt(), "none"))
        return false;
    pio_write16(FW_CFG_SELECTOR, FW_CFG_SIGNATURE);
    for (unsigned i = 0; i < sizeof(text); i++)
        text[i] = (char)pio_read8(FW_CFG_DATA);
    return !memcmp(text, "QEMU", sizeof(text));
}

static void exit_qemu_off(bool pass)
{
    if (exit_qemu_is_below())
        pio_write32(DEBUG_EXIT_PORT, pass ? DEBUG_EXIT_PASS : DEBUG_EXIT_FAIL);
}

static const struct power_method exit_qemu = {
    .name = "isa-debug-exit",
    .rank = 300,
    .leave = exit_qemu_off,
};
POWER_METHOD(exit_qemu);
