/* SPDX-License-Identifier: MIT */
/*
 * Words: names of sites, resources and threads from src/say, and sentences, as texts in the report's arena.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "analyze/parts.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "say/say.h"

const char *analyze_say_list(struct analysis *analysis, const char *format, va_list arguments)
{
	const char *text = arena_format_list(analysis->arena, format, arguments);

	analysis->is_broken |= !text;
	return text ? text : "";
}

const char *analyze_say(struct analysis *analysis, const char *format, ...)
{
	va_list arguments;
	const char *said;

	va_start(arguments, format);
	said = analyze_say_list(analysis, format, arguments);
	va_end(arguments);
	return said;
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

/* Keeps the text in the arena, and frees it. */
static const char *keep(struct analysis *analysis, struct text *text)
{
	const char *kept = NULL;

	if (!text->is_broken)
		kept = arena_text(analysis->arena, text_peek(text), text->length);
	text_fini(text);
	analysis->is_broken |= !kept;
	return kept ? kept : "";
}

const char *analyze_words_awaited(struct analysis *analysis, uint32_t site)
{
	struct text text = {0};

	say_name(&text, say_peek_site(analysis->tables, site)->reason);
	return keep(analysis, &text);
}

const char *analyze_words_place(struct analysis *analysis, uint32_t site)
{
	struct text text = {0};

	say_place(&text, analysis->tables, site);
	return keep(analysis, &text);
}

const char *analyze_words_resource(struct analysis *analysis, uint64_t handle, uint32_t descriptor)
{
	const struct model_descriptor *known = &analysis->model->descriptors.at[descriptor];
	struct text text = {0};

	if (CTP_HANDLE_RESOURCE(handle) == CTP_RESOURCE_DESCRIPTOR)
		say_descriptor(&text, (uint32_t)CTP_HANDLE_IDENTITY(handle), known->type,
			known->generation);
	else
		say_resource(&text, handle);
	return keep(analysis, &text);
}

const char *analyze_words_descriptor(
	struct analysis *analysis, const struct model_descriptor *descriptor)
{
	return analyze_words_resource(analysis, CTP_DESCRIPTOR(descriptor->fd, 0),
		(uint32_t)(descriptor - analysis->model->descriptors.at));
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
	if (coro->point == CTP_POINT_YIELD && !coro->wait_object)
		return "its next turn";
	return analyze_words_named(
		analysis, coro->process, coro->wait_object, coro->rare->descriptor);
}

const char *analyze_words_coro(struct analysis *analysis, const struct model_coro *coro)
{
	struct text text = {0};

	say_coroutine(&text, analysis->tables, coro->id,
		analyze_words_site(analysis, coro->rare->name_site), coro->rare->function_site);
	return keep(analysis, &text);
}

const char *analyze_words_coros(struct analysis *analysis, const uint32_t *at, unsigned count)
{
	const struct model_coro *coros = analysis->model->coros.at;
	const char *text = analyze_words_coro(analysis, &coros[at[0]]);
	unsigned i;

	for (i = 1; i < count; i++)
		text = analyze_say(analysis, "%s%s%s", text, i + 1 < count ? ", " : " and ",
			analyze_words_coro(analysis, &coros[at[i]]));
	return text;
}

const char *analyze_words_since(struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_say(analysis, "%s waits since %s, at %s", analyze_words_coro(analysis, coro),
		analyze_words_time(analysis, coro->suspended),
		analyze_words_place(analysis, coro->wait_site));
}

const char *analyze_words_ended(struct analysis *analysis, const struct model_coro *coro)
{
	if (coro->rare->cancelled_site)
		return analyze_say(analysis, "was cancelled, at %s",
			analyze_words_place(analysis, coro->rare->cancelled_site));
	if (!coro->rare->failed_site)
		return "has ended";
	return analyze_say(analysis, "has failed, at %s",
		analyze_words_place(analysis, coro->rare->failed_site));
}

const char *analyze_words_how_ended(const struct analysis *analysis, uint32_t process, uint64_t id)
{
	uint32_t index = model_find(analysis->model, process, id);
	const struct model_rare *rare = analysis->model->coros.at[index].rare;

	if (rare->cancelled_site)
		return "was cancelled";
	return rare->failed_site ? "failed" : "ended";
}

const char *analyze_words_system_call(struct analysis *analysis, uint32_t call)
{
	const char *name = system_call_name(call);

	return name ? name : analyze_say(analysis, "system call %" PRIu32, call);
}

const char *analyze_words_thread(struct analysis *analysis, uint32_t thread)
{
	struct text text = {0};

	say_thread(&text, analysis->tables, thread);
	return keep(analysis, &text);
}

const char *analyze_words_thread_of(struct analysis *analysis, const char *name, uint64_t tid)
{
	struct text text = {0};

	say_thread_of(&text, name, tid);
	return keep(analysis, &text);
}

const char *analyze_words_count(struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	bool is_gone = analysis->model->coros.at[first->coro].state == CT_STATE_DESTROYED;
	const char *waits = is_gone ? "waited" : group->count == 1 ? "waits" : "wait";

	if (group->nr_peers > group->count)
		return analyze_say(analysis, "%s of %s coroutines %s",
			analyze_words_number(analysis, group->count),
			analyze_words_number(analysis, group->nr_peers), waits);
	return analyze_say(analysis, "%s %s %s", analyze_words_number(analysis, group->count),
		group->count == 1 ? "coroutine" : "coroutines", waits);
}

const char *analyze_words_readiness(struct analysis *analysis, unsigned flags)
{
	struct text text = {0};

	say_readiness(&text, flags);
	return keep(analysis, &text);
}

const char *analyze_words_signal(struct analysis *analysis, int number)
{
	struct text text = {0};

	say_signal(&text, number);
	return keep(analysis, &text);
}

const char *analyze_words_change(struct analysis *analysis, const struct model_object *object)
{
	const char *how = ct_kind_name(object->changed_how);

	if (object->changed_how != CTP_KIND_NOTIFY || object->vain.time != object->changed)
		return how;
	return analyze_say(analysis, "%s, which found nobody", how);
}

const char *analyze_words_number(struct analysis *analysis, uint64_t number)
{
	struct text text = {0};

	text_count(&text, number);
	return keep(analysis, &text);
}

const char *analyze_words_duration(struct analysis *analysis, int64_t ns)
{
	struct text text = {0};

	text_duration(&text, ns);
	return keep(analysis, &text);
}

const char *analyze_words_time(struct analysis *analysis, ct_time time)
{
	struct text text = {0};

	say_time(&text, time);
	return keep(analysis, &text);
}

const char *analyze_words_behind(struct analysis *analysis, const struct group *group)
{
	const struct ties *ties = &analysis->ties;
	uint32_t count = 0, i, victim;

	for (i = 0; i < group->count; i++)
		for (victim = ties->victim_first[analysis->candidates.at[group->first + i].coro];
			victim; victim = ties->victim_next[victim])
			count++;
	return count ? analyze_say(analysis, "; %s more %s behind %s",
			       analyze_words_number(analysis, count), count == 1 ? "waits" : "wait",
			       group->count == 1 ? "it" : "them")
		     : "";
}
