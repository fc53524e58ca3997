# SPDX-License-Identifier: Apache-2.0
# Builds one image for one port: make -f mk/image.mk PORT=x86_64|hosted [SAN=…] [DEBUG=1] [CC=clang].
#
# A folder is a module, a file in it is found by wildcard: nothing is listed here by name. What a
# port adds or leaves out is in arch/<port>/port.mk:
#
#   PORT_KIND      kernel (freestanding, linker.ld) or process (a program of the build machine)
#   PORT_BOOT      folders of boot/ that can start it
#   PORT_DRIVERS   files of drivers/ that its machines need
#   PORT_SKIP      files of core/ that the port has from elsewhere
#   PORT_FOLDERS   further folders of its own sources
#   PORT_INCLUDES  further include folders before arch/<port>/include
#   PORT_INPUTS    what must be there before anything is compiled
#   PORT_CFLAGS, PORT_LDFLAGS, PORT_NASMFLAGS, PORT_LIBRARIES
#   PORT_UNIT_TEXT  what the port does to some objects alone: a change rebuilds all
#
# arch/<port>/pack.mk, where there is one, makes the loadable image of the linked kernel.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

ifeq ($(wildcard arch/$(PORT)/port.mk),)
$(error There is no port "$(PORT)" here (yet): the ports are \
    $(notdir $(patsubst %/port.mk,%,$(wildcard arch/*/port.mk))))
endif

ifeq ($(origin CC),default)
CC := gcc
endif
OBJCOPY ?= objcopy
OBJDUMP ?= objdump
NM ?= nm
NASM ?= nasm
PYTHON ?= /usr/bin/python3

BUILD_ROOT ?= build
VARIANT := $(PORT)$(if $(ATOMICS),-$(ATOMICS))$(if $(SAN),-$(SAN))$(if $(DEBUG),-debug)
BUILD := $(BUILD_ROOT)/$(VARIANT)
GEN := $(BUILD)/gen
OBJ := $(BUILD)/obj

include arch/$(PORT)/port.mk
include mk/flags.mk
include mk/sources.mk
include mk/compile.mk
include mk/check.mk
include mk/link-$(PORT_KIND).mk
-include arch/$(PORT)/pack.mk

.DEFAULT_GOAL := image
.PHONY: image
image: $(CHECK_STAMP) $(IMAGE_FILES)
