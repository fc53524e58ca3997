# SPDX-License-Identifier: Apache-2.0
# The flat kernel, for the EFI application.

$(BUILD)/corestorm.bin: $(IMAGE_BASE)
	@$(OBJCOPY) -O binary $< $@

EFI_TO_PE = $(OBJCOPY) -S -j .text -j .data -j .dynamic -j .rela -j .reloc \
    --target efi-app-x86_64 --subsystem 10 $< $@
include mk/efi.mk
