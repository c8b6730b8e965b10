/* SPDX-License-Identifier: MIT */
/*
 * The filter that the user types after '/': words, each of which is a condition for rows.
 *
 *   PATTERN             the screen's last column contains it, in any case; with * and ?
 *   COLUMN~PATTERN      this column contains it
 *   COLUMN=VALUE        and !=, <, <=, >, >=; times with a unit: longest>5ms
 *
 * COLUMN is a heading of the screen, or any column of its table in the view.
 */
#ifndef CLI_TOP_FILTER_H
#define CLI_TOP_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "top/screens.h"

#define TOP_TERMS 8u
#define TOP_TERM_BYTES 128u
#define TOP_COMPLAINT_BYTES 160u

struct top_filter {
	struct ct_view_term terms[TOP_TERMS];
	uint32_t nr_terms;
	char texts[TOP_TERMS][TOP_TERM_BYTES]; /* the texts of terms */
};

/*
 * top_filter_read: parses a filter. `now`: the end of observation, from which ages are counted. The filter points into
 * itself, so it must not be copied. False: `complaint` is one sentence about the wrong word.
 */
bool top_filter_read(struct top_filter *filter, enum top_screen screen, struct ct_view *view,
	ct_time now, const char *text, char complaint[TOP_COMPLAINT_BYTES]);

#endif
