/* SPDX-License-Identifier: Apache-2.0 */
/* Failure on purpose at the k-th allocation, for the tests that every k leaves nothing behind. */
#include <arch/percpu.h>

#include "core/selftest.h"

bool fail_injection_armed;

static uint64_t calls_counted, fail_at;
static uint32_t armed_cpu;

uint64_t fail_injection_set(uint64_t kth)
{
    uint64_t counted = calls_counted;

    calls_counted = 0;
    fail_at = kth;
    armed_cpu = this_cpu_id();
    fail_injection_armed = kth != 0;
    return counted;
}

bool fail_injection_count(void)
{
    if (this_cpu_id() != armed_cpu)
        return false;
    return ++calls_counted == fail_at;
}
