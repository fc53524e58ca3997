/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keyboard of a PC, at its controller (i8042), polled: "kbd". USB keyboards show here only
 * where firmware plays a PS/2 keyboard for them, which most UEFI machines do not.
 *
 * Controller and scan codes: IBM PS/2 Hardware Interface Technical Reference, "Keyboard and
 * Auxiliary Device Controller"; ACPI 6.5, 5.2.9.3 for whether there is one. The controller
 * translates to scan code set 1, as every PC's firmware leaves it. US layout.
 *
 * I1. No port is touched where the FADT says that there is no controller, and no loop has more than
 *     PS2_POLLS rounds.
 */
#include <arch/pio.h>

#include "core/console.h"
#include "core/errno.h"
#include "core/time.h"
#include "drivers/acpi_fadt.h"

#define PS2_DATA 0x60u
#define PS2_STATUS 0x64u
#define PS2_COMMAND 0x64u
#define PS2_STATUS_OUTPUT 0x01u /* a byte to read */
#define PS2_STATUS_INPUT 0x02u  /* still busy with what was written */
#define PS2_STATUS_MOUSE 0x20u
#define PS2_ABSENT 0xffu
#define PS2_READ_CONFIG 0x20u
#define PS2_WRITE_CONFIG 0x60u
#define PS2_ENABLE_KEYBOARD 0xaeu
#define PS2_CONFIG_INTERRUPTS 0x03u
#define PS2_CONFIG_KEYBOARD_OFF 0x10u
#define PS2_CONFIG_TRANSLATE 0x40u
#define PS2_KEYBOARD_SCAN 0xf4u
#define PS2_POLLS 2000u
#define PS2_POLL_NS 10000u /* together 20 ms */
#define PS2_QUEUE_MAX 64u

#define SCAN_RELEASE 0x80u
#define SCAN_EXTENDED 0xe0u
#define SCAN_CONTROL 0x1du
#define SCAN_SHIFT_LEFT 0x2au
#define SCAN_SHIFT_RIGHT 0x36u
#define SCAN_CAPS 0x3au

struct ps2_keyboard {
    bool shift, control, caps, extended;
};

/* By scan code of set 1, from 0: plain, and with shift. 0: no character. */
static const char ps2_plain[] =
    "\0\0331234567890-=\b\tqwertyuiop[]\r\0asdfghjkl;'`\0\\zxcvbnm,./\0*\0 ";
static const char ps2_shift[] =
    "\0\033!@#$%^&*()_+\b\tQWERTYUIOP{}\r\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0*\0 ";

static bool ps2_wait(uint8_t bit, uint8_t value)
{
    for (unsigned i = 0; i < PS2_POLLS; i++) {
        if ((pio_read8(PS2_STATUS) & bit) == value)
            return true;
        time_delay_ns(PS2_POLL_NS);
    }
    return false;
}

static bool ps2_write(uint16_t port, uint8_t value)
{
    if (!ps2_wait(PS2_STATUS_INPUT, 0))
        return false;
    pio_write8(port, value);
    return true;
}

static void ps2_drain(void)
{
    for (unsigned i = 0; i < PS2_QUEUE_MAX && pio_read8(PS2_STATUS) & PS2_STATUS_OUTPUT; i++)
        (void)pio_read8(PS2_DATA);
}

static int ps2_probe(struct console *con)
{
    const struct acpi_fadt *fadt = acpi_fadt();
    uint8_t config;

    if ((fadt && !fadt->has_8042) || pio_read8(PS2_STATUS) == PS2_ABSENT)
        return -CS_ENODEV;
    ps2_drain();
    if (!ps2_write(PS2_COMMAND, PS2_READ_CONFIG) || !ps2_wait(PS2_STATUS_OUTPUT, PS2_STATUS_OUTPUT))
        return -CS_ENODEV;
    config = pio_read8(PS2_DATA);
    config &= (uint8_t) ~(PS2_CONFIG_INTERRUPTS | PS2_CONFIG_KEYBOARD_OFF);
    config |= PS2_CONFIG_TRANSLATE;
    if (!ps2_write(PS2_COMMAND, PS2_WRITE_CONFIG) || !ps2_write(PS2_DATA, config) ||
        !ps2_write(PS2_COMMAND, PS2_ENABLE_KEYBOARD) || !ps2_write(PS2_DATA, PS2_KEYBOARD_SCAN))
        return -CS_ENODEV;
    if (ps2_wait(PS2_STATUS_OUTPUT, PS2_STATUS_OUTPUT)) /* its answer, if one is plugged in */
        ps2_drain();
    return 0;
}

static int ps2_extended_key(uint8_t code)
{
    switch (code) {
    case 0x48:
        return CONSOLE_KEY_UP;
    case 0x50:
        return CONSOLE_KEY_DOWN;
    case 0x49:
        return CONSOLE_KEY_PAGE_UP;
    case 0x51:
        return CONSOLE_KEY_PAGE_DOWN;
    case 0x47:
        return CONSOLE_KEY_HOME;
    case 0x4f:
        return CONSOLE_KEY_END;
    case 0x1c:
        return '\r';
    case 0x35:
        return '/';
    default:
        return -1;
    }
}

static bool ps2_is_modifier(struct ps2_keyboard *keyboard, uint8_t code, bool pressed)
{
    switch (code) {
    case SCAN_CONTROL:
        keyboard->control = pressed;
        return true;
    case SCAN_SHIFT_LEFT:
    case SCAN_SHIFT_RIGHT:
        keyboard->shift = pressed;
        return true;
    case SCAN_CAPS:
        keyboard->caps ^= pressed;
        return true;
    default:
        return false;
    }
}

static int ps2_plain_key(const struct ps2_keyboard *keyboard, uint8_t code)
{
    int key;

    if (code >= sizeof(ps2_plain) - 1)
        return -1;
    key = ps2_plain[code];
    if (!key)
        return -1;
    if (keyboard->control)
        return key >= 'a' && key <= 'z' ? key - 'a' + 1 : -1;
    if (keyboard->shift != (keyboard->caps && key >= 'a' && key <= 'z'))
        key = ps2_shift[code];
    return key;
}

/* -1 while it means no key. */
static int ps2_decode(struct ps2_keyboard *keyboard, uint8_t code)
{
    bool extended = keyboard->extended, pressed = !(code & SCAN_RELEASE);
    uint8_t key = code & (uint8_t)~SCAN_RELEASE;

    keyboard->extended = code == SCAN_EXTENDED;
    if (keyboard->extended)
        return -1;
    if (extended && key != SCAN_CONTROL)
        return pressed ? ps2_extended_key(key) : -1;
    if (ps2_is_modifier(keyboard, key, pressed) || !pressed)
        return -1;
    return ps2_plain_key(keyboard, key);
}

static int ps2_read(struct console *con)
{
    for (unsigned i = 0; i < PS2_QUEUE_MAX; i++) {
        uint8_t status = pio_read8(PS2_STATUS), code;
        int key;

        if (status == PS2_ABSENT || !(status & PS2_STATUS_OUTPUT))
            return -1;
        code = pio_read8(PS2_DATA);
        key = status & PS2_STATUS_MOUSE ? -1 : ps2_decode(con->driver, code);
        if (key >= 0)
            return key;
    }
    return -1;
}

static struct ps2_keyboard ps2_keyboard;
static struct console ps2_console = {.name = "kbd",
                                     .kind = CONSOLE_KEYBOARD,
                                     .rank = 5,
                                     .probe = ps2_probe,
                                     .read = ps2_read,
                                     .driver = &ps2_keyboard};
CONSOLE_DRIVER(ps2_console);
