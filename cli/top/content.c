/* SPDX-License-Identifier: MIT */
/*
 * Rows and lines for one frame. Only the visible rows of a table are read.
 */
#include <inttypes.h>
#include <stdio.h>

#include "top/content.h"

#define LEAST_BELOW 8u /* the least height for showing the selected finding below the list */

void top_content_fini(struct top_content *content)
{
	top_rows_fini(&content->rows);
	top_lines_fini(&content->lines);
	top_lines_fini(&content->below);
}

/* ---------------------------------------------------------------- tables */

/* The height of the list: a third of the lines, or less if there are fewer findings. */
static uint32_t lines_of_findings(uint64_t nr_findings, uint32_t height)
{
	uint32_t most = height / 3;

	if (height < LEAST_BELOW + 3)
		return height;
	return nr_findings < most ? (uint32_t)nr_findings : most;
}

static enum ct_status ask(struct top_content *content, const struct top_state *state,
	const struct top_snapshot *snapshot, uint32_t height, struct ct_error *reterr)
{
	enum top_screen screen = state->now.screen;
	enum ct_status status;

	top_rows_fini(&content->rows);
	status = top_rows_ask(snapshot->view, screen, &state->sorting[screen], state->now.first,
		height ? height : 1, &content->rows, reterr);
	if (status)
		return status;
	content->extent.nr_lines = content->rows.rows->nr_matched;
	content->extent.nr_visible = screen == TOP_FINDINGS
					     ? lines_of_findings(content->extent.nr_lines, height)
					     : height;
	return CT_OK;
}

static void make_table(struct top_content *content, struct top_state *state,
	const struct top_snapshot *snapshot, uint32_t height)
{
	uint64_t first = state->now.first;
	struct ct_error error = {0};
	enum ct_status status = ask(content, state, snapshot, height, &error);

	content->is_table = true;
	top_state_fit(state, &content->extent);
	if (status == CT_OK && state->now.first != first)
		status = ask(content, state, snapshot, height, &error);
	if (status)
		snprintf(content->trouble, sizeof(content->trouble), "%.*s",
			(int)sizeof(content->trouble) - 1, error.text);
}

static void make_findings(struct top_content *content, struct top_state *state,
	const struct top_snapshot *snapshot, uint32_t height)
{
	uint64_t row;

	make_table(content, state, snapshot, height);
	if (content->trouble[0])
		return;
	if (!content->extent.nr_lines && !state->sorting[TOP_FINDINGS].filter[0]) {
		content->is_table = false;
		top_page_no_findings(&content->lines, snapshot->view, snapshot->report);
		return;
	}
	row = state->now.selected - state->now.first;
	if (content->extent.nr_visible < height && row < content->rows.rows->nr_rows)
		top_page_finding(&content->below, snapshot->view, snapshot->report,
			(uint64_t)top_rows_key(&content->rows, row), true);
}

/* ---------------------------------------------------------------- any screen */

static void make_text(struct top_content *content, const struct top_state *state,
	const struct top_snapshot *snapshot, const struct top_chain *chain)
{
	switch (state->now.screen) {
	case TOP_FINDING:
		top_page_finding(&content->lines, snapshot->view, snapshot->report,
			state->now.subject.id, false);
		break;
	case TOP_COROUTINE:
		top_page_coroutine(&content->lines, snapshot->view, snapshot->report,
			state->now.subject, chain);
		break;
	default:
		break;
	}
}

void top_content_make(struct top_content *content, struct top_state *state,
	const struct top_snapshot *snapshot, const struct top_chain *chain, uint32_t width,
	uint32_t height, bool has_unicode)
{
	*content = (struct top_content){
		.extent = {.width = width},
		.lines = {.width = width, .has_unicode = has_unicode},
		.below = {.width = width, .has_unicode = has_unicode},
	};
	if (state->now.screen == TOP_HELP)
		top_page_help(&content->lines);
	else if (!snapshot)
		return;
	else if (state->now.screen == TOP_FINDINGS)
		make_findings(content, state, snapshot, height);
	else if (state->now.screen < TOP_NR_TABLES)
		make_table(content, state, snapshot, height);
	else
		make_text(content, state, snapshot, chain);
	if (content->is_table)
		return;
	content->extent = (struct top_extent){content->lines.nr_lines, height, width};
	top_state_fit(state, &content->extent);
}

/* ---------------------------------------------------------------- opening */

static bool follow(const struct top_link *link, struct top_state *state)
{
	if (link->leads)
		top_state_open(state, link->screen, link->subject);
	return link->leads;
}

/* Shows the coroutines that meet this condition, as if the user had typed it as a filter. */
static bool open_coroutines(struct top_state *state, const char *condition, int64_t key)
{
	top_state_open(state, TOP_COROUTINES, (struct top_subject){0, 0});
	snprintf(state->sorting[TOP_COROUTINES].filter, TOP_FILTER_BYTES, "%s%" PRId64, condition,
		key);
	return true;
}

bool top_content_open(const struct top_content *content, struct top_state *state)
{
	uint64_t row = state->now.selected - state->now.first;
	struct top_link link = {.leads = true};
	int64_t key;

	if (!content->is_table)
		return state->now.selected < content->lines.nr_lines &&
		       follow(&content->lines.at[state->now.selected].link, state);
	if (content->trouble[0] || row >= content->rows.rows->nr_rows)
		return false;
	key = top_rows_key(&content->rows, row);
	link.subject = (struct top_subject){top_rows_process(&content->rows, row), (uint64_t)key};
	switch (state->now.screen) {
	case TOP_FINDINGS:
		link.screen = TOP_FINDING;
		return follow(&link, state);
	case TOP_COROUTINES:
		link.screen = TOP_COROUTINE;
		return follow(&link, state);
	case TOP_PLACES:
		return open_coroutines(state, "state=waiting wait_site=", key);
	case TOP_WORKERS:
		return open_coroutines(state, "thread=", key);
	default:
		return open_coroutines(state, "state=waiting wait_object=", key);
	}
}
