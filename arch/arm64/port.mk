# SPDX-License-Identifier: Apache-2.0
# Bare metal, arm64 (mk/image.mk says what each variable is).
#
# Two kernels of the same sources: with LL/SC loops for every processor, and (ATOMICS=lse) with the
# atomic instructions of ARMv8.1. arch/arm64/pack.mk joins them to one Image, whose header starts
# the one that fits. So both are straight code, with nothing to decide or to patch at run time.

PORT_KIND := kernel
PORT_BOOT := image_arm64 device_tree efi efi/arm64
PORT_FOLDERS := arch/bare arch/arm64/libfdt
PORT_DRIVERS := $(wildcard drivers/acpi*.c drivers/arm_*.c drivers/fdt*.c drivers/framebuffer*.c \
    drivers/screen*.c) \
    $(addprefix drivers/,pci.c serial_param.c serial_ports.c uart_16550.c uart_16550_memory.c uart_pl011.c)

CROSS_COMPILE ?= aarch64-linux-gnu-
ifeq ($(CC),gcc)
CC := $(CROSS_COMPILE)gcc
else ifneq ($(findstring clang,$(CC)),)
PORT_TARGET := --target=$(patsubst %-,%,$(CROSS_COMPILE))
endif
OBJCOPY := $(CROSS_COMPILE)objcopy
OBJDUMP := $(CROSS_COMPILE)objdump
NM := $(CROSS_COMPILE)nm
LD := $(CROSS_COMPILE)ld

ifeq ($(ATOMICS),lse)
PORT_MARCH := armv8.1-a
else ifeq ($(ATOMICS),)
PORT_MARCH := armv8-a
else
$(error ATOMICS=$(ATOMICS): lse, or nothing)
endif

PORT_CFLAGS := $(PORT_TARGET) -march=$(PORT_MARCH) -mgeneral-regs-only -mno-outline-atomics
# The cross compiler's limits.h is whole without that of a C library, which need not be installed.
PORT_CFLAGS += -D_LIBC_LIMITS_H_
PORT_LDFLAGS := $(PORT_TARGET)

# Packages of the distribution for arm64, unpacked (pack.mk).
LIBFDT := $(BUILD_ROOT)/tools/libfdt-dev-arm64
LIBFDT_LIBRARY := $(LIBFDT)/usr/lib/aarch64-linux-gnu/libfdt.a
PORT_INPUTS := $(LIBFDT_LIBRARY)
PORT_LIBRARIES := $(LIBFDT_LIBRARY)
PORT_INCLUDES := arch/arm64/libfdt $(LIBFDT)/usr/include

PORT_EFI_FILE := BOOTAA64.EFI
PORT_EFI_ARCH := aarch64
PORT_EFI_FOLDER := $(BUILD_ROOT)/tools/gnu-efi-arm64
PORT_EFI_CFLAGS := $(PORT_TARGET) -march=armv8-a -mgeneral-regs-only -mno-outline-atomics -mstrict-align
# What the header that GNU-EFI puts in front calls the subsystem: an EFI application.
PORT_EFI_LDFLAGS := --defsym=EFI_SUBSYSTEM=0xa
PORT_EFI_PAYLOAD = $(BUILD)/Image
