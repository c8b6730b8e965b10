/* SPDX-License-Identifier: MIT */
/*
 * The screens of text: a finding, a coroutine, help. Each function adds its lines to `lines`, whose width must be set.
 * One thread uses them.
 */
#ifndef CLI_TOP_PAGES_H
#define CLI_TOP_PAGES_H

#include "top/lines.h"

/* The chain of a coroutine, if it has been followed. */
struct top_chain {
	const struct ct_report *report; /* NULL: not followed yet */
	const char *trouble;            /* why it cannot be followed; NULL: it can */
};

/* top_page_finding: a finding, by its number, from 1 on; `is_brief`: below a list, without the members. */
void top_page_finding(struct top_lines *lines, struct ct_view *view, const struct ct_report *report,
	uint64_t number, bool is_brief);

/* top_page_no_findings: suggests what to look at when there is no finding. */
void top_page_no_findings(
	struct top_lines *lines, struct ct_view *view, const struct ct_report *report);

/* top_page_coroutine: its chain, its times, its last events. */
void top_page_coroutine(struct top_lines *lines, struct ct_view *view,
	const struct ct_report *report, struct top_subject subject, const struct top_chain *chain);

/* top_page_help: the keys and the screens. */
void top_page_help(struct top_lines *lines);

/* top_page_steps: steps of a finding or of a chain. */
void top_page_steps(struct top_lines *lines, const struct ct_view *view, uint32_t process,
	const struct ct_step *steps, uint32_t nr_steps);

#endif
