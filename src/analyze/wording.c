/* SPDX-License-Identifier: MIT */
/*
 * Words: how sites, resources, threads and doubts are spoken of. Everything returned lives in the
 * report's arena.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/parts.h"
#include "base/text.h"
#include "live/live.h"

const char *analyze_say(struct analysis *analysis, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	text = length < 0 ? NULL : arena_alloc(analysis->arena, (size_t)length + 1);
	if (!text) {
		analysis->is_broken = true;
		return "";
	}
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

const char *analyze_words_reason(enum reason reason)
{
	static const char *const sentences[NR_REASONS] = {
#define X(name, sentence) sentence,
#include "analyze/reasons.def"
#undef X
	};

	return sentences[reason];
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where the awaiter's name stands in a C++ source, it stands behind a co_await. */
static bool is_cpp(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && strcmp(dot, ".c") != 0 && strcmp(dot, ".rs") != 0 && strcmp(dot, ".zig") != 0;
}

static const char *words_name(struct analysis *analysis, const char *name)
{
	struct text text = {0};
	const char *words;

	if (strlen(name) <= TEXT_NAME_COLUMNS)
		return name;
	text_short_name(&text, name, strlen(name));
	words = analyze_say(analysis, "%s", text_peek(&text));
	text_fini(&text);
	return words;
}

bool analyze_words_is_cpp(const struct analysis *analysis, uint32_t site)
{
	return site && site < analysis->tables->nr_sites &&
	       is_cpp(analysis->tables->sites[site].file);
}

const char *analyze_words_awaited(struct analysis *analysis, uint32_t site)
{
	const struct ct_site *at = &analysis->tables->sites[site];

	if (!site || site >= analysis->tables->nr_sites)
		return "";
	return words_name(analysis, at->reason);
}

static const char *words_what(struct analysis *analysis, const struct ct_site *site)
{
	if (site->reason[0] && is_cpp(site->file))
		return analyze_say(analysis, "co_await %s", words_name(analysis, site->reason));
	return words_name(analysis, site->reason[0] ? site->reason : site->function);
}

/* The first one tells places apart that share a helper; the others stand with the place itself. */
static const char *words_caller(struct analysis *analysis, const struct ct_site *site)
{
	const char *at = site->callers, *file;
	struct ct_caller caller;

	if (!ct_caller_next(&at, &caller))
		return "";
	if (!caller.file_bytes)
		return analyze_say(analysis, ", inlined into %.*s", (int)caller.function_bytes,
			caller.function);
	file = memrchr(caller.file, '/', caller.file_bytes);
	file = file ? file + 1 : caller.file;
	return analyze_say(analysis, ", inlined into %.*s at %.*s:%" PRIu32,
		(int)caller.function_bytes, caller.function,
		(int)(caller.file + caller.file_bytes - file), file, caller.line);
}

const char *analyze_words_place(struct analysis *analysis, uint32_t index)
{
	const struct ct_site *site;
	const char *what;

	if (!index || index >= analysis->tables->nr_sites)
		return "an unknown place";
	site = &analysis->tables->sites[index];
	what = words_what(analysis, site);
	if (site->file[0])
		return analyze_say(analysis, "%s%s%s:%u%s", what, what[0] ? ", " : "",
			last_part(site->file), site->line, words_caller(analysis, site));
	if (what[0])
		return what;
	return analyze_say(analysis, "%s+0x%" PRIx64,
		site->module[0] ? last_part(site->module) : "address",
		site->module[0] ? site->module_offset : site->address);
}

static const char *words_descriptor(
	struct analysis *analysis, const struct model_descriptor *descriptor, uint32_t fd)
{
	const char *type = descriptor->type ? ct_descriptor_type_name(descriptor->type) : "";

	if (descriptor->generation)
		return analyze_say(analysis, "descriptor %u (%s%sgeneration %u)", descriptor->fd,
			type, *type ? ", " : "", descriptor->generation);
	if (*type)
		return analyze_say(analysis, "descriptor %u (%s)", fd, type);
	return analyze_say(analysis, "descriptor %u", fd);
}

const char *analyze_words_resource(struct analysis *analysis, uint64_t handle, uint32_t descriptor)
{
	unsigned kind = CTP_HANDLE_RESOURCE(handle);
	uint64_t identity = CTP_HANDLE_IDENTITY(handle);

	switch (kind) {
	case CTP_RESOURCE_NONE:
		return "something that was not told";
	case CTP_RESOURCE_DESCRIPTOR:
		return words_descriptor(
			analysis, &analysis->model->descriptors.at[descriptor], (uint32_t)identity);
	case CTP_RESOURCE_REMOTE:
		return analyze_say(analysis, "coroutine %" PRIu64 " of process %" PRIu64,
			CTP_REMOTE_CORO(handle), CTP_REMOTE_PID(handle));
	case CTP_RESOURCE_COROUTINE:
	case CTP_RESOURCE_PROCESS:
	case CTP_RESOURCE_TIMER:
	case CTP_RESOURCE_QUEUE:
		return analyze_say(analysis, "%s %" PRIu64, ct_resource_name(kind), identity);
	default:
		return analyze_say(analysis, "%s 0x%" PRIx64, ct_resource_name(kind), identity);
	}
}

const char *analyze_words_named(
	struct analysis *analysis, uint32_t process, uint64_t handle, uint32_t descriptor)
{
	const char *words = analyze_words_resource(analysis, handle, descriptor);
	const char *name = model_resource_name(analysis->model, process, handle);

	return *name ? analyze_say(analysis, "%s (%s)", words, name) : words;
}

const char *analyze_words_wait(struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t child = CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_FRAME
				 ? analyze_ties_child(analysis, coro)
				 : 0;

	if (child)
		return analyze_words_coro(analysis, &analysis->model->coros.at[child]);
	return analyze_words_named(analysis, coro->process, coro->wait_object, coro->descriptor);
}

const char *analyze_words_coro(struct analysis *analysis, const struct model_coro *coro)
{
	const char *name = analyze_words_site(analysis, coro->name_site);

	return analyze_say(analysis, "coroutine %" PRIu64 "%s%s%s", coro->id, *name ? " (" : "",
		name, *name ? ")" : "");
}

const char *analyze_words_system_call(struct analysis *analysis, uint32_t call)
{
	const char *name = call <= INT32_MAX ? live_call_name((int32_t)call) : NULL;

	return name ? name : analyze_say(analysis, "system call %" PRIu32, call);
}

const char *analyze_words_thread(struct analysis *analysis, uint32_t index)
{
	const struct ct_thread *thread;

	if (!index || index >= analysis->tables->nr_threads)
		return "an unknown thread";
	thread = &analysis->tables->threads[index];
	if (thread->name[0])
		return analyze_say(analysis, "thread %s (%" PRIu64 ")", thread->name, thread->tid);
	return analyze_say(analysis, "thread %" PRIu64, thread->tid);
}

const char *analyze_words_count(struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	bool is_gone = analysis->model->coros.at[first->coro].state == CT_STATE_DESTROYED;
	const char *waits = is_gone ? "waited" : group->count == 1 ? "waits" : "wait";

	if (group->nr_peers > group->count)
		return analyze_say(
			analysis, "%u of %u coroutines %s", group->count, group->nr_peers, waits);
	return analyze_say(analysis, "%u %s %s", group->count,
		group->count == 1 ? "coroutine" : "coroutines", waits);
}

const char *analyze_words_readiness(struct analysis *analysis, unsigned flags)
{
	return analyze_say(analysis, "%s%s%s%s%s", flags & POLLIN ? " readable" : "",
		flags & POLLOUT ? " writable" : "", flags & POLLRDHUP ? " half-closed" : "",
		flags & POLLHUP ? " hung-up" : "", flags & POLLERR ? " failed" : "");
}

const char *analyze_words_signal(struct analysis *analysis, int number)
{
	const char *name = sigabbrev_np(number);

	return name ? analyze_say(analysis, "SIG%s", name)
		    : analyze_say(analysis, "signal %d", number);
}

const char *analyze_words_duration(struct analysis *analysis, int64_t ns)
{
	struct text text = {0};
	const char *words;

	text_duration(&text, ns);
	words = analyze_say(analysis, "%s", text_peek(&text));
	text_fini(&text);
	return words;
}

/* ---------------------------------------------------------------- stories */

bool analyze_words_is_outside(const struct analysis *analysis, uint32_t thread)
{
	uint32_t process = analysis->model->threads[thread].process;

	return thread && process < analysis->tables->nr_processes &&
	       analysis->tables->processes[process].has_probe &&
	       !analysis->model->processes[process].has_half_told;
}

void analyze_story_step(struct analysis *analysis, struct story *story, const struct ct_step *step)
{
	struct ct_step told = *step;

	told.is_outside = !step->coro && analyze_words_is_outside(analysis, step->thread);
	if (!vec_push(&story->steps, told))
		analysis->is_broken = true;
}

void analyze_story_fact(struct analysis *analysis, struct story *story, const char *sentence)
{
	analyze_story_step(analysis, story,
		&(struct ct_step){.time = CT_NO_TIME, .text = sentence, .sequence = UINT64_MAX});
}

void analyze_story_evidence(struct analysis *analysis, struct story *story, const char *sentence)
{
	if (!vec_push(&story->evidence, sentence))
		analysis->is_broken = true;
}

static const void *keep(struct analysis *analysis, const void *at, size_t bytes)
{
	void *kept = arena_alloc(analysis->arena, bytes);

	if (!kept)
		analysis->is_broken = true;
	else if (bytes)
		memcpy(kept, at, bytes);
	return kept;
}

/* When a step is told: a fact without a time stays behind the step that it explains. */
static ct_time told_at(const struct story *story, size_t index)
{
	while (index > 0 && story->steps.at[index].time == CT_NO_TIME)
		index--;
	return story->steps.at[index].time;
}

/* Rules tell steps as they find them; readers want them as they happened. Few, and almost in order. */
static void put_in_order(struct story *story)
{
	size_t i, at;

	for (i = 1; i < story->steps.count; i++) {
		struct ct_step step = story->steps.at[i];

		if (step.time == CT_NO_TIME)
			continue;
		for (at = i; at > 0 && told_at(story, at - 1) > step.time; at--)
			story->steps.at[at] = story->steps.at[at - 1];
		story->steps.at[at] = step;
	}
}

void analyze_story_end(struct analysis *analysis, struct story *story, struct ct_finding *finding)
{
	put_in_order(story);
	finding->steps =
		keep(analysis, story->steps.at, story->steps.count * sizeof(*story->steps.at));
	finding->nr_steps = finding->steps ? (uint32_t)story->steps.count : 0;
	finding->evidence = keep(
		analysis, story->evidence.at, story->evidence.count * sizeof(*story->evidence.at));
	finding->nr_evidence = finding->evidence ? (uint32_t)story->evidence.count : 0;
	vec_fini(&story->steps);
	vec_fini(&story->evidence);
}
