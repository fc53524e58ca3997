/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict as QEMU's exit status, by semihosting (Arm, "Semihosting for AArch32 and AArch64",
 * SYS_EXIT): qemu … -semihosting-config enable=on,target=native. The statuses are those of
 * drivers/exit_qemu.c. Where nobody takes the call its instruction is undefined, and the next
 * method has its turn. On what looks like a real machine a debugger might take it, so it is tried
 * there only when it was asked for; QEMU's models of boards look like that.
 */
#include <arch/machine.h>
#include <arch/platform.h>

#include "core/param.h"
#include "core/power.h"
#include "core/string.h"

#define SEMIHOSTING_EXIT 0x18u
#define STOPPED_APPLICATION_EXIT 0x20026u
#define STATUS_PASS 33u
#define STATUS_FAIL 35u

static bool semihosting_wanted;

PARAM_FLAG(semihosting, "semihosting", semihosting_wanted,
           "leave by semihosting (arm64), also on what looks like a real machine");

static void semihosting_off(bool pass)
{
    const uint64_t block[2] = {STOPPED_APPLICATION_EXIT, pass ? STATUS_PASS : STATUS_FAIL};

    if (semihosting_wanted || strcmp(arch_virt(), "none") != 0)
        (void)arch_semihosting(SEMIHOSTING_EXIT, block);
}

static const struct power_method semihosting_exit = {
    .name = "semihosting",
    .rank = 300,
    .leave = semihosting_off,
};
POWER_METHOD(semihosting_exit);
