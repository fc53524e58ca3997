# SPDX-License-Identifier: Apache-2.0
# The same core on a simulated machine: a process whose CPUs are coroutines on one host thread
# (mk/image.mk says what each variable is; arch/sim/backend.h how it works).
#
# The tested code, SIM_TESTED, is compiled with the compiler's thread-sanitizer instrumentation,
# so that each of its accesses to memory calls a function of arch/sim, and it is linked without the
# sanitizer's library. Its variables go into sections of their own, at fixed addresses, so that what
# lies on which cache line depends on nothing but the tested code; its calls of memcpy and the like,
# which the compiler does not instrument, are redirected.

PORT_KIND := process
PORT_SKIP := core/string.c
PORT_DRIVERS := $(wildcard drivers/acpi*.c) drivers/framebuffer_draw.c drivers/screen_text.c \
    drivers/pci.c drivers/serial_param.c drivers/uart_16550.c drivers/uart_16550_memory.c
PORT_CFLAGS := -fno-pie -D_GNU_SOURCE

HOST_MACHINE := $(shell uname -m)
ifeq ($(wildcard arch/sim/on_$(HOST_MACHINE)),)
$(error The simulated machine knows no $(HOST_MACHINE) host (arch/sim/on_*))
endif
PORT_FOLDERS := arch/process arch/sim/on_$(HOST_MACHINE) arch/sim/timed arch/sim/explore tests/explore
PORT_INCLUDES := arch/sim/on_$(HOST_MACHINE) arch/process/on_$(HOST_MACHINE) arch/process/include

# Optimisation of arch/sim itself (SIM_OPT=-O1); results do not depend on it, a test says.
SIM_OPT ?= -O2
$(OBJ)/arch/sim/%.o: UNIT_CFLAGS := $(SIM_OPT)

SIM_TESTED := $(foreach f,core counters bench drivers tests gen/designs,$(OBJ)/$(f)/%.o)
ifneq ($(findstring clang,$(shell $(CC) --version)),)
SIM_INSTRUMENT := -fsanitize=thread $(foreach o,instrument-func-entry-exit=0 \
    distinguish-volatile=1 instrument-read-before-write=1,-mllvm -tsan-$(o))
else
SIM_INSTRUMENT := -fsanitize=thread --param=tsan-instrument-func-entry-exit=0 \
    --param=tsan-distinguish-volatile=1 -Wno-tsan
endif
# The compiler writes small copies out behind the instrumentation's back: as calls they are seen.
SIM_INSTRUMENT += $(foreach f,memcpy memmove memset memcmp,-fno-builtin-$(f))
# Addresses: arch/sim/include/port/layout.h.
SIM_MOVE := --rename-section .data=sim_data --rename-section .bss=sim_bss \
    $(foreach f,memcpy memmove memset memcmp,--redefine-sym $(f)=sim_$(f))
$(SIM_TESTED): UNIT_CFLAGS := $(SIM_INSTRUMENT)
$(SIM_TESTED): UNIT_POST = $(OBJCOPY) $(SIM_MOVE) $@
PORT_UNIT_TEXT := $(SIM_OPT) $(SIM_INSTRUMENT) $(SIM_MOVE)
PORT_LDFLAGS := -Wl,--section-start=sim_data=0x10000000 -Wl,--section-start=sim_bss=0x10400000
