/* SPDX-License-Identifier: MIT */
/*
 * One event in words: "suspend for descriptor 7 (generation 3)".
 *
 * def/kinds.def says what an event's object and argument hold; a few kinds hold more, and have functions of their own.
 * An event of an unknown kind is printed as numbers.
 */
#include <inttypes.h>
#include <string.h>

#include "event/around.h"
#include "event/kind_words.h"
#include "say/safe.h"
#include "say/say.h"

static const char *argument_name(const struct ct_event *event)
{
	switch (kind_argument(event->kind)) {
	case KIND_ARGUMENT_POINT:
		return ct_point_name(event->argument);
	case KIND_ARGUMENT_OUTCOME:
		return ct_outcome_name(event->argument);
	case KIND_ARGUMENT_LIFE:
		return ct_life_name(event->argument);
	case KIND_ARGUMENT_MARK:
		return ct_mark_name(event->argument);
	case KIND_ARGUMENT_RANGE:
		return ct_range_name(event->argument);
	case KIND_ARGUMENT_PROCESSOR:
		return ct_processor_name(event->argument);
	case KIND_ARGUMENT_NONE:
	case KIND_ARGUMENT_SMALL:
		break;
	}
	return "";
}

static const char *detail_name(unsigned detail)
{
	switch (detail) {
#define X(name, number, text, meaning) \
	case number:                   \
		return text;
#include "corotracer/def/details.def"
#undef X
	default:
		return "detail of a kind that is not known";
	}
}

/* A result of a system call: a count, or the name of an error. */
static void say_result(struct text *text, uint64_t word)
{
	int64_t result = (int64_t)word;
	const char *name = result < 0 && result > -4096 ? strerrorname_np((int)-result) : NULL;

	if (name)
		text_add(text, name);
	else
		text_format(text, "%" PRId64, result);
}

static void say_transfer(struct text *text, const struct ct_event *event)
{
	static const char *const names[] = {"transfer on", "read", "write", "connect", "accept on"};

	text_format(text, "%s ", names[event->argument < 5 ? event->argument : 0]);
	say_resource(text, event->object);
	text_add(text, ", result ");
	say_result(text, event->coro);
}

static void add_readiness(struct text *text, unsigned flags)
{
	if (flags & SAY_READINESS)
		text_char(text, ',');
	say_readiness(text, flags);
}

static void say_arm(struct text *text, const struct ct_event *event)
{
	static const char *const names[] = {
		"change interest in", "add interest in", "end interest in", "change interest in"};

	text_format(text, "%s ", names[event->argument < 4 ? event->argument : 0]);
	say_resource(text, event->object);
	add_readiness(text, event->flags);
	text_format(text, "%s%s", event->flags & 0x4000u ? ", one shot" : "",
		event->flags & 0x8000u ? ", edge triggered" : "");
}

static void say_opening(struct text *text, const struct ct_event *event)
{
	unsigned type = CTP_DESCRIPTOR_TYPE(event->flags);

	say_resource(text, event->object);
	if (type)
		text_format(text, ", %s", ct_descriptor_type_name(type));
}

static void say_ready(struct text *text, const struct ct_event *event)
{
	if (event->object) {
		say_resource(text, event->object);
		text_add(text, " is ready");
	} else {
		text_format(text, "user data 0x%" PRIx64 " is ready", event->coro);
	}
	add_readiness(text, event->flags);
}

static void say_block(struct text *text, const struct ct_event *event)
{
	bool is_begin = event->kind == CTP_KIND_BLOCK_BEGIN;
	int64_t timeout_ms = (int64_t)event->object;

	text_format(text, "%s %s", is_begin ? "enter" : "leave", ct_call_name(event->argument));
	if (!is_begin) {
		text_add(text, ", result ");
		say_result(text, event->object);
	} else if (timeout_ms < 0) {
		text_add(text, ", without time-out");
	} else {
		text_format(text, ", time-out %" PRId64 " ms", timeout_ms);
	}
}

static void say_crash(struct text *text, const struct ct_event *event)
{
	say_signal(text, event->argument);
	if (event->flags & 3)
		text_format(text, ", sent by %s",
			event->flags & 1 ? "another process" : "the program itself");
	else
		text_format(text, ", address 0x%" PRIx64, event->object);
}

static void say_lost(struct text *text, const struct ct_event *event)
{
	say_count(text, event->object, "event is missing", "events are missing");
	text_format(text, " (%s)", ct_loss_name(event->argument));
}

static void say_switch(struct text *text, const struct ct_event *event)
{
	if (!event->object)
		text_add(text, "leaves the thread");
	else
		text_format(text,
			event->coro ? "leaves the thread to coroutine %" PRIu64
				    : "enters coroutine %" PRIu64,
			event->object);
}

/* Eight bytes of a text; the text may end within them. */
static void say_bytes(struct text *text, uint64_t word)
{
	char bytes[sizeof(word) + 1] = "";

	memcpy(bytes, &word, sizeof(word));
	text_char(text, '\'');
	say_safe(text, bytes);
	text_char(text, '\'');
}

/* "resource: lock 0x5000": the name of the fact, and its value. */
static void say_detail(struct text *text, const struct ct_event *event)
{
	text_format(text, "%s: ", detail_name(event->argument));
	switch (event->argument) {
	case CTP_DETAIL_DEADLINE:
		text_duration(text, (int64_t)event->object);
		text_add(text, " of the system's clock");
		break;
	case CTP_DETAIL_RECEIVER:
		text_format(text, "coroutine %" PRIu64, event->object);
		break;
	case CTP_DETAIL_RESOURCE:
	case CTP_DETAIL_OTHER_END:
		say_resource(text, event->object);
		break;
	case CTP_DETAIL_SENDER:
		if (event->object)
			say_resource(text, event->object);
		else
			text_add(text, "none of this process");
		break;
	case CTP_DETAIL_ADDRESS:
	case CTP_DETAIL_CALLER:
		text_format(text, "0x%" PRIx64, event->object);
		break;
	case CTP_DETAIL_TEXT:
		say_bytes(text, event->object);
		break;
	default:
		text_format(text, "%" PRIu64, event->object);
	}
}

static void say_await(struct text *text, const struct ct_event *event)
{
	bool is_done = event->kind == CTP_KIND_AWAIT_DONE;

	text_format(text,
		is_done ? "child coroutine %" PRIu64 " has finished"
			: "for child coroutine %" PRIu64,
		event->object);
}

/* The functions for kinds whose words mean more than kinds.def says. */
static void (*special_of(unsigned kind))(struct text *, const struct ct_event *)
{
	switch (kind) {
	case CTP_KIND_DESCRIPTOR_IO:
		return say_transfer;
	case CTP_KIND_DESCRIPTOR_OPEN:
	case CTP_KIND_DESCRIPTOR_DUP:
		return say_opening;
	case CTP_KIND_DESCRIPTOR_ARM:
		return say_arm;
	case CTP_KIND_DESCRIPTOR_READY:
		return say_ready;
	case CTP_KIND_BLOCK_BEGIN:
	case CTP_KIND_BLOCK_END:
		return say_block;
	case CTP_KIND_CRASH:
		return say_crash;
	case CTP_KIND_LOST:
		return say_lost;
	case CTP_KIND_SWITCH:
		return say_switch;
	case CTP_KIND_DETAIL:
		return say_detail;
	case CTP_KIND_AWAIT:
	case CTP_KIND_AWAIT_DONE:
		return say_await;
	default:
		return NULL;
	}
}

static void say_object(struct text *text, const struct ct_event *event)
{
	switch (kind_object_of(event->kind, event->argument)) {
	case KIND_OBJECT_NONE:
		return;
	case KIND_OBJECT_RESOURCE:
		if (event->object == 0)
			return;
		if (event->kind == CTP_KIND_SUSPEND)
			text_add(text, "for ");
		say_resource(text, event->object);
		return;
	case KIND_OBJECT_ADDRESS:
		if (event->object) /* 0: none was given */
			text_format(text, "0x%" PRIx64, event->object);
		return;
	case KIND_OBJECT_CORO:
		text_format(text, "coroutine %" PRIu64, event->object);
		return;
	case KIND_OBJECT_NUMBER:
	case KIND_OBJECT_UNKNOWN:
		text_format(text, "%" PRIu64, event->object);
	}
}

static void say_plain(struct text *text, const struct ct_event *event)
{
	const char *argument = argument_name(event);
	size_t before = text->length;
	/* An await is the ordinary point, and is not mentioned. */
	bool is_ordinary =
		kind_argument(event->kind) == KIND_ARGUMENT_POINT && event->argument == 0;

	say_object(text, event);
	if (*argument && !is_ordinary)
		text_format(text, "%s%s", text->length > before ? ", " : "", argument);
	if (event->kind == CTP_KIND_RETURN && event->flags & CTP_RETURN_FAILED)
		text_format(text, "%sfailed", text->length > before ? ", " : "");
	if (event->kind == CTP_KIND_RETURN && event->flags & CTP_RETURN_CANCELLED)
		text_format(text, "%scancelled", text->length > before ? ", " : "");
	if (event_is_told_around(event))
		text_format(text, "%srecorded by a hook", text->length > before ? ", " : "");
}

void say_event(struct text *text, const struct ct_event *event)
{
	void (*special)(struct text *, const struct ct_event *) = special_of(event->kind);

	if (special)
		special(text, event);
	else
		say_plain(text, event);
}

void say_kind(struct text *text, unsigned kind)
{
	if (strcmp(ct_kind_name(kind), "unknown") == 0)
		text_format(text, "kind %u", kind);
	else
		text_add(text, ct_kind_name(kind));
}
