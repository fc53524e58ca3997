# SPDX-License-Identifier: Apache-2.0
# Compiler flags, and the stamp that makes every object depend on them.

WARN := -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unused-parameter
# $(call if_known,FLAG): the flag where this compiler knows it.
if_known = $(shell $(CC) -Werror $(1) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(1))

CFLAGS_ALL := -std=gnu11 -O2 -g $(WARN) -fno-omit-frame-pointer -fno-strict-aliasing \
    -fno-common -ffile-prefix-map=$(CURDIR)/=
# A per-CPU area is a small number, and gcc must not take a gs-relative access to it for a null
# pointer's.
CFLAGS_ALL += $(call if_known,--param=min-pagesize=0)
INCLUDES := -I. -Iarch/include $(foreach d,$(PORT_INCLUDES),-I$(d)) -Iarch/$(PORT)/include

ifeq ($(PORT_KIND),kernel)
CFLAGS_ALL += -ffreestanding -fno-pic -fno-pie -fno-stack-protector \
    -fno-asynchronous-unwind-tables -fno-unwind-tables
endif

ifeq ($(SAN),asan)
CFLAGS_SAN := -fsanitize=address,undefined -fno-sanitize-recover=all
else ifeq ($(SAN),tsan)
# gcc warns of fences, which ThreadSanitizer does not see: what they order must be atomic itself.
CFLAGS_SAN := -fsanitize=thread $(call if_known,-Wno-tsan)
else ifneq ($(SAN),)
$(error SAN=$(SAN): the sanitizer builds are asan (with UBSan) and tsan)
endif
ifneq ($(SAN),)
ifneq ($(PORT_KIND),process)
$(error SAN=$(SAN) needs PORT=hosted: make hosted SAN=$(SAN))
endif
endif

ifeq ($(DEBUG),1)
CFLAGS_ALL += -DCORESTORM_DEBUG=1
else ifneq ($(DEBUG),)
$(error DEBUG=$(DEBUG): 1, or nothing)
endif

CFLAGS_ALL += $(PORT_CFLAGS) $(CFLAGS_SAN) $(EXTRA_CFLAGS)

# The stamp's file changes only when its text does; a change rebuilds what was made with the old one.
FLAGS_STAMP := $(BUILD)/flags
FLAGS_TEXT := $(CC) $(CFLAGS_ALL) $(INCLUDES) | $(NASM) $(PORT_NASMFLAGS) | $(PORT_LDFLAGS) | $(PORT_UNIT_TEXT)
.PHONY: always
always:
$(FLAGS_STAMP): always
	@mkdir -p $(@D)
	@echo '$(FLAGS_TEXT)' | cmp -s - $@ || echo '$(FLAGS_TEXT)' > $@

# The version in the report: the last release, and the commit. A copy without git has no commit.
VERSION := 0.1.0
GIT_COMMIT := $(shell git describe --always --dirty --abbrev=7 --exclude '*' 2>/dev/null)
$(GEN)/version.c: always
	@mkdir -p $(@D)
	@text='#include "core/version.h"\nconst char corestorm_version[] = "$(VERSION)$(GIT_COMMIT:%=+g%)";'; \
	    printf "$$text\n" | cmp -s - $@ || printf "$$text\n" > $@
