# SPDX-License-Identifier: Apache-2.0
# From a source to its object, with its headers as dependencies. UNIT_CFLAGS and UNIT_POST are a
# port's own for some of its objects (pattern-specific variables in arch/<port>/port.mk).

COMPILE = $(CC) $(CFLAGS_ALL) $(UNIT_CFLAGS) $(INCLUDES) -MMD -MP -c $< -o $@

$(OBJ)/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(COMPILE)
	@$(UNIT_POST)

$(OBJ)/gen/%.o: $(GEN)/%.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(COMPILE)
	@$(UNIT_POST)

$(OBJ)/%.asm.o: %.asm $(FLAGS_STAMP)
	@mkdir -p $(@D)
	@echo "  NASM  $<"
	@$(NASM) $(PORT_NASMFLAGS) -I./ -MD $(@:.o=.d) -MP -o $@ $<

$(OBJ)/%.S.o: %.S $(FLAGS_STAMP)
	@mkdir -p $(@D)
	@echo "  AS    $<"
	@$(COMPILE)

$(OBJECTS): | $(PORT_INPUTS)

.SECONDARY: $(DESIGN_UNITS)
-include $(OBJECTS:.o=.d)
