/* SPDX-License-Identifier: MIT */
/*
 * The kernel's account of a living process, in the words of a report: its threads, and the descriptors that
 * coroutines wait for. The kernel was asked after the last event; this file asks it nothing.
 */
#include <inttypes.h>
#include <sys/epoll.h>

#include "analyze/parts.h"
#include "analyze/why_live.h"
#include "base/system_calls.h"

#define WAITERS_NAMED 4u

static const struct live *seen_of(const struct analysis *analysis, uint32_t process)
{
	const struct analyze_live *live = analysis->live;

	return live->pid && analysis->tables->processes[process].pid == live->pid ? live->seen
										  : NULL;
}

/* "a socket (inode 4711)", "the file '/var/lib/queue' (inode 12)". */
const char *analyze_why_live_kind(
	struct analysis *analysis, const struct live_descriptor *descriptor)
{
	const char *what = live_kind_words(descriptor);
	const char *name = descriptor->link[0] == '/' ? descriptor->link : "";
	const char *words =
		analyze_say(analysis, "%s%s%s%s", what, *name ? " '" : "", name, *name ? "'" : "");

	if (descriptor->inode == 0)
		return words;
	return analyze_say(analysis, "%s (inode %" PRIu64 ")", words, descriptor->inode);
}

/* ---------------------------------------------------------------- threads */

static const char *words_call(
	struct analysis *analysis, const struct live *seen, const struct live_thread *thread)
{
	const char *name = system_call_name(thread->call);
	const struct live_descriptor *descriptor;

	if (thread->call == PROCFS_UNKNOWN_CALL)
		return "; the kernel does not let us know in which system call";
	if (thread->call == PROCFS_NO_CALL)
		return ", in no system call";
	if (!name)
		return analyze_say(analysis, ", in system call %" PRId32, thread->call);
	if (thread->descriptor < 0)
		return analyze_say(analysis, ", in %s", name);
	descriptor = live_descriptor_of(seen, thread->descriptor);
	return analyze_say(analysis, ", in %s of descriptor %" PRId32 "%s%s", name,
		thread->descriptor, descriptor ? ", " : "",
		descriptor ? analyze_why_live_kind(analysis, descriptor) : "");
}

static const char *words_thread_now(
	struct analysis *analysis, const struct live *seen, const struct live_thread *thread)
{
	return analyze_say(analysis, "%s %s (state %c)%s%s%s",
		analyze_words_thread_of(analysis, thread->name, thread->tid),
		live_state_words(thread->state), thread->state, words_call(analysis, seen, thread),
		thread->waits_in[0] ? ", and waits in the kernel's " : "", thread->waits_in);
}

bool analyze_why_live_thread(struct analysis *analysis, struct story *story, uint32_t index)
{
	const struct ct_thread *told = &analysis->tables->threads[index];
	const struct live *seen = seen_of(analysis, told->process);
	const struct live_thread *thread;

	if (!seen || seen->has_ended)
		return false;
	thread = live_thread_of(seen, told->tid);
	if (!thread)
		analyze_story_fact(analysis, story,
			seen->is_cut ? "%s was not looked at: there are too many"
				     : "%s is not there any more",
			analyze_words_thread(analysis, index));
	else
		analyze_story_fact(analysis, story, "seen at the end of the recording: %s",
			words_thread_now(analysis, seen, thread));
	return true;
}

/* ---------------------------------------------------------------- descriptors */

/* ": thread reactor (4711)": the threads that are in a call about the descriptor. */
static const char *words_callers(
	struct analysis *analysis, const struct live *seen, int32_t descriptor)
{
	const char *words = "";
	uint32_t count = 0;
	size_t i;

	for (i = 0; i < seen->threads.count; i++) {
		const struct live_thread *thread = &seen->threads.at[i];

		if (thread->descriptor != descriptor)
			continue;
		if (count++ < WAITERS_NAMED)
			words = analyze_say(analysis, "%s%s%s", words, count > 1 ? ", " : "",
				analyze_words_thread_of(analysis, thread->name, thread->tid));
	}
	if (count > WAITERS_NAMED)
		words = analyze_say(
			analysis, "%s and %" PRIu32 " more", words, count - WAITERS_NAMED);
	return words;
}

/* Errors and hang-ups are always reported, and need not be named. */
static const char *words_watch(
	struct analysis *analysis, const struct live *seen, const struct live_watch *watch)
{
	const char *waiters = words_callers(analysis, seen, watch->epoll);

	if (!live_is_armed(watch))
		return analyze_say(analysis,
			"epoll instance %" PRId32
			" has it disarmed, and reports nothing about it until it is armed again",
			watch->epoll);
	return analyze_say(analysis, "epoll instance %" PRId32 " has it armed%s%s, %s%s",
		watch->epoll,
		analyze_words_readiness(analysis, watch->events & ~(EPOLLERR | EPOLLHUP)),
		watch->events & EPOLLONESHOT ? " for one report" : "",
		*waiters                 ? "and waits in "
		: seen->are_calls_hidden ? "and who waits on that instance is not known"
					 : "and nobody waits on that instance",
		waiters);
}

static void tell_watches(struct analysis *analysis, struct story *story, const struct live *seen,
	const struct live_descriptor *descriptor)
{
	const struct live_watch *watch = NULL;
	bool is_watched = false;

	while ((watch = live_next_watch(seen, descriptor->number, watch))) {
		is_watched = true;
		if (!live_is_of(watch, descriptor))
			analyze_story_fact(analysis, story,
				"epoll instance %" PRId32 " has that number for another "
				"file (inode %" PRIu64 "), which had it before",
				watch->epoll, watch->inode);
		else
			analyze_story_fact(
				analysis, story, "%s", words_watch(analysis, seen, watch));
	}
	if (!is_watched && !seen->is_cut)
		analyze_story_fact(analysis, story, "no epoll instance has it");
}

enum why_place analyze_why_live_place(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct live *seen = seen_of(analysis, coro->process);

	if (!seen || seen->has_ended || seen->is_without_descriptors ||
		CTP_HANDLE_RESOURCE(coro->wait_object) != CTP_RESOURCE_DESCRIPTOR)
		return WHY_PLACE_UNSEEN;
	if (live_descriptor_of(seen, (int32_t)CTP_HANDLE_IDENTITY(coro->wait_object)))
		return WHY_PLACE_OPEN;
	return seen->is_cut ? WHY_PLACE_UNSEEN : WHY_PLACE_CLOSED;
}

const struct live_descriptor *analyze_why_live_open(const struct analysis *analysis,
	const struct model_coro *coro, const struct live **ret_seen)
{
	if (analyze_why_live_place(analysis, coro) != WHY_PLACE_OPEN)
		return NULL;
	*ret_seen = seen_of(analysis, coro->process);
	return live_descriptor_of(*ret_seen, (int32_t)CTP_HANDLE_IDENTITY(coro->wait_object));
}

const char *analyze_why_live_arrived(
	struct analysis *analysis, const struct live_descriptor *descriptor)
{
	uint64_t count = descriptor->nr_arrived;

	switch (descriptor->arrival) {
	case LIVE_ARRIVAL_NONE:
		return "";
	case LIVE_ARRIVAL_BYTES:
		return analyze_say(analysis, "%s %s that nobody has read",
			analyze_words_number(analysis, count),
			count == 1 ? "byte is there" : "bytes are there");
	case LIVE_ARRIVAL_END:
		return "its peer has closed the connection, and nobody has read that end";
	case LIVE_ARRIVAL_PEERS:
		return analyze_say(analysis, "%s %s that nobody has accepted",
			analyze_words_number(analysis, count),
			count == 1 ? "connection is there" : "connections are there");
	case LIVE_ARRIVAL_COUNT:
		return analyze_say(analysis, "it counts %s, which nobody has read",
			analyze_words_number(analysis, count));
	}
	return "";
}

static void tell_ends(
	struct analysis *analysis, struct story *story, const struct live_descriptor *descriptor)
{
	const char *arrived = analyze_why_live_arrived(analysis, descriptor);

	if (arrived[0])
		analyze_story_fact(analysis, story, "%s", arrived);
	if (descriptor->other_end >= 0)
		analyze_story_fact(analysis, story,
			"its other end is descriptor %" PRId32 " of the same process",
			descriptor->other_end);
}

void analyze_why_live_descriptor(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	enum why_place place = analyze_why_live_place(analysis, coro);
	const struct live *seen = seen_of(analysis, coro->process);
	int32_t number = (int32_t)CTP_HANDLE_IDENTITY(coro->wait_object);
	const struct live_descriptor *descriptor;

	if (place == WHY_PLACE_CLOSED)
		analyze_story_fact(analysis, story,
			"descriptor %" PRId32 " is not open at the end of the recording", number);
	if (place != WHY_PLACE_OPEN)
		return;
	descriptor = live_descriptor_of(seen, number);
	analyze_story_fact(analysis, story,
		"descriptor %" PRId32 " is %s at the end of the recording", number,
		analyze_why_live_kind(analysis, descriptor));
	tell_watches(analysis, story, seen, descriptor);
	tell_ends(analysis, story, descriptor);
}

/* ---------------------------------------------------------------- all threads */

static uint32_t find_thread(const struct analysis *analysis, uint64_t tid)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t i;

	/* If several threads had this number, the last one is meant. */
	for (i = tables->nr_threads; i > 1; i--)
		if (tables->threads[i - 1].tid == tid &&
			tables->processes[tables->threads[i - 1].process].pid ==
				analysis->live->pid)
			return i - 1;
	return 0;
}

static struct ct_look look_of(
	struct analysis *analysis, const struct live *seen, const struct live_thread *thread)
{
	const struct live_descriptor *descriptor = live_descriptor_of(seen, thread->descriptor);
	const char *call = system_call_name(thread->call);

	return (struct ct_look){
		.tid = thread->tid,
		.thread = find_thread(analysis, thread->tid),
		.name = analyze_say(analysis, "%s", thread->name),
		.state = thread->state,
		.waits_in = analyze_say(analysis, "%s", thread->waits_in),
		.call = thread->call,
		.call_name = call ? call : "",
		.descriptor = thread->descriptor,
		.descriptor_kind = descriptor ? live_kind_name(descriptor) : "",
		.descriptor_inode = descriptor ? descriptor->inode : 0,
		.text = words_thread_now(analysis, seen, thread),
	};
}

static const char *words_trouble(struct analysis *analysis)
{
	const struct live *seen = analysis->live->seen;

	if (!seen || seen->has_ended)
		return "the process ended before its threads were looked at";
	if (seen->are_calls_hidden)
		return "the kernel does not show the system calls of its threads: that needs "
		       "the right to trace the process";
	if (seen->is_without_descriptors)
		return "its descriptors may not be looked at";
	if (seen->is_cut)
		return "it has more threads or descriptors than are looked at";
	return "";
}

static bool has_gap(const struct analysis *analysis, uint32_t reason)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 0; i < model->gaps.count; i++)
		if (model->gaps.at[i].reason == reason)
			return true;
	return false;
}

/* What a recording that began while the process ran cannot know; "": it did not. */
static const char *words_before(struct analysis *analysis)
{
	if (!has_gap(analysis, CTP_LOSS_BEFORE))
		return "";
	return analyze_say(analysis,
		"; what it did before is not known, %s. A flight recorder, "
		"COROTRACER_FLIGHT=,64M in its environment, would record both",
		analysis->live->has_memory ? "and of coroutines that did nothing in that time "
					     "only what its memory has"
					   : "nor are coroutines that did nothing in that time");
}

static const char *words_known(struct analysis *analysis)
{
	int64_t watched_ns = analysis->live->watched_ns;
	const char *rest =
		has_gap(analysis, CTP_LOSS_OVERWRITTEN) ? ", except what it has overwritten" : "";
	const char *watched;

	if (analysis->live->is_from_memory)
		return "it has no probe: its coroutines were looked for in its memory, twice";
	if (analysis->live->has_engine)
		return analyze_say(analysis,
			"another engine records it; that recording was read as far as it goes%s",
			words_before(analysis));
	if (watched_ns == 0)
		return analyze_say(
			analysis, "what its flight recorder keeps in a file was read%s", rest);
	watched = analyze_words_duration(analysis, watched_ns);
	if (has_gap(analysis, CTP_LOSS_BEFORE))
		return analyze_say(
			analysis, "it was watched for %s%s", watched, words_before(analysis));
	return analyze_say(analysis,
		"it was watched for %s, and what its flight recorder kept was read%s", watched,
		rest);
}

void analyze_why_live_export(struct analysis *analysis, struct ct_report *report)
{
	const struct live *seen = analysis->live->seen;
	struct ct_live *live = &report->live;
	struct ct_look *looks;
	size_t i;

	live->pid = analysis->live->pid;
	live->watched_ns = analysis->live->watched_ns;
	live->known = words_known(analysis);
	live->trouble = words_trouble(analysis);
	if (!seen)
		return;
	looks = analyze_array(analysis, seen->threads.count, sizeof(*looks));
	if (!looks)
		return;
	for (i = 0; i < seen->threads.count; i++)
		looks[i] = look_of(analysis, seen, &seen->threads.at[i]);
	live->looks = looks;
	live->nr_looks = (uint32_t)seen->threads.count;
}
