/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time reference: channel 2 of the PIT (Intel 8254 data sheet), 1.193182 MHz, 16 bits.
 *
 * Channel 2 counts while its gate (port 0x61 bit 0) is on; the speaker behind it stays off. It
 * counts down from 65536 in mode 2 and wraps every 54.9 ms. A read latches the count first, so that
 * its two halves belong together. Where there is no PIT (-M q35,pit=off, or firmware that gated its
 * clock) the count stands still, which the calibration sees.
 */
#include <arch/pio.h>

#include "core/time.h"

#define PIT_HZ 1193182u
#define PIT_CHANNEL_2 0x42u
#define PIT_CONTROL 0x43u
#define PIT_CONTROL_LATCH_2 0x80u
#define PIT_CONTROL_RATE_2 0xB4u /* channel 2, low then high byte, mode 2, binary */
#define PIT_GATE_PORT 0x61u
#define PIT_GATE_ON 0x01u
#define PIT_SPEAKER_ON 0x02u

static int pit_probe(struct time_reference *ref)
{
    uint8_t gate = pio_read8(PIT_GATE_PORT);

    pio_write8(PIT_GATE_PORT, (uint8_t)((gate & ~PIT_SPEAKER_ON) | PIT_GATE_ON));
    pio_write8(PIT_CONTROL, PIT_CONTROL_RATE_2);
    pio_write8(PIT_CHANNEL_2, 0); /* 0 stands for 65536 */
    pio_write8(PIT_CHANNEL_2, 0);
    ref->hz = PIT_HZ;
    ref->mask = UINT16_MAX;
    return 0;
}

static uint64_t pit_read(struct time_reference *ref)
{
    unsigned low, high;

    pio_write8(PIT_CONTROL, PIT_CONTROL_LATCH_2);
    low = pio_read8(PIT_CHANNEL_2);
    high = pio_read8(PIT_CHANNEL_2);
    return (uint16_t) - (high << 8 | low);
}

static struct time_reference pit = {
    .name = "pit",
    .rank = 100,
    .probe = pit_probe,
    .read = pit_read,
};
TIME_REFERENCE(pit);
