/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static per-CPU variables of a process: their image is their section as the linker left it. Its
 * offset in a unit is a multiple of every alignment that such a variable may have.
 */
#ifndef PORT_PERCPU_STATIC_H
#define PORT_PERCPU_STATIC_H

#define PERCPU_STATIC __attribute__((section("percpu_static")))
#define PERCPU_STATIC_OFFSET 256u
extern const char __start_percpu_static[], __stop_percpu_static[];
#define percpu_image_start __start_percpu_static

static inline size_t percpu_static_bytes(void)
{
    return (size_t)(__stop_percpu_static - __start_percpu_static);
}

#define percpu_area_of(variable)                                                                   \
    ((percpu_area_t)((uintptr_t) &                                                                 \
                     (variable) - (uintptr_t)__start_percpu_static + PERCPU_STATIC_OFFSET))

#endif
