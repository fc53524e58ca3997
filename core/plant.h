/* SPDX-License-Identifier: Apache-2.0 */
/* Faults on purpose, for the tests of how faults are reported: plant=panic,selftest,hang. Each is
 * planted where it would happen for real, by a call of plant_wanted() there. */
#ifndef CORE_PLANT_H
#define CORE_PLANT_H

#include "core/compiler.h"

bool plant_wanted(const char *what);
/* Whether any is: a run that gets to its end all the same has not done what was asked for. */
bool plant_any(void);

#endif
