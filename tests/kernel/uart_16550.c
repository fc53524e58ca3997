/* SPDX-License-Identifier: Apache-2.0 */
/* The 16550 driver on registers that are made: absent, half there, stuck, noisy. */
#include "core/errno.h"
#include "core/selftest.h"
#include "core/string.h"
#include "core/time.h"
#include "drivers/serial_ports.h"
#include "drivers/uart_16550.h"

#define STALL_MS 2u
#define SENT_MAX 64u

/* A UART as far as the driver sees one. */
struct made_uart {
    struct uart uart;
    struct console con;
    bool absent, no_scratch, no_loop, no_fifo, full, endless_noise;
    uint8_t scratch, mcr, lcr, ier, divisor_low, divisor_high;
    char sent[SENT_MAX];
    unsigned nr_sent, reads, takes; /* takes: bytes before it is full for good; 0: all */
    const char *received;           /* what is left to be read */
    uint8_t error_bits;             /* of the line status, at the next byte */
    uint8_t modem_lines;
};

static uint8_t line_status(struct made_uart *m)
{
    bool data = m->endless_noise || (m->received && *m->received);

    return (uint8_t)((m->full ? 0 : 0x60) | (data ? 1 | m->error_bits : 0));
}

static uint8_t made_read(const struct uart *uart, unsigned reg)
{
    struct made_uart *m = CONTAINER_OF(uart, struct made_uart, uart);

    m->reads++;
    if (m->absent)
        return 0xFF;
    switch (reg) {
    case 0:
        m->error_bits = m->endless_noise ? m->error_bits : 0;
        return m->endless_noise ? 0x55 : (uint8_t)*m->received++;
    case 2:
        return m->no_fifo ? 0x01 : 0xC1;
    case 5:
        return line_status(m);
    case 6:
        return !(m->mcr & 0x10) ? m->modem_lines : m->no_loop ? 0 : 0x90;
    case 7:
        return m->no_scratch ? 0 : m->scratch;
    default:
        return 0;
    }
}

static void made_write(const struct uart *uart, unsigned reg, uint8_t value)
{
    struct made_uart *m = CONTAINER_OF(uart, struct made_uart, uart);
    bool divisor = m->lcr & 0x80;

    switch (reg) {
    case 0:
        if (divisor)
            m->divisor_low = value;
        break;
    case 1:
        *(divisor ? &m->divisor_high : &m->ier) = value;
        break;
    case 3:
        m->lcr = value;
        break;
    case 4:
        m->mcr = value;
        break;
    case 7:
        m->scratch = value;
        break;
    }
}

static void made_write_many(const struct uart *uart, const char *text, size_t bytes)
{
    struct made_uart *m = CONTAINER_OF(uart, struct made_uart, uart);

    for (size_t i = 0; i < bytes; i++)
        m->sent[m->nr_sent++ % SENT_MAX] = text[i];
    m->full = m->takes && m->nr_sent >= m->takes;
}

static const struct uart_bus made_bus = {made_read, made_write, made_write_many};

static void make(struct made_uart *m)
{
    *m = (struct made_uart){.uart = {.bus = &made_bus, .stall_ms = STALL_MS}};
    m->con.driver = &m->uart;
}

static void only_a_whole_uart_is_found(struct ktest *t)
{
    struct made_uart m;

    make(&m);
    EXPECT_EQ(t, uart_probe(&m.con), 0);
    EXPECT_EQ(t, m.uart.fifo_bytes, 16);
    EXPECT_EQ(t, m.lcr, 0); /* the line stays as it was */
    make(&m);
    m.absent = true;
    EXPECT_EQ(t, uart_probe(&m.con), -CS_ENODEV);
    EXPECT(t, m.reads < 10);
    make(&m);
    m.no_scratch = true;
    EXPECT_EQ(t, uart_probe(&m.con), -CS_ENODEV);
    make(&m);
    m.no_loop = true;
    EXPECT_EQ(t, uart_probe(&m.con), -CS_ENODEV);
    make(&m);
    m.no_fifo = true;
    EXPECT_EQ(t, uart_probe(&m.con), 0);
    EXPECT_EQ(t, m.uart.fifo_bytes, 1);
}
KTEST(uart_16550, only_a_whole_uart_is_found, KTEST_QUICK);

static void a_peer_raises_a_line(struct ktest *t)
{
    static const uint8_t raised[] = {0x10, 0x20, 0x80, 0xb0}; /* CTS, DSR, DCD */
    struct made_uart m;

    make(&m);
    EXPECT_EQ(t, uart_probe(&m.con), 0);
    EXPECT(t, !uart_has_peer(&m.con));
    m.modem_lines = 0x4f; /* a ring, and changes of lines */
    EXPECT(t, !uart_has_peer(&m.con));
    for (unsigned i = 0; i < ARRAY_LEN(raised); i++) {
        m.modem_lines = raised[i];
        EXPECT(t, uart_has_peer(&m.con));
    }
}
KTEST(uart_16550, a_peer_raises_a_line, KTEST_QUICK);

/* Firmware's console leads somewhere whatever its lines say; a port for debuggers need not. */
static void a_port_of_dbg2_is_asked(struct ktest *t)
{
    static const struct serial_driver driver = {.kind = SERIAL_16550, .has_peer = uart_has_peer};
    struct made_uart m;

    make(&m);
    serial_set_peer(&m.con, &driver, SERIAL_RANK_FIRMWARE);
    EXPECT(t, !m.con.has_peer);
    serial_set_peer(&m.con, &driver, SERIAL_RANK_DEBUGGER);
    EXPECT(t, m.con.has_peer && !m.con.has_peer(&m.con));
    m.modem_lines = 0x10;
    EXPECT(t, m.con.has_peer && m.con.has_peer(&m.con));
}
KTEST(uart_16550, a_port_of_dbg2_is_asked, KTEST_QUICK);

static void the_line_is_set(struct ktest *t)
{
    struct made_uart m;

    make(&m);
    m.uart.divisor = 0x180; /* 300 baud */
    m.uart.line = 0x1a;
    EXPECT_EQ(t, uart_probe(&m.con), 0);
    EXPECT_EQ(t, m.divisor_low, 0x80);
    EXPECT_EQ(t, m.divisor_high, 1);
    EXPECT_EQ(t, m.lcr, 0x1a);
    EXPECT_EQ(t, m.ier, 0);
}
KTEST(uart_16550, the_line_is_set, KTEST_QUICK);

static void a_stuck_transmitter_is_bounded(struct ktest *t)
{
    struct made_uart m;
    uint64_t start, ms;

    make(&m);
    EXPECT_EQ(t, uart_probe(&m.con), 0);
    m.takes = 20; /* a load of 16, a load of 16, and it never empties again */
    start = arch_stamp_loose();
    EXPECT_EQ(t, uart_write(&m.con, "0123456789abcdef0123456789abcdefXYZ", 35), 32);
    ms = time_ticks_to_ns(arch_stamp_loose() - start) / 1000000;
    EXPECT(t, ms >= STALL_MS && ms < 1000);
    EXPECT(t, memcmp(m.sent, "0123456789abcdef0123456789abcdef", 32) == 0);
}
KTEST(uart_16550, a_stuck_transmitter_is_bounded, KTEST_QUICK);

static void input_never_waits(struct ktest *t)
{
    struct made_uart m;

    make(&m);
    EXPECT_EQ(t, uart_read(&m.con), -1);
    m.received = "?ab";
    m.error_bits = 0x10; /* a break: its byte is none */
    EXPECT_EQ(t, uart_read(&m.con), 'a');
    EXPECT_EQ(t, uart_read(&m.con), 'b');
    EXPECT_EQ(t, uart_read(&m.con), -1);
    m.endless_noise = true;
    m.error_bits = 0x08;
    m.reads = 0;
    EXPECT_EQ(t, uart_read(&m.con), -1);
    EXPECT(t, m.reads < 100);
    m.absent = true; /* it was pulled out: 0xFF says "data" */
    EXPECT_EQ(t, uart_read(&m.con), -1);
}
KTEST(uart_16550, input_never_waits, KTEST_QUICK);

/* Registers 1, 2 and 4 bytes apart, and bytes that lie four apart: each access is where and as wide
 * as it was said. */
static void memory_registers_lie_where_they_should(struct ktest *t)
{
    static const struct {
        unsigned shift, access_bytes;
    } layouts[] = {{0, 1}, {1, 2}, {2, 4}, {2, 1}, {1, 1}};

    for (unsigned i = 0; i < ARRAY_LEN(layouts); i++) {
        uint8_t area[UART_REGISTERS * 4 + 4] __attribute__((aligned(4)));
        struct uart uart = {.bus = &uart_memory_bus,
                            .registers = (volatile char *)area,
                            .shift = layouts[i].shift,
                            .access_bytes = layouts[i].access_bytes};
        unsigned wrong = 0;

        for (unsigned reg = 0; reg < UART_REGISTERS; reg++) {
            size_t at = (size_t)reg << uart.shift;

            memset(area, 0xEE, sizeof(area));
            uart.bus->write(&uart, reg, 0x5A);
            wrong += uart.bus->read(&uart, reg) != 0x5A || area[at] != 0x5A;
            for (size_t byte = 0; byte < sizeof(area); byte++) {
                bool inside = byte > at && byte < at + uart.access_bytes;

                wrong += byte != at && area[byte] != (inside ? 0 : 0xEE);
            }
        }
        uart.bus->write_many(&uart, "abc", 3);
        EXPECT(t, area[0] == 'c' && !wrong);
    }
}
KTEST(uart_16550, memory_registers_lie_where_they_should, KTEST_QUICK);
