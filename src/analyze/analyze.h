/* SPDX-License-Identifier: MIT */
/*
 * The judgement: reads a source to its end, folds it into a model, asks each detector, and makes
 * one report of what they say. It prints nothing, and what the trace does not show it does not
 * claim.
 */
#ifndef ANALYZE_ANALYZE_H
#define ANALYZE_ANALYZE_H

#include "corotracer/ct.h"
#include "stream.h"

/*
 * analyze_source: reads the source from its first event, twice where something was found (the
 * second time for the evidence), and leaves it at an undefined place. Options may be NULL. On
 * CT_OK, *ret_report is to be freed by analyze_report_free; it borrows the source's tables, so it
 * goes first.
 */
enum ct_status analyze_source(struct ct_source *source, const struct ct_analyze_options *options,
	const struct ct_report **ret_report, struct ct_error *reterr);

/* analyze_report_free: NULL is allowed. */
void analyze_report_free(const struct ct_report *report);

#endif
