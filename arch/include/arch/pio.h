/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contract: port I/O, on the ports that have it (x86); drivers that include this are listed in
 * those ports' port.mk only.
 *
 *   uint8_t  pio_read8(uint16_t port);   void pio_write8(uint16_t port, uint8_t value);
 *   uint16_t pio_read16(uint16_t port);  void pio_write16(uint16_t port, uint16_t value);
 *   uint32_t pio_read32(uint16_t port);  void pio_write32(uint16_t port, uint32_t value);
 *   void pio_write8_many(uint16_t port, const void *data, size_t bytes);   one port, many bytes
 *
 * Ordered against each other and against memory accesses. Cost: about 1 us on a machine's legacy
 * devices, an exit of a virtual machine; pio_write8_many is one exit for all its bytes.
 */
#ifndef ARCH_PIO_H
#define ARCH_PIO_H

#include <stddef.h>
#include <stdint.h>

#include <port/pio.h>

#endif
