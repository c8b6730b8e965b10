/* SPDX-License-Identifier: MIT */
/*
 * A view as a whole: opening, filling the shares, closing.
 */
#include <stdlib.h>

#include "base/failure.h"
#include "profile/profile.h"
#include "view/view.h"

static enum view_share share_of(enum ct_view_table table)
{
	return view_tables[view_tables[table].log].share;
}

static void empty(struct ct_view *view, enum view_share share)
{
	enum ct_view_table table;

	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		if (share_of(table) == share)
			column_log_fini(&view->logs[table]);
	if (share == VIEW_FOLDED) {
		column_log_fini(&view->moments);
		vec_fini(&view->calls);
	}
	column_room_empty(&view->rooms[share]);
	view_texts_fini(&view->texts[share]);
	if (share == VIEW_TOLD) {
		analyze_report_free(view->report);
		view->report = NULL;
	}
}

static bool prepare(struct ct_view *view, enum view_share share)
{
	enum ct_view_table table;

	if (!view_texts_init(&view->texts[share]))
		return false;
	for (table = 0; table < CT_VIEW_NR_TABLES; table++) {
		const struct view_table *of = &view_tables[table];

		if (!of->is_part && share_of(table) == share &&
			!column_log_init(&view->logs[table], of->description.nr_columns,
				&view->rooms[share]))
			return false;
	}
	return share != VIEW_FOLDED || column_log_init(&view->moments, 1, &view->rooms[share]);
}

static bool seal(struct ct_view *view, enum view_share share)
{
	enum ct_view_table table;

	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		if (!view_tables[table].is_part && share_of(table) == share &&
			!column_log_seal(&view->logs[table]))
			return false;
	return share != VIEW_FOLDED || column_log_seal(&view->moments);
}

static enum ct_status read_share(
	struct ct_view *view, enum view_share share, struct ct_error *reterr)
{
	switch (share) {
	case VIEW_FOLDED:
		return view_fold(view, reterr);
	case VIEW_TOLD:
		return view_tell(view, reterr);
	default:
		return view_list(view, reterr);
	}
}

static enum ct_status fill(struct ct_view *view, enum view_share share, struct ct_error *reterr)
{
	enum ct_status status;

	if (!prepare(view, share))
		return ct_fail_memory(reterr);
	status = read_share(view, share, reterr);
	if (status == CT_OK && (view->texts[share].is_broken || !seal(view, share)))
		status = ct_fail_memory(reterr);
	return status;
}

static bool is_filled(struct ct_view *view, enum view_share share)
{
	bool is;

	pthread_mutex_lock(&view->lock);
	is = view->is_filled[share];
	pthread_mutex_unlock(&view->lock);
	return is;
}

static void note_filled(struct ct_view *view, enum view_share share)
{
	pthread_mutex_lock(&view->lock);
	view->is_filled[share] = true;
	pthread_mutex_unlock(&view->lock);
}

/* A request for a filled share does not wait while another share is being filled. */
static enum ct_status fill_share(
	struct ct_view *view, enum view_share share, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (is_filled(view, share))
		return CT_OK;
	pthread_mutex_lock(&view->reading);
	if (!is_filled(view, share)) {
		status = fill(view, share, reterr);
		if (status)
			empty(view, share);
		else
			note_filled(view, share);
	}
	pthread_mutex_unlock(&view->reading);
	return status;
}

enum ct_status view_fill(struct ct_view *view, enum ct_view_table table, struct ct_error *reterr)
{
	return fill_share(view, share_of(table), reterr);
}

uint64_t ct_view_nr_without_room(const struct ct_view *view)
{
	return view->nr_without_room;
}

enum ct_status ct_view_report(
	struct ct_view *view, const struct ct_report **ret_report, struct ct_error *reterr)
{
	enum ct_status status = fill_share(view, VIEW_TOLD, reterr);

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
	enum view_share share;

	if (!view)
		return NULL;
	for (share = 0; share < VIEW_NR_SHARES; share++)
		column_room_init(&view->rooms[share], source->most_bytes / VIEW_NR_SHARES);
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
	enum view_share share;

	if (!view)
		return;
	for (share = 0; share < VIEW_NR_SHARES; share++)
		empty(view, share);
	pthread_mutex_destroy(&view->lock);
	pthread_mutex_destroy(&view->reading);
	free(view);
}
