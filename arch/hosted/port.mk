# SPDX-License-Identifier: Apache-2.0
# The same core as a Linux process (mk/image.mk says what each variable is).

PORT_KIND := process
# The host's library has these functions.
PORT_SKIP := core/string.c
PORT_CFLAGS := -pthread -fno-pie -D_GNU_SOURCE

# How this_cpu_* finds the CPU's area: one gs-relative instruction where the host is an x86-64 and
# no sanitizer has to see the access; otherwise plain C over a thread-local base.
HOST_MACHINE := $(shell uname -m)
ifeq ($(HOST_MACHINE)$(SAN),x86_64)
PORT_INCLUDES := arch/hosted/percpu_gs arch/x86_64/include/percpu
else
PORT_INCLUDES := arch/hosted/percpu_c
endif
