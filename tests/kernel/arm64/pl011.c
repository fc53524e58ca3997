/* SPDX-License-Identifier: Apache-2.0 */
/* The PL011 driver on registers that are plain memory: stuck, noisy, working. */
#include "core/selftest.h"
#include "core/time.h"
#include "drivers/serial_ports.h"

#define DATA 0x00u
#define FLAGS 0x18u
#define FLAG_RECEIVER_EMPTY (1u << 4)
#define FLAG_FULL (1u << 5)
#define STALL_MS 2u

static uint32_t registers[0x1000 / 4];
static struct serial_slot slot;
static struct console con = {.driver = &slot.uart};

static const struct serial_driver *pl011(struct ktest *t)
{
    for (REGISTRY_EACH(serial_drivers, const struct serial_driver, p))
        if ((*p)->kind == SERIAL_PL011) {
            slot = (struct serial_slot){
                .uart = {.registers = (volatile char *)registers, .stall_ms = STALL_MS}};
            return *p;
        }
    EXPECT(t, !"there is no driver");
    return NULL;
}

static void a_stuck_transmitter_is_bounded(struct ktest *t)
{
    const struct serial_driver *driver = pl011(t);
    uint64_t start, ms;

    if (!driver)
        return;
    registers[FLAGS / 4] = FLAG_RECEIVER_EMPTY;
    EXPECT_EQ(t, driver->write(&con, "abc", 3), 3);
    EXPECT_EQ(t, registers[DATA / 4], 'c');
    registers[FLAGS / 4] = FLAG_FULL;
    start = arch_stamp_loose();
    EXPECT_EQ(t, driver->write(&con, "def", 3), 0);
    ms = time_ticks_to_ns(arch_stamp_loose() - start) / 1000000;
    EXPECT(t, ms >= STALL_MS && ms < 1000);
    EXPECT_EQ(t, registers[DATA / 4], 'c');
}
KTEST(pl011, a_stuck_transmitter_is_bounded, KTEST_QUICK);

static void input_never_waits(struct ktest *t)
{
    const struct serial_driver *driver = pl011(t);

    if (!driver)
        return;
    registers[FLAGS / 4] = FLAG_RECEIVER_EMPTY;
    EXPECT_EQ(t, driver->read(&con), -1);
    registers[FLAGS / 4] = 0;
    registers[DATA / 4] = 'x';
    EXPECT_EQ(t, driver->read(&con), 'x');
    registers[DATA / 4] = 'x' | 1u << 10; /* a break, for ever */
    EXPECT_EQ(t, driver->read(&con), -1);
    registers[FLAGS / 4] = UINT32_MAX; /* nobody answers any more */
    EXPECT_EQ(t, driver->read(&con), -1);
}
KTEST(pl011, input_never_waits, KTEST_QUICK);
