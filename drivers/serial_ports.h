/* SPDX-License-Identifier: Apache-2.0 */
/* The serial ports in memory that firmware names as consoles: what the boot path passed, and the
 * SPCR. */
#ifndef DRIVERS_SERIAL_PORTS_H
#define DRIVERS_SERIAL_PORTS_H

#include "boot/handoff.h"
#include "core/compiler.h"

/* The i-th one (from 0) of this kind. False past the end. */
bool serial_port(enum boot_console_kind kind, unsigned i, struct boot_console *out);

#endif
