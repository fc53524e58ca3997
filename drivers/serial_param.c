/* SPDX-License-Identifier: Apache-2.0 */
/* console= taken apart. See drivers/serial_param.h. */
#include "drivers/serial_param.h"

#include "core/param.h"
#include "core/string.h"

#define BAUD_MAX 115200u
#define DIVISOR_MAX 0xffffu
#define IO_ADDRESS_MIN 0x100u /* below are the board's own devices */
#define IO_ADDRESS_MAX (0xffffu - UART_REGISTERS + 1)
#define PHYS_LIMIT (1ull << 52)
#define NUMBER_BYTES 24u

#define LCR_ODD 0x08u
#define LCR_EVEN 0x18u

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "115200n8": the speed, parity, bits. What is wrong, or NULL. */
static const char *take_options(const char *word, size_t bytes, struct serial_port *port)
{
    uint64_t baud = 0;
    size_t i = 0;

    for (; i < bytes && is_digit(word[i]) && baud <= BAUD_MAX; i++)
        baud = baud * 10 + (uint64_t)(word[i] - '0');
    if (!baud || BAUD_MAX % baud || BAUD_MAX / baud > DIVISOR_MAX)
        return "has a speed that is not 115200 divided by a whole number";
    port->divisor = (unsigned)(BAUD_MAX / baud);
    port->line = UART_LCR_8N1;
    if (i < bytes && word[i] != 'n' && word[i] != 'e' && word[i] != 'o')
        return "has a parity that is not n, e or o";
    if (i < bytes)
        port->line |= word[i] == 'e' ? LCR_EVEN : word[i] == 'o' ? LCR_ODD : 0;
    i++;
    if (i < bytes && word[i] == '7')
        port->line--;
    else if (i < bytes && word[i] != '8')
        return "has a number of bits that is not 7 or 8";
    return i + 1 < bytes ? "has more behind its number of bits" : NULL;
}

static const char *take_address(const char *word, size_t bytes, struct serial_port *port)
{
    char text[NUMBER_BYTES];
    int64_t value = 0;

    if (bytes >= sizeof(text))
        return "has no address that is a number";
    memcpy(text, word, bytes);
    text[bytes] = '\0';
    if (param_number(text, &value) != 0 || value <= 0)
        return "has no address that is a number";
    port->address = (uint64_t)value;
    if (port->is_io && (port->address < IO_ADDRESS_MIN || port->address > IO_ADDRESS_MAX))
        return "has an address that is no port of a UART: 0x100 to 0xfff8";
    if (!port->is_io && (port->address >= PHYS_LIMIT || port->address % port->access_bytes))
        return "has an address that is beyond 2^52 or not aligned to its registers";
    return NULL;
}

/* "io", "mmio32": where the registers are. */
static const char *take_bus(const char *word, size_t bytes, struct serial_port *port)
{
    static const char *const names[] = {"mmio", "mmio16", "mmio32"};

    if (text_is(word, bytes, "io")) {
        port->is_io = true;
        port->access_bytes = 1;
        port->divisor = 1;
        port->line = UART_LCR_8N1;
        return NULL;
    }
    for (unsigned shift = 0; shift < ARRAY_LEN(names); shift++)
        if (text_is(word, bytes, names[shift])) {
            port->register_shift = shift;
            port->access_bytes = 1u << shift;
            return NULL;
        }
    return "is not behind io, mmio, mmio16 or mmio32";
}

/* The word behind the ones taken so far becomes part of `out`. False where there is none. */
static bool take_word(const char **list, struct serial_word *out, const char **word, size_t *bytes)
{
    if (!param_list_next(list, word, bytes))
        return false;
    out->bytes = (size_t)(*word + *bytes - out->text);
    return true;
}

static const char *take_device(const char **list, struct serial_word *out)
{
    const char *word, *why;
    size_t bytes;

    if (out->port.kind == SERIAL_PL011) {
        out->port.access_bytes = 4;
    } else {
        if (!take_word(list, out, &word, &bytes))
            return "needs io or mmio, and an address";
        why = take_bus(word, bytes, &out->port);
        if (why)
            return why;
    }
    if (!take_word(list, out, &word, &bytes))
        return "needs an address";
    return take_address(word, bytes, &out->port);
}

bool serial_param_next(const char **list, struct serial_word *out)
{
    const char *word;
    size_t bytes;

    *out = (struct serial_word){.why = NULL};
    if (!param_list_next(list, &word, &bytes))
        return false;
    out->text = word;
    out->bytes = out->name_bytes = bytes;
    if (text_is(word, bytes, "uart") || text_is(word, bytes, "uart8250"))
        out->port.kind = SERIAL_16550;
    else if (text_is(word, bytes, "pl011"))
        out->port.kind = SERIAL_PL011;
    if (out->port.kind != SERIAL_NONE)
        out->why = take_device(list, out);
    if (!out->why && is_digit(**list) && take_word(list, out, &word, &bytes)) {
        out->why = take_options(word, bytes, &out->port);
        if (!out->why && out->port.kind == SERIAL_PL011)
            out->why = "has a speed, but the line of a PL011 stays as firmware set it";
    }
    if (out->why)
        out->port.kind = SERIAL_NONE;
    while (out->why && is_digit(**list)) /* what belongs to it is no further mistake */
        (void)take_word(list, out, &word, &bytes);
    return true;
}
