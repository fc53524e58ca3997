# SPDX-License-Identifier: Apache-2.0
# Bare metal, x86-64 (mk/image.mk says what each variable is).

PORT_KIND := kernel
PORT_BOOT := pvh multiboot2 efi efi/x86_64
PORT_FOLDERS := arch/bare
PORT_DRIVERS := $(filter-out drivers/arm_%.c drivers/fdt%.c drivers/uart_pl011.c,$(wildcard drivers/*.c))
# For the hosted port on an x86-64 host too.
PORT_INCLUDES := arch/x86_64/include/percpu
PORT_CFLAGS := -m64 -march=x86-64 -mcmodel=kernel -mno-red-zone -mgeneral-regs-only
PORT_NASMFLAGS := -f elf64 -g -F dwarf -Werror

PORT_EFI_FILE := BOOTX64.EFI
PORT_EFI_ARCH := x86_64
PORT_EFI_FOLDER :=
PORT_EFI_CFLAGS := -m64 -mno-red-zone -mgeneral-regs-only -DGNU_EFI_USE_MS_ABI
PORT_EFI_PAYLOAD = $(BUILD)/corestorm.bin
