/* SPDX-License-Identifier: MIT */
/*
 * Closed unread: over half of the connections that are closed at one place had been reported readable, and nobody has
 * read from them since the report. The kernel sends their peers a connection reset, and data on the way to the peers
 * is lost. If the closing coroutine waited for the connection last, the place is that of the wait.
 *
 * Mostly Suspect, because the unread data may be the end of the peer's stream. Likely if a read had found nothing
 * before the wait, and the wait ended on another thread than it began on: then the coroutine looks in the wrong place
 * for what woke it. The rule is silent about connections that hung up or failed; if the program records no reads at
 * all, so that it may read in another way; while the program shuts down, or if it closes them all a moment before its
 * end; and if events are missing.
 */
#include <poll.h>

#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

/* Connections that are closed at one place, of those that a poll had reported. */
struct unread {
	uint32_t process; /* of the first close; at an unknown place, only its closes count */
	bool is_of_wait;  /* the place is that of the wait, else that of the close */
	uint32_t close_site;
	/* of the unread: found empty before the wait, which ended on another thread */
	uint64_t nr_misread;
	uint64_t nr_closed;
	/* reported readable and not read since; the next fields are of the last one: */
	uint64_t nr_unread;
	uint64_t handle;
	ct_time opened;
	uint32_t open_site;
	uint32_t ready_thread; /* the thread whose poll reported it readable */
	ct_time ready;
	uint64_t ready_event;
	ct_time first_closed;
	ct_time closed;
	uint64_t close_event;
	uint32_t close_thread;
};

static const struct unread *unread_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_closed_unread), site);
}

static bool is_connection(const struct model_descriptor *descriptor)
{
	unsigned unfit = MODEL_DESCRIPTOR_IS_LISTENER | MODEL_DESCRIPTOR_IS_DOUBLED;

	return (descriptor->type == CTP_DESCRIPTOR_TYPE_SOCKET ||
		       descriptor->type == CTP_DESCRIPTOR_TYPE_CONNECTION) &&
	       !(descriptor->flags & unfit) && descriptor->opened != CT_NO_TIME &&
	       descriptor->reported != CT_NO_TIME;
}

/* A connection that the peer or an error ended has nothing left to read. */
static bool is_unread(const struct model_descriptor *descriptor)
{
	unsigned over = POLLERR | POLLHUP | POLLRDHUP | POLLNVAL;

	return descriptor->ready != CT_NO_TIME && (descriptor->ready_flags & POLLIN) &&
	       !(descriptor->ready_flags & over);
}

/* For each coroutine: did its last wait end on another thread than it began on? */
static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	bool *has_moved = model_watch_coro(watch, sight->coro);

	if (*has_moved != (coro->suspended != CT_NO_TIME && coro->thread != sight->event->thread))
		*has_moved = !*has_moved;
	return true;
}

/* The coroutine that closes the descriptor, if it waited for the descriptor last; 0: none. */
static uint32_t waiter_of(const struct model *model, const struct model_sight *sight)
{
	uint32_t top = model->threads[sight->event->thread].top;

	return top && model->coros.at[top].rare->descriptor == sight->descriptor ? top : 0;
}

static bool look_at_close(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_descriptor *descriptor =
		&watch->model->descriptors.at[sight->descriptor];
	const struct ct_event *event = sight->event;
	uint32_t waiter = waiter_of(watch->model, sight);
	struct unread *unread = model_watch_place(
		watch, waiter ? watch->model->coros.at[waiter].wait_site : event->site);

	if (!unread || !is_connection(descriptor) ||
		(unread->nr_closed && unread->process != event->process))
		return true;
	unread->process = event->process;
	unread->nr_closed++;
	if (!is_unread(descriptor))
		return true;
	if (!unread->nr_unread++)
		unread->first_closed = event->time;
	unread->nr_misread += waiter && *(bool *)model_watch_coro(watch, waiter) &&
			      (descriptor->flags & MODEL_DESCRIPTOR_WAS_EMPTY);
	unread->is_of_wait = waiter;
	unread->close_site = event->site;
	unread->handle = event->object;
	unread->opened = descriptor->opened;
	unread->open_site = descriptor->open_site;
	unread->ready = descriptor->ready;
	unread->ready_thread = descriptor->ready_thread;
	unread->ready_event = descriptor->ready_event;
	unread->closed = event->time;
	unread->close_thread = event->thread;
	unread->close_event = event->sequence;
	return true;
}

/* ---------------------------------------------------------------- the candidates */

static bool is_often(const struct analysis *analysis, const struct unread *unread)
{
	uint64_t share = (uint64_t)LIMIT(analysis, CLOSED_UNREAD_SHARE);

	return unread->nr_closed >= (uint64_t)LIMIT(analysis, CLOSED_UNREAD_CLOSES) &&
	       unread->nr_unread * 100 > unread->nr_closed * share;
}

static bool is_misread(const struct analysis *analysis, const struct unread *unread)
{
	return unread->nr_misread * 100 >
	       unread->nr_closed * (uint64_t)LIMIT(analysis, CLOSED_UNREAD_SHARE);
}

/*
 * A server that ends closes what it has, all at once, though its clients may have just begun to ask for more. Their
 * requests are refused, as they will be in a moment.
 */
static bool is_at_the_end(const struct analysis *analysis, const struct unread *unread)
{
	const struct party *party = &analysis->parties[unread->process];

	return party->has_ended_itself &&
	       ct_time_between(unread->first_closed, party->end) <= LIMIT(analysis, GRACE);
}

static void judge(struct analysis *analysis, uint32_t site)
{
	const struct unread *unread = unread_at(analysis, site);
	struct candidate candidate = {
		.rule = CT_RULE_CLOSED_UNREAD,
		.grade = is_misread(analysis, unread) ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT,
		.process = unread->process,
		.wait_site = unread->is_of_wait ? site : 0,
		.cause_site = unread->is_of_wait ? 0 : site,
		.subject = site,
		.since = unread->closed,
	};

	if (analyze_candidate_outlives_gaps(analysis, &candidate, FROM_THE_BEGINNING,
		    analysis->parties[unread->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t site;

	for (site = 0; site < analysis->tables->nr_sites; site++) {
		const struct unread *unread = unread_at(analysis, site);

		if (is_often(analysis, unread) && !is_at_the_end(analysis, unread) &&
			analysis->model->processes[unread->process].has_reads &&
			analyze_party_is_at_work(
				analysis, unread->process, unread->closed, unread->closed))
			judge(analysis, site);
	}
}

/* ---------------------------------------------------------------- the evidence */

static void tell_last(struct analysis *analysis, uint32_t site, struct story *story)
{
	const struct unread *unread = unread_at(analysis, site);
	const char *what = analyze_words_resource(analysis, unread->handle, 0);
	struct ct_step step = {
		.time = unread->opened,
		.site = unread->open_site,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis, "opened %s, for example", what),
	};

	analyze_story_step(analysis, story, &step);
	analyze_story_resource(analysis, story, unread->handle);
	step = (struct ct_step){.time = unread->ready,
		.thread = unread->ready_thread,
		.sequence = unread->ready_event,
		.text = analyze_say(analysis, "found that it can be read from")};
	analyze_story_step(analysis, story, &step);
	step = (struct ct_step){.time = unread->closed,
		.site = unread->close_site,
		.thread = unread->close_thread,
		.sequence = unread->close_event,
		.text = analyze_say(analysis, "closed it; nobody had read from it since")};
	analyze_story_step(analysis, story, &step);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct unread *unread = unread_at(analysis, first->subject);

	finding->title = analyze_say(analysis,
		"%s of %s connections that were %s at %s could be read from, and nobody did",
		analyze_words_number(analysis, unread->nr_unread),
		analyze_words_number(analysis, unread->nr_closed),
		unread->is_of_wait ? "waited for" : "closed",
		analyze_words_place(analysis, first->subject));
	tell_last(analysis, first->subject, story);
	if (is_misread(analysis, unread))
		analyze_story_evidence(analysis, story,
			"on %s of them a read had found nothing, and the coroutine that waited for "
			"more was resumed on another thread",
			analyze_words_number(analysis, unread->nr_misread));
}

const struct rule rules_closed_unread = {
	.watcher = {.nr_coro_bytes = sizeof(bool),
		.nr_place_bytes = sizeof(struct unread),
		.looks = {[MODEL_CLOSE] = look_at_close, [MODEL_RUN] = look_at_run}},
	.find = find,
	.describe = describe,
};
