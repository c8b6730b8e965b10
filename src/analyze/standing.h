/* SPDX-License-Identifier: MIT */
/*
 * How the observation as a whole stands: what every screen says of it.
 */
#ifndef ANALYZE_STANDING_H
#define ANALYZE_STANDING_H

#include "corotracer/report.h"

struct analysis;

/* analyze_standing_export: into a report that has its quality. */
void analyze_standing_export(struct analysis *analysis, struct ct_report *report);

#endif
