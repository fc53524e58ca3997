# SPDX-License-Identifier: Apache-2.0
# The arm64 Image: the flat LL/SC kernel, with the flat LSE kernel behind it.

$(LIBFDT)/libfdt.a:
	tools/fetch_libfdt.sh $(LIBFDT)

$(BUILD)/corestorm.bin: $(IMAGE_BASE)
	@$(OBJCOPY) -O binary $< $@

ifeq ($(ATOMICS),)
LSE_BUILD := $(BUILD_ROOT)/$(subst arm64,arm64-lse,$(VARIANT))

.PHONY: lse-kernel
lse-kernel: $(CHECK_STAMP) | $(PORT_INPUTS)
	+@$(MAKE) -f mk/image.mk PORT=arm64 ATOMICS=lse BUILD_ROOT=$(BUILD_ROOT)
$(LSE_BUILD)/corestorm.bin: lse-kernel

# The LSE kernel's make has its turn first, so that its file is there and its age is right.
$(BUILD)/Image: $(BUILD)/corestorm.bin $(LSE_BUILD)/corestorm.bin tools/join_arm64.py
	@echo "  JOIN  $@"
	@$(PYTHON) tools/join_arm64.py $(BUILD)/corestorm.bin $(LSE_BUILD)/corestorm.bin $@

IMAGE_FILES += $(BUILD)/Image
else
IMAGE_FILES += $(BUILD)/corestorm.bin
endif
