/* SPDX-License-Identifier: MIT */
/*
 * Lists events as rows, each as it is. Rows of events take as much memory as all other rows together, and few questions
 * are about events: so this share has a reading of its own, without a model.
 */
#include "base/failure.h"
#include "event/flags.h"
#include "event/kind_words.h"
#include "view/view.h"

static bool add_event(struct ct_view *view, const struct ct_event *event)
{
	bool has_coro = kind_has_coro(event->kind);
	const int64_t row[] = {
#define MAKES_EVENTS ~,
#include "view/cells.h"
#undef MAKES_EVENTS
	};

	return column_log_add(&view->logs[CT_VIEW_EVENTS], row);
}

static bool add_run(struct ct_view *view, const struct ct_events *events)
{
	bool is_added = true;
	size_t i;

	for (i = 0; is_added && !events->are_carried && i < events->count; i++)
		is_added = add_event(view, &events->at[i]);
	return is_added;
}

enum ct_status view_list(struct ct_view *view, struct ct_error *reterr)
{
	enum ct_status status = source_reset(view->source, reterr);
	struct ct_events events;

	pass_begin(view->pass, "reading", view->tables->nr_events);
	while (status == CT_OK) {
		status = source_next_run(view->source, &events, reterr);
		if (status == CT_OK && !add_run(view, &events))
			status = ct_fail_memory(reterr);
		if (status == CT_OK)
			pass_advance(view->pass, events.count);
	}
	return status == CT_END ? CT_OK : status;
}
