# SPDX-License-Identifier: Apache-2.0
# The same core as a Linux process (mk/image.mk says what each variable is).

PORT_KIND := process
# The host's library has these functions.
PORT_SKIP := core/string.c
# The parsers of ACPI tables and what draws text, for their tests; a process has no such tables or
# screen itself.
PORT_DRIVERS := $(wildcard drivers/acpi*.c) drivers/framebuffer_draw.c drivers/screen_text.c \
    drivers/pci.c drivers/serial_param.c drivers/uart_16550.c drivers/uart_16550_memory.c
PORT_CFLAGS := -pthread -fno-pie -D_GNU_SOURCE

HOST_MACHINE := $(shell uname -m)
ifeq ($(wildcard arch/hosted/on_$(HOST_MACHINE)),)
$(error The hosted build knows no $(HOST_MACHINE) host (arch/hosted/on_*))
endif
PORT_INCLUDES := arch/hosted/on_$(HOST_MACHINE) arch/process/on_$(HOST_MACHINE) arch/process/include

# How this_cpu_* finds the CPU's unit: one gs-relative instruction where the host is an x86-64 and
# no sanitizer has to see the access; otherwise plain C over a thread-local base.
ifeq ($(HOST_MACHINE)-$(SAN),x86_64-)
PORT_FOLDERS := arch/process arch/hosted/percpu_gs
PORT_INCLUDES += arch/x86_64/include/percpu
else
PORT_FOLDERS := arch/process arch/hosted/percpu_c
endif
PORT_INCLUDES += $(filter arch/hosted/%,$(PORT_FOLDERS))
