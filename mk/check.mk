# SPDX-License-Identifier: Apache-2.0
# The rules of the house, checked when anything they speak of has changed.

CHECK_STAMP := $(BUILD)/checked
CHECKED_FILES := $(shell find arch bench boot core counters docs drivers mk tests tools \
    -name __pycache__ -prune -o -type f -print) Makefile run-qemu.sh

$(CHECK_STAMP): $(CHECKED_FILES)
	@mkdir -p $(@D)
	@$(PYTHON) tools/check_includes.py
	@touch $@
