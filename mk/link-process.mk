# SPDX-License-Identifier: Apache-2.0
# Links a program of the build machine. Not position independent: the symbol table is made from
# its addresses.

LINK = $(CC) -no-pie -pthread $(CFLAGS_SAN) $(PORT_LDFLAGS)
IMAGE_BASE := $(BUILD)/corestorm
include mk/symbols.mk

IMAGE_FILES := $(IMAGE_BASE)
