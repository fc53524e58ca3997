/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose rate of the stamp is believed. Pure; used by core/time.c.
 *
 *   references, best rank first ── another source agrees? ─> measured, or the claim it confirms
 *   none, but a claim           ───────────────────────────> the claim, unchecked
 *   nothing                     ───────────────────────────> 1 GHz, unknown
 *
 * What is measured carries an error bar. A claim within bar + TIME_CLAIM_PPM of it is taken in its
 * place: it is what the hardware was built to. Without a claim the measured rate is rounded to the
 * roundest number within its bar, so that digits that mean nothing do not differ between boots.
 */
#ifndef CORE_TIME_CHOOSE_H
#define CORE_TIME_CHOOSE_H

#include "core/time_calibrate.h"

#define TIME_CLAIM_PPM 200u   /* what crystals are off by */
#define TIME_AGREE_PPM 10000u /* two sources further apart cannot both be right */
#define TIME_UNKNOWN_HZ 1000000000ull

struct time_choice {
    uint64_t hz;
    uint64_t error_ppm; /* of the measurement behind it; 0: there was none */
    const char *source;
    bool known;   /* false: somebody has to say it, and nobody did */
    bool checked; /* a measurement is behind it */
};

struct time_choice time_choose(const struct time_measured *measured, unsigned count,
                               uint64_t claim_hz, const char *claim_source);

/* Whether two rates can both be right; a rate of 0 agrees with nothing. */
bool time_is_close(uint64_t a_hz, uint64_t b_hz);

#endif
