/* SPDX-License-Identifier: MIT */
/*
 * The cells of a view as SQL sees them.
 */
#include <stdlib.h>
#include <string.h>

#include "event/kind_words.h"
#include "query/query.h"
#include "view/view.h"

#define WORDS_BYTES 1024u

/* ---------------------------------------------------------------- joined columns */

/* In well-formed UTF-8. */
static char *make_place(struct ct_query *query, int64_t site)
{
	char words[WORDS_BYTES];
	struct text clean = {0};
	char *place;

	ct_view_say(query->view, CT_VIEW_TYPE_SITE, site, 0, words, sizeof(words));
	text_utf8(&clean, words);
	place = clean.is_broken ? NULL : strdup(text_peek(&clean));
	text_fini(&clean);
	return place;
}

const char *query_place(struct ct_query *query, int64_t site)
{
	uint32_t nr_sites = ct_view_tables(query->view)->nr_sites;

	if (site <= 0 || site >= nr_sites)
		return "";
	if (!query->places)
		query->places = calloc(nr_sites, sizeof(*query->places));
	if (query->places && !query->places[site])
		query->places[site] = make_place(query, site);
	return query->places ? query->places[site] : NULL;
}

static const struct ct_site *site_of(struct ct_query *query, int64_t number)
{
	const struct ct_tables *tables = ct_view_tables(query->view);

	return &tables->sites[number > 0 && number < tables->nr_sites ? number : 0];
}

static const struct ct_thread *thread_of(struct ct_query *query, int64_t number)
{
	const struct ct_tables *tables = ct_view_tables(query->view);

	return number > 0 && number < tables->nr_threads ? &tables->threads[number] : NULL;
}

/* The text of a joined column; "" or NULL: there is none. */
static const char *joined_text(struct ct_query *query, enum query_of of, int64_t number)
{
	const struct ct_thread *thread;

	switch (of) {
	case QUERY_OF_PLACE:
		return query_place(query, number);
	case QUERY_OF_FUNCTION:
		return number > 0 ? site_of(query, number)->function : "";
	case QUERY_OF_FILE:
		return number > 0 ? site_of(query, number)->file : "";
	case QUERY_OF_REASON:
		return number > 0 ? site_of(query, number)->reason : "";
	case QUERY_OF_THREAD_NAME:
		thread = thread_of(query, number);
		return thread ? thread->name : "";
	default:
		return "";
	}
}

/* The number of a joined column; 0: there is none. */
static int64_t joined_number(struct ct_query *query, enum query_of of, int64_t number)
{
	const struct ct_tables *tables = ct_view_tables(query->view);
	const struct ct_thread *thread = thread_of(query, number);

	switch (of) {
	case QUERY_OF_PID:
		return number > 0 && number < tables->nr_processes
			       ? (int64_t)tables->processes[number].pid
			       : 0;
	case QUERY_OF_LINE:
		return number > 0 ? site_of(query, number)->line : 0;
	case QUERY_OF_TID:
		return thread ? (int64_t)thread->tid : 0;
	default:
		return 0;
	}
}

/* ---------------------------------------------------------------- results */

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80)
			return false;
	return true;
}

/* Gives SQLite a text in UTF-8 that lives as long as the query. */
static void give_clean(sqlite3_context *context, const char *text)
{
	if (!text)
		sqlite3_result_error_nomem(context);
	else if (*text)
		sqlite3_result_text(context, text, -1, SQLITE_STATIC);
}

/* Gives SQLite a text that lives as long as the view. */
static void give_text(sqlite3_context *context, const char *text)
{
	struct text clean = {0};

	if (!text || is_ascii(text)) {
		give_clean(context, text);
		return;
	}
	text_utf8(&clean, text);
	if (clean.is_broken)
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_text(
			context, text_peek(&clean), (int)clean.length, SQLITE_TRANSIENT);
	text_fini(&clean);
}

static void give_words(sqlite3_context *context, struct ct_query *query, enum ct_view_type type,
	int64_t number, int64_t kind)
{
	struct text words = {0};

	view_spell(&words, query->view, type, number, (unsigned)kind);
	if (words.is_broken)
		sqlite3_result_error_nomem(context);
	else if (words.length)
		sqlite3_result_text(
			context, text_peek(&words), (int)words.length, SQLITE_TRANSIENT);
	text_fini(&words);
}

static void give_cell(sqlite3_context *context, struct ct_query *query,
	const struct query_column *column, int64_t number, int64_t kind)
{
	if (ct_view_is_nothing(column->type, number))
		return;
	switch (column->type) {
	case CT_VIEW_TYPE_TEXT:
		give_text(context, ct_view_text(query->view, number));
		return;
	case CT_VIEW_TYPE_KIND:
		if (strcmp(ct_kind_name((unsigned)number), "unknown") != 0)
			give_text(context, ct_kind_name((unsigned)number));
		else
			give_words(context, query, column->type, number, kind);
		return;
	case CT_VIEW_TYPE_STATE:
		give_text(context, ct_state_name((enum ct_state)number));
		return;
	case CT_VIEW_TYPE_OUTCOME:
		give_text(context, ct_outcome_name((unsigned)number));
		return;
	case CT_VIEW_TYPE_MARK:
		give_text(context, ct_mark_name((unsigned)number));
		return;
	default:
		if (column->is_text)
			give_words(context, query, column->type, number, kind);
		else
			sqlite3_result_int64(context, number);
	}
}

static void give_clock(sqlite3_context *context, struct ct_query *query, int64_t time)
{
	int64_t monotonic;

	if (time != CT_NO_TIME &&
		!__builtin_add_overflow(
			time, ct_view_tables(query->view)->epoch_monotonic_ns, &monotonic))
		sqlite3_result_int64(context, monotonic);
}

void query_cell(sqlite3_context *context, struct ct_query *query, const struct query_column *column,
	int64_t number, int64_t kind)
{
	int64_t joined;

	if (column->of == QUERY_OF_CELL) {
		if (!column->is_partial || !kind_has_coro((unsigned)kind))
			give_cell(context, query, column, number, kind);
	} else if (column->of == QUERY_OF_CLOCK) {
		give_clock(context, query, number);
	} else if (column->of == QUERY_OF_PLACE) {
		give_clean(context, query_place(query, number));
	} else if (column->is_text) {
		give_text(context, joined_text(query, column->of, number));
	} else {
		joined = joined_number(query, column->of, number);
		if (joined)
			sqlite3_result_int64(context, joined);
	}
}

void query_cell_text(struct text *text, struct ct_query *query, const struct query_column *column,
	int64_t number)
{
	struct text words = {0};
	const char *joined;

	if (column->of != QUERY_OF_CELL) {
		joined = joined_text(query, column->of, number);
		text_utf8(text, joined ? joined : "");
		return;
	}
	view_spell(&words, query->view, column->type, number, 0);
	text_utf8(text, text_peek(&words));
	text->is_broken |= words.is_broken;
	text_fini(&words);
}
