/* SPDX-License-Identifier: MIT */
/*
 * Picking events, and printing them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "say.h"
#include "selection.h"

#define LINE_BYTES 4096

bool selection_read_range(const char *text, struct selection *selection)
{
	char *end;

	errno = 0;
	if (*text < '0' || *text > '9')
		return false;
	selection->first = selection->last = strtoull(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		selection->last = strtoull(end + 1, &end, 10);
	return *end == '\0' && errno == 0 && selection->first <= selection->last;
}

/* An event is also about a coroutine that it wakes, awaits, creates or switches to. */
static bool is_about(const struct selection *selection, const struct ct_event *event)
{
	uint64_t coroutine = selection->coroutine;

	if (event->coro == coroutine && ct_event_has_coro(event))
		return true;
	switch (event->kind) {
	case CTP_KIND_SWITCH:
	case CTP_KIND_AWAIT:
	case CTP_KIND_AWAIT_DONE:
		return event->object == coroutine;
	default:
		return event->object == CTP_HANDLE(CTP_RESOURCE_COROUTINE, coroutine) ||
		       (selection->frame &&
			       event->object == CTP_HANDLE(CTP_RESOURCE_FRAME, selection->frame));
	}
}

bool selection_has(const struct selection *selection, const struct ct_event *event)
{
	return event->sequence >= selection->first && event->sequence <= selection->last &&
	       (!selection->coroutine || is_about(selection, event));
}

/* A frame's address serves another coroutine after this one. */
void selection_note(struct selection *selection, const struct ct_event *event)
{
	if (event->coro != selection->coroutine)
		return;
	if (event->kind == CTP_KIND_FRAME)
		selection->frame = event->object;
	else if (event->kind == CTP_KIND_DESTROY)
		selection->frame = 0;
}

void print_event(FILE *stream, const struct ct_trace *trace, const struct ct_event *event)
{
	const struct ct_tables *tables = ct_trace_tables(trace);
	const struct ct_site *site =
		event->site < tables->nr_sites ? &tables->sites[event->site] : NULL;
	char line[LINE_BYTES];

	ct_event_format(trace, event, line, sizeof(line));
	fprintf(stream, "%s # event %" PRIu64, line, event->sequence);
	if (event->site && site && *site->file) {
		fputs(" at ", stream);
		print_safe(stream, site->file);
		fprintf(stream, ":%" PRIu32, site->line);
	}
	fputc('\n', stream);
}
