# SPDX-License-Identifier: Apache-2.0
# The arm64 Image: the flat LL/SC kernel, with the flat LSE kernel behind it.

$(LIBFDT_LIBRARY):
	tools/fetch_foreign.sh arm64 libfdt-dev $(LIBFDT)

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

$(PORT_EFI_FOLDER)/usr/lib/elf_$(PORT_EFI_ARCH)_efi.lds:
	tools/fetch_foreign.sh arm64 gnu-efi $(PORT_EFI_FOLDER)

# GNU-EFI's start code has the PE header in front.
EFI_TO_PE = $(OBJCOPY) -O binary -j .text -j .dynamic -j .data -j '.rela*' $< $@
include mk/efi.mk
else
IMAGE_FILES += $(BUILD)/corestorm.bin
endif
