/* SPDX-License-Identifier: MIT */
/*
 * Selects wanted rows, by the names of their table's columns.
 */
#include "view/selected.h"

static uint32_t column_of(enum ct_view_table table, const char *name)
{
	uint32_t column = ct_view_find_column(table, name);

	return column < ct_view_describe(table)->nr_columns ? column : VIEW_NO_COLUMN;
}

/* Finds the columns of begin and end, or of the one time. */
static void find_times(struct view_selected *selected)
{
	static const char *const names[][2] = {{"from_ns", "until_ns"},
		{"created_ns", "destroyed_ns"}, {"opened_ns", "closed_ns"}, {"time_ns", "time_ns"}};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		selected->from = column_of(selected->table, names[i][0]);
		selected->until = column_of(selected->table, names[i][1]);
		if (selected->from != VIEW_NO_COLUMN && selected->until != VIEW_NO_COLUMN)
			return;
	}
	selected->from = selected->until = VIEW_NO_COLUMN;
}

void view_selected_init(struct view_selected *selected, struct pass *pass, enum ct_view_table table)
{
	bool is_whole = pass_is_all(pass) || view_tables[table].share == VIEW_TOLD;

	*selected = (struct view_selected){.pass = is_whole ? NULL : pass, .table = table};
	if (is_whole)
		return;
	pass_restart(pass);
	find_times(selected);
	selected->coro = column_of(table, "coroutine");
	selected->waker = table == CT_VIEW_WAKES ? CT_VIEW_WAKES_WAKER : VIEW_NO_COLUMN;
	selected->site = column_of(table, "site");
}

uint32_t view_selected_needs(const struct view_selected *selected, uint32_t *ret_columns)
{
	const uint32_t columns[] = {
		selected->from, selected->until, selected->coro, selected->waker, selected->site};
	uint32_t i, count = 0;

	if (!selected->pass)
		return 0;
	if (selected->table == CT_VIEW_EVENTS) {
		for (i = 0; i < CT_VIEW_NR_EVENTS; i++)
			ret_columns[count++] = i;
		return count;
	}
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (columns[i] != VIEW_NO_COLUMN)
			ret_columns[count++] = columns[i];
	return count;
}

/* Rebuilds the event from which the row was made, and asks about it. */
static bool takes_event(struct pass *pass, int64_t *const *values, uint32_t place)
{
	const struct ct_event event = {
		.sequence = (uint64_t)values[CT_VIEW_EVENTS_EVENT][place],
		.time = values[CT_VIEW_EVENTS_TIME][place],
		.kind = (uint8_t)values[CT_VIEW_EVENTS_KIND][place],
		.process = (uint32_t)values[CT_VIEW_EVENTS_PROCESS][place],
		.thread = (uint32_t)values[CT_VIEW_EVENTS_THREAD][place],
		.coro = (uint64_t)(values[CT_VIEW_EVENTS_COROUTINE][place] |
				   values[CT_VIEW_EVENTS_VALUE][place]),
		.object = (uint64_t)values[CT_VIEW_EVENTS_OBJECT][place],
		.argument = (uint8_t)values[CT_VIEW_EVENTS_ARGUMENT][place],
		.flags = (uint16_t)values[CT_VIEW_EVENTS_FLAGS][place],
		.site = (uint32_t)values[CT_VIEW_EVENTS_SITE][place],
	};

	return pass_takes_event(pass, &event);
}

/* A wake is about the coroutine that was woken and about its waker. */
static bool takes_coro(const struct view_selected *selected, int64_t *const *values, uint32_t place)
{
	const struct pass *pass = selected->pass;

	if (selected->coro == VIEW_NO_COLUMN)
		return true;
	return pass_takes_coro(pass, (uint64_t)values[selected->coro][place]) ||
	       (selected->waker != VIEW_NO_COLUMN &&
		       pass_takes_coro(pass, (uint64_t)values[selected->waker][place]));
}

static bool takes_row(const struct view_selected *selected, int64_t *const *values, uint32_t place)
{
	const struct pass *pass = selected->pass;

	if (selected->from != VIEW_NO_COLUMN &&
		!pass_takes_time(
			pass, values[selected->from][place], values[selected->until][place]))
		return false;
	if (selected->site != VIEW_NO_COLUMN &&
		!pass_takes_site(pass, (uint64_t)values[selected->site][place]))
		return false;
	return takes_coro(selected, values, place);
}

bool view_selected_takes(
	const struct view_selected *selected, int64_t *const *values, uint32_t place)
{
	struct pass *pass = selected->pass;

	return pass_count(pass, selected->table == CT_VIEW_EVENTS
					? takes_event(pass, values, place)
					: takes_row(selected, values, place));
}
