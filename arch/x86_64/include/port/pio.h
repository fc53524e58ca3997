/* SPDX-License-Identifier: Apache-2.0 */
/* x86 port I/O: IN, OUT and REP OUTS (Intel SDM vol. 2). I/O instructions are ordered like
 * uncached accesses (SDM vol. 1, 19.6), so no fence is needed. */
#ifndef PORT_PIO_H
#define PORT_PIO_H

#include <stddef.h>
#include <stdint.h>

static inline uint8_t pio_read8(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static inline uint16_t pio_read16(uint16_t port)
{
    uint16_t value;

    __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static inline uint32_t pio_read32(uint16_t port)
{
    uint32_t value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static inline void pio_write8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline void pio_write16(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline void pio_write32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline void pio_write8_many(uint16_t port, const void *data, size_t bytes)
{
    __asm__ volatile("rep outsb" : "+S"(data), "+c"(bytes) : "d"(port) : "memory");
}

#endif
