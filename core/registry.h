/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registries: lists that the linker makes, so that adding a member is adding one file.
 *
 *   REGISTRY_DECLARE(name, type)         in the header that owns the registry
 *   REGISTRY_ADD(name, object)           in any .c file: `object` is a static const/non-const type
 *   for (REGISTRY_EACH(name, type, p))   p: type *const *, in link order
 *
 * Sections are named reg_<name>; their names are C identifiers, so that every linker gives
 * __start_reg_<name> and __stop_reg_<name> by itself. The weak anchor keeps an empty registry
 * linkable.
 */
#ifndef CORE_REGISTRY_H
#define CORE_REGISTRY_H

#define REGISTRY_DECLARE(name, type)                                                               \
    extern type *const __start_reg_##name[] __attribute__((weak, visibility("hidden")));           \
    extern type *const __stop_reg_##name[] __attribute__((weak, visibility("hidden")))

#define REGISTRY_ADD(name, type, object)                                                           \
    static type *const reg_##name##_##object                                                       \
        __attribute__((used, section("reg_" #name), aligned(sizeof(void *)))) = &(object)

#define REGISTRY_EACH(name, type, p)                                                               \
    type *const *p = __start_reg_##name;                                                           \
    p < __stop_reg_##name;                                                                         \
    p++

#endif
