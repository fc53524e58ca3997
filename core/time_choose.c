/* SPDX-License-Identifier: Apache-2.0 */
/* Whose rate of the stamp is believed (core/time_choose.h). */
#include "core/time_choose.h"

#include "core/time_scale.h"

bool time_is_close(uint64_t a_hz, uint64_t b_hz)
{
    return a_hz && b_hz && time_ppm(a_hz, b_hz) <= TIME_AGREE_PPM;
}

static bool time_has_witness(const struct time_measured *measured, unsigned count, unsigned i,
                             uint64_t claim_hz)
{
    if (time_is_close(measured[i].hz, claim_hz))
        return true;
    for (unsigned j = 0; j < count; j++)
        if (j != i && time_is_close(measured[i].hz, measured[j].hz))
            return true;
    return false;
}

/* The best reference that another source agrees with, else the best that gave a rate. */
static const struct time_measured *time_best(const struct time_measured *measured, unsigned count,
                                             uint64_t claim_hz)
{
    const struct time_measured *first = NULL;

    for (unsigned i = 0; i < count; i++) {
        if (time_has_witness(measured, count, i, claim_hz))
            return &measured[i];
        if (!first && measured[i].hz)
            first = &measured[i];
    }
    return first;
}

struct time_choice time_choose(const struct time_measured *measured, unsigned count,
                               uint64_t claim_hz, const char *claim_source)
{
    const struct time_measured *best = time_best(measured, count, claim_hz);
    uint64_t bar_ppm;

    if (!best && claim_hz)
        return (struct time_choice){claim_hz, 0, claim_source, true, false};
    if (!best)
        return (struct time_choice){TIME_UNKNOWN_HZ, 0, "nothing", false, false};
    bar_ppm = time_ppm(best->hz + best->error_hz, best->hz);
    if (claim_hz && time_ppm(claim_hz, best->hz) <= bar_ppm + TIME_CLAIM_PPM)
        return (struct time_choice){claim_hz, bar_ppm, claim_source, true, true};
    return (struct time_choice){time_round_within(best->hz, best->error_hz), bar_ppm, best->name,
                                true, true};
}
