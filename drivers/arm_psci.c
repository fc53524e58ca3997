/* SPDX-License-Identifier: Apache-2.0 */
/* Power-off and reset by PSCI (Arm DEN 0022, 5.9 and 5.11). The verdict does not leave this way. */
#include <arch/platform.h>

#include "core/power.h"

#define PSCI_SYSTEM_OFF 0x84000008u
#define PSCI_SYSTEM_RESET 0x84000009u

static void psci_off(bool pass)
{
    (void)arch_firmware_call(PSCI_SYSTEM_OFF, 0, 0, 0);
}

static void psci_reset(bool pass)
{
    (void)arch_firmware_call(PSCI_SYSTEM_RESET, 0, 0, 0);
}

static const struct power_method psci_power_off = {
    .name = "psci-off", .rank = 200, .leave = psci_off};
static const struct power_method psci_power_reset = {
    .name = "psci-reset", .rank = 50, .leave = psci_reset};
POWER_METHOD(psci_power_off);
POWER_METHOD(psci_power_reset);
RESTART_METHOD(psci_power_reset);
