# SPDX-License-Identifier: Apache-2.0
# Two links: the first, with an empty symbol table, gives the addresses of all functions, from which
# tools/symbols.py makes the table that the second one holds. That the table moved no function is
# checked.

PASS1 := $(BUILD)/pass1.elf
SYMBOL_TABLE := $(OBJ)/gen/symbol_table.o

$(PASS1): $(OBJECTS) $(OBJECT_LIST) $(LINK_INPUTS) $(FLAGS_STAMP)
	@echo "  LINK  $@"
	@$(LINK) -o $@ $(OBJECTS) $(LINK_LIBRARIES)

$(GEN)/symbol_table.c: $(PASS1) tools/symbols.py
	@mkdir -p $(@D)
	@$(PYTHON) tools/symbols.py --nm $(NM) $< > $@

# A sanitizer would add functions of its own to it.
$(SYMBOL_TABLE): CFLAGS_ALL := $(filter-out $(CFLAGS_SAN),$(CFLAGS_ALL))

$(IMAGE_BASE): $(PASS1) $(SYMBOL_TABLE)
	@echo "  LINK  $@"
	@$(LINK) -Wl,-Map,$(BUILD)/corestorm.map -o $@ $(OBJECTS) $(SYMBOL_TABLE) $(LINK_LIBRARIES)
	@$(PYTHON) tools/symbols.py --nm $(NM) --check $< $@
