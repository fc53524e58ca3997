# SPDX-License-Identifier: Apache-2.0
# The machines' descriptions beside the program, where machine=NAME finds them.

SIM_MACHINES := $(patsubst arch/sim/machines/%,$(BUILD)/machines/%,$(wildcard arch/sim/machines/*.machine arch/sim/machines/*.csv))
$(BUILD)/machines/%: arch/sim/machines/%
	@mkdir -p $(@D)
	@cp $< $@
IMAGE_FILES += $(SIM_MACHINES)
