/* SPDX-License-Identifier: MIT */
/*
 * Waits on an unattended descriptor: in a program without a probe, which was looked at twice while it ran, a coroutine
 * waits for a descriptor that is open, and either no poll of the process watches it, or what had arrived at it was
 * still there at the second look.
 *
 * Always Suspect: the descriptor is what a member of the awaited object is called, which is a guess, and two looks
 * are no history. The rule is silent if the kernel completes transfers, if it is not known what a thread polls, or if a
 * thread is in a call about the descriptor; about arrivals, if the wait is for room by its name or by what is polled.
 */
#include <ctype.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "analyze/why_live.h"
#include "rules/parts.h"

enum variant {
	VARIANT_NONE,
	VARIANT_UNWATCHED, /* no epoll instance has it */
	VARIANT_DISARMED,  /* all entries are disarmed */
	VARIANT_UNREAD,    /* nobody reads what has arrived */
};

/* ---------------------------------------------------------------- guards */

static bool is_excused(const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->mark || (coro->flags & MODEL_CORO_WAITS_FOR_MORE) ||
	       coro->rare->deadline != CT_NO_TIME ||
	       model_is_woken_since(analysis->model, coro, coro->suspended);
}

/* Files and the like are always ready, and are in no interest list. */
static bool can_be_polled(const struct live_descriptor *descriptor)
{
	static const char *const kinds[] = {
		"socket", "pipe", "eventfd", "timerfd", "signalfd", "inotify"};
	const char *kind = live_kind_name(descriptor);
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kind, kinds[i]) == 0)
			return true;
	return false;
}

static bool is_in_call(const struct live *seen, const struct live_descriptor *descriptor)
{
	size_t i;

	for (i = 0; i < seen->threads.count; i++)
		if (seen->threads.at[i].descriptor == descriptor->number)
			return true;
	return false;
}

/* Is what is awaited called as waits for room are, or as those for a connection? */
static bool is_for_room(const struct analysis *analysis, const struct model_coro *coro)
{
	static const char *const words[] = {"write", "send", "connect", "flush"};
	const char *reason = analysis->tables->sites[coro->wait_site].reason;
	char lower[128];
	size_t i;

	for (i = 0; reason[i] && i < sizeof(lower) - 1; i++)
		lower[i] = (char)tolower((unsigned char)reason[i]);
	lower[i] = '\0';
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(lower, words[i]))
			return true;
	return false;
}

static enum variant variant_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct live *seen;
	const struct live_descriptor *descriptor = analyze_why_live_open(analysis, coro, &seen);
	uint32_t watched;

	if (!descriptor || !can_be_polled(descriptor) || descriptor->is_polled || seen->is_cut ||
		seen->has_io_uring || seen->has_unknown_polls || seen->are_calls_hidden ||
		is_in_call(seen, descriptor))
		return VARIANT_NONE;
	watched = descriptor->watched_events & (POLLIN | POLLOUT);
	if (descriptor->has_lasted && watched != POLLOUT && !is_for_room(analysis, coro))
		return VARIANT_UNREAD;
	if (!seen->has_epoll || watched)
		return VARIANT_NONE;
	return descriptor->is_watched ? VARIANT_DISARMED : VARIANT_UNWATCHED;
}

static bool stands(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return !analysis->is_told[index] && model_is_awaiting(coro) &&
	       analysis->model->now - coro->suspended >= LIMIT(analysis, GRACE) &&
	       !is_excused(analysis, coro);
}

/* ---------------------------------------------------------------- the candidates */

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_UNATTENDED_DESCRIPTOR,
		.grade = CT_GRADE_SUSPECT,
		.variant = variant_of(analysis, coro),
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.since = coro->suspended,
	};

	if (candidate.variant != VARIANT_NONE &&
		analyze_candidate_outlives_gaps(analysis, &candidate, coro->suspended,
			analysis->parties[coro->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i;

	if (!analysis->live || !analysis->live->is_from_memory)
		return;
	for (i = 1; i < analysis->model->coros.count; i++)
		if (stands(analysis, i))
			judge(analysis, i);
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_what(uint32_t variant)
{
	switch (variant) {
	case VARIANT_UNWATCHED:
		return "that no poll of the process watches";
	case VARIANT_DISARMED:
		return "disarmed in the polls of the process";
	default:
		return "from which nobody reads what has arrived";
	}
}

static void tell_seen(struct analysis *analysis, const struct candidate *first,
	const struct model_coro *coro, struct story *story)
{
	const struct live *seen;
	const struct live_descriptor *descriptor = analyze_why_live_open(analysis, coro, &seen);

	analyze_story_fact(analysis, story, "descriptor %" PRId32 " is %s", descriptor->number,
		analyze_why_live_kind(analysis, descriptor));
	if (first->variant == VARIANT_UNREAD)
		analyze_story_fact(analysis, story,
			"%s; something was there at the first look, too",
			analyze_why_live_arrived(analysis, descriptor));
	else
		analyze_story_fact(analysis, story, "%s, and no thread is in a call about it",
			first->variant == VARIANT_UNWATCHED
				? "no epoll instance has it"
				: "all its entries in epoll instances are disarmed");
	if (descriptor->other_end >= 0)
		analyze_story_fact(analysis, story,
			"its other end is descriptor %" PRId32 " of the same process",
			descriptor->other_end);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	finding->title = analyze_say(analysis, "%s at %s, for %s %s",
		analyze_words_count(analysis, group),
		analyze_words_place(analysis, first->wait_site),
		group->count == 1 ? "a descriptor" : "descriptors", words_what(first->variant));
	analyze_story_suspended(analysis, story, coro);
	tell_seen(analysis, first, coro, story);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence = coro->last_event;
}

const struct rule rules_unattended_descriptor = {
	.find = find,
	.describe = describe,
};
