/* SPDX-License-Identifier: MIT */
/*
 * A view as a whole: opening, filling the halves, closing.
 */
#include <stdlib.h>

#include "base/failure.h"
#include "profile/profile.h"
#include "view/view.h"

static enum view_half half_of(enum ct_view_table table)
{
	return view_tables[view_tables[table].log].half;
}

static void empty(struct ct_view *view, enum view_half half)
{
	enum ct_view_table table;

	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		if (half_of(table) == half)
			column_log_fini(&view->logs[table]);
	column_room_empty(&view->rooms[half]);
	view_texts_fini(&view->texts[half]);
	if (half == VIEW_TOLD) {
		analyze_report_free(view->report);
		view->report = NULL;
	}
}

static bool prepare(struct ct_view *view, enum view_half half)
{
	enum ct_view_table table;

	if (!view_texts_init(&view->texts[half]))
		return false;
	for (table = 0; table < CT_VIEW_NR_TABLES; table++) {
		const struct view_table *of = &view_tables[table];

		if (!of->is_part && half_of(table) == half &&
			!column_log_init(
				&view->logs[table], of->description.nr_columns, &view->rooms[half]))
			return false;
	}
	return true;
}

static bool seal(struct ct_view *view, enum view_half half)
{
	enum ct_view_table table;

	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		if (!view_tables[table].is_part && half_of(table) == half &&
			!column_log_seal(&view->logs[table]))
			return false;
	return true;
}

static enum ct_status fill(struct ct_view *view, enum view_half half, struct ct_error *reterr)
{
	enum ct_status status;

	if (!prepare(view, half))
		return ct_fail_memory(reterr);
	status = half == VIEW_FOLDED ? view_fold(view, reterr) : view_tell(view, reterr);
	if (status == CT_OK && (view->texts[half].is_broken || !seal(view, half)))
		status = ct_fail_memory(reterr);
	return status;
}

static bool is_filled(struct ct_view *view, enum view_half half)
{
	bool is;

	pthread_mutex_lock(&view->lock);
	is = view->is_filled[half];
	pthread_mutex_unlock(&view->lock);
	return is;
}

static void note_filled(struct ct_view *view, enum view_half half)
{
	pthread_mutex_lock(&view->lock);
	view->is_filled[half] = true;
	pthread_mutex_unlock(&view->lock);
}

/* A request for a filled half does not wait while the other half is being filled. */
static enum ct_status fill_half(struct ct_view *view, enum view_half half, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (is_filled(view, half))
		return CT_OK;
	pthread_mutex_lock(&view->reading);
	if (!is_filled(view, half)) {
		status = fill(view, half, reterr);
		if (status)
			empty(view, half);
		else
			note_filled(view, half);
	}
	pthread_mutex_unlock(&view->reading);
	return status;
}

enum ct_status view_fill(struct ct_view *view, enum ct_view_table table, struct ct_error *reterr)
{
	return fill_half(view, half_of(table), reterr);
}

uint64_t ct_view_nr_without_room(const struct ct_view *view)
{
	return view->nr_without_room;
}

enum ct_status ct_view_report(
	struct ct_view *view, const struct ct_report **ret_report, struct ct_error *reterr)
{
	enum ct_status status = fill_half(view, VIEW_TOLD, reterr);

	if (status == CT_OK)
		*ret_report = view->report;
	return status;
}

const struct ct_tables *ct_view_tables(const struct ct_view *view)
{
	return view->tables;
}

enum ct_status view_profile(struct ct_view *view, const struct ct_profile_options *options,
	struct text *text, struct ct_error *reterr)
{
	enum ct_status status;

	pthread_mutex_lock(&view->reading);
	status = profile_write(view->source, options, text, reterr);
	pthread_mutex_unlock(&view->reading);
	return status;
}

struct ct_view *view_open(struct ct_source *source, const struct analyze_live *live,
	const struct ct_thresholds *thresholds)
{
	struct ct_view *view = calloc(1, sizeof(*view));
	enum view_half half;

	if (!view)
		return NULL;
	for (half = 0; half < VIEW_NR_HALVES; half++)
		column_room_init(&view->rooms[half], source->most_bytes / VIEW_NR_HALVES);
	view->source = source;
	view->tables = source->tables;
	view->live = live;
	view->thresholds = thresholds;
	pthread_mutex_init(&view->reading, NULL);
	pthread_mutex_init(&view->lock, NULL);
	return view;
}

void view_close(struct ct_view *view)
{
	enum view_half half;

	if (!view)
		return;
	for (half = 0; half < VIEW_NR_HALVES; half++)
		empty(view, half);
	pthread_mutex_destroy(&view->lock);
	pthread_mutex_destroy(&view->reading);
	free(view);
}
