/* SPDX-License-Identifier: MIT */
/*
 * What the user types behind '/': words, each a condition that rows have to meet.
 *
 *   PATTERN             the screen's last column has it, in capitals or not; with * and ?
 *   COLUMN~PATTERN      this column has it
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
	char texts[TOP_TERMS][TOP_TERM_BYTES]; /* that terms refer to */
};

/*
 * top_filter_read: `now`: the end of observation, from which ages count. The filter refers to itself: it cannot be
 * copied. False: complaint is one sentence about the word that is wrong.
 */
bool top_filter_read(struct top_filter *filter, enum top_screen screen, struct ct_view *view,
	ct_time now, const char *text, char complaint[TOP_COMPLAINT_BYTES]);

#endif
