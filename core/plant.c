/* SPDX-License-Identifier: Apache-2.0 */
/* The plant= parameter. */
#include "core/plant.h"

#include "core/param.h"

static const char *plant_list = "";

PARAM_TEXT(plant, "plant", plant_list,
           "a list of panic, selftest, straggler, hang, hang-boot, null, execute, overflow",
           "test aid: faults made on purpose");

bool plant_any(void)
{
    return *plant_list;
}

bool plant_wanted(const char *what)
{
    return param_list_has(plant_list, what);
}
