# SPDX-License-Identifier: Apache-2.0
# What a person types. The rules that make an image are in mk/image.mk, one run for each port.
#
#   make help      says everything

ARCH ?= x86_64
BUILD_ROOT ?= build
PORTS := $(notdir $(patsubst %/port.mk,%,$(wildcard arch/*/port.mk)))

# As many jobs as processors, unless the caller said how many.
ifeq ($(MAKELEVEL),0)
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
endif
MAKEFLAGS += --no-print-directory

IMAGE = +$(MAKE) -f mk/image.mk BUILD_ROOT=$(BUILD_ROOT)

.PHONY: all kernel hosted iso run test test-full check deps qemu-gdb qemu10 clean help
all: kernel

kernel:
	$(IMAGE) PORT=$(ARCH)

hosted:
	$(IMAGE) PORT=hosted

clean:
	rm -rf $(BUILD_ROOT)

help:
	@sed -n 's/^#: \{0,1\}//p' mk/help.mk
