/* SPDX-License-Identifier: MIT */
/*
 * The state of the observation as a whole, which every screen shows.
 */
#ifndef ANALYZE_STANDING_H
#define ANALYZE_STANDING_H

#include "corotracer/report.h"

struct analysis;

/* analyze_standing_export: writes the state into a report that already has its quality. */
void analyze_standing_export(struct analysis *analysis, struct ct_report *report);

/* analyze_standing_has_living: is there a coroutine of the process that has not ended? */
bool analyze_standing_has_living(const struct analysis *analysis, uint32_t process);

#endif
