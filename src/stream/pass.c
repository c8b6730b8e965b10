/* SPDX-License-Identifier: MIT */
/*
 * The part of a trace that is wanted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "event/kind_words.h"
#include "event/places.h"
#include "stream/pass.h"

/* Often enough for one line a second, and rarely enough not to cost anything. */
#define TELL_EVERY 16384u

/* ---------------------------------------------------------------- the wanted part */

static const struct {
	const char *name;
	unsigned number;
} kinds_by_name[] = {
#define X(NAME, number, text, category, object, argument, meaning) {text, number},
#include "corotracer/def/kinds.def"
#undef X
};

static bool find_kind(const char *name, unsigned *ret_kind)
{
	size_t i;

	for (i = 0; i < sizeof(kinds_by_name) / sizeof(kinds_by_name[0]); i++) {
		if (strcmp(name, kinds_by_name[i].name) != 0)
			continue;
		*ret_kind = kinds_by_name[i].number;
		return true;
	}
	return false;
}

static enum ct_status read_kinds(
	struct pass *pass, const char *const *kinds, struct ct_error *reterr)
{
	unsigned kind;

	for (; kinds && *kinds; kinds++) {
		if (!find_kind(*kinds, &kind))
			return ct_fail(reterr, CT_ERR_USAGE,
				"there is no kind of event '%.40s', such as suspend, resume, wake "
				"or block-begin",
				*kinds);
		pass->is_kind[kind] = true;
		pass->has_kinds = true;
	}
	return CT_OK;
}

/* Marks the places that the pattern means; returns their number. */
static uint32_t mark_places(struct pass *pass, const char *pattern, const struct ct_tables *tables)
{
	uint32_t site, count = 0;

	for (site = 1; site < tables->nr_sites; site++) {
		if (!place_matches(pattern, &tables->sites[site]))
			continue;
		pass->is_place[site] = 1;
		count++;
	}
	return count;
}

/* A pattern that means no place is a mistake: it would leave everything out. */
static enum ct_status read_places(struct pass *pass, const char *const *places,
	const struct ct_tables *tables, struct ct_error *reterr)
{
	if (!places || !*places)
		return CT_OK;
	pass->nr_sites = tables->nr_sites;
	pass->is_place = calloc(tables->nr_sites + 1u, 1);
	if (!pass->is_place)
		return ct_fail_memory(reterr);
	for (; *places; places++)
		if (!mark_places(pass, *places, tables))
			return ct_fail(
				reterr, CT_ERR_USAGE, "the trace has no place '%.80s'", *places);
	return CT_OK;
}

enum ct_status pass_init(struct pass *pass, const struct ct_export_options *options,
	const struct ct_tables *tables, struct ct_error *reterr)
{
	struct ct_selection part;
	enum ct_status status;

	*pass = (struct pass){.from = INT64_MIN,
		.until = INT64_MAX,
		.progress = options->progress,
		.context = options->context};
	known_options(&part, sizeof(part), options->selection);
	if (part.has_from)
		pass->from = part.from;
	if (part.has_until)
		pass->until = part.until;
	if (pass->until <= pass->from)
		return ct_fail(
			reterr, CT_ERR_USAGE, "the time that is asked for ends before it begins");
	pass->followed.coroutine = part.coroutine;
	status = read_kinds(pass, part.kinds, reterr);
	return status ? status : read_places(pass, part.places, tables, reterr);
}

void pass_fini(struct pass *pass)
{
	free(pass->is_place);
	pass->is_place = NULL;
}

bool pass_is_all(const struct pass *pass)
{
	return !pass || (pass->from == INT64_MIN && pass->until == INT64_MAX &&
				!pass->followed.coroutine && !pass->is_place && !pass->has_kinds);
}

/* ---------------------------------------------------------------- questions */

bool pass_takes_time(const struct pass *pass, ct_time from, ct_time until)
{
	bool has_begun = from == CT_NO_TIME || from < pass->until;
	bool goes_on = until == CT_NO_TIME || until >= pass->from;

	return has_begun && goes_on;
}

bool pass_takes_coro(const struct pass *pass, uint64_t coro)
{
	return !pass->followed.coroutine || coro == pass->followed.coroutine;
}

bool pass_takes_site(const struct pass *pass, uint64_t site)
{
	return !pass->is_place || (site < pass->nr_sites && pass->is_place[site]);
}

/* An event without a time is in no part of the trace. */
static bool has_time(const struct pass *pass, ct_time time)
{
	if (time == CT_NO_TIME)
		return pass->from == INT64_MIN && pass->until == INT64_MAX;
	return pass_takes_time(pass, time, time);
}

bool pass_takes_event(struct pass *pass, const struct ct_event *event)
{
	bool is_about = !pass->followed.coroutine || pass_is_about(event, &pass->followed);

	return is_about && has_time(pass, event->time) && pass_takes_site(pass, event->site) &&
	       (!pass->has_kinds || pass->is_kind[event->kind]);
}

void pass_restart(struct pass *pass)
{
	pass->followed.frame = 0;
}

bool pass_count(struct pass *pass, bool is_taken)
{
	pass->rows.nr_rows++;
	pass->rows.nr_left_out += !is_taken;
	return is_taken;
}

/* ---------------------------------------------------------------- progress */

static void tell(struct pass *pass)
{
	pass->told = pass->done;
	if (pass->progress)
		pass->progress(pass->context, pass->what, pass->done, pass->total);
}

void pass_begin(struct pass *pass, const char *what, uint64_t total)
{
	if (!pass)
		return;
	pass->what = what;
	pass->done = 0;
	pass->total = total;
	tell(pass);
}

void pass_advance(struct pass *pass, uint64_t count)
{
	if (!pass || !pass->what)
		return;
	pass->done += count;
	if (pass->done - pass->told >= TELL_EVERY)
		tell(pass);
}

/* ---------------------------------------------------------------- one coroutine */

static void note_frame(const struct ct_event *event, struct ct_followed *followed)
{
	if (event->coro != followed->coroutine)
		return;
	if (event->kind == CTP_KIND_FRAME)
		followed->frame = event->object;
	else if (event->kind == CTP_KIND_DESTROY)
		followed->frame = 0;
}

bool pass_is_about(const struct ct_event *event, struct ct_followed *followed)
{
	uint64_t coroutine = followed->coroutine, frame;

	note_frame(event, followed);
	frame = followed->frame;
	if (event->coro == coroutine && kind_has_coro(event->kind))
		return true;
	switch (event->kind) {
	case CTP_KIND_SWITCH:
	case CTP_KIND_AWAIT:
	case CTP_KIND_AWAIT_DONE:
		return event->object == coroutine;
	default:
		return event->object == CTP_HANDLE(CTP_RESOURCE_COROUTINE, coroutine) ||
		       (frame && event->object == CTP_HANDLE(CTP_RESOURCE_FRAME, frame));
	}
}
