/* SPDX-License-Identifier: MIT */
/*
 * The words of the status strip about a recording in progress, and about the age of the results.
 */
#include "base/clock.h"
#include "say/say.h"
#include "serve/api.h"

/* Rings are read many times a second, so an older look means that the engine has stopped. */
#define ALIVE_NS UINT64_C(2000000000)

static void tell(struct json *json, enum ct_standing_kind kind, bool is_doubt, struct text *text)
{
	json_open(json, '{');
	json_key_text(json, "what", ct_standing_name(kind));
	json_key_bool(json, "is_doubt", is_doubt);
	json_key_text(json, "text", text_peek(text));
	json_close(json, '}');
	text_clear(text);
}

static void tell_count(struct json *json, enum ct_standing_kind kind, bool is_doubt, uint64_t count,
	struct text *text)
{
	say_standing_count(text, kind, count);
	tell(json, kind, is_doubt, text);
}

static void tell_engine(struct json *json, const struct ct_record_now *now, struct text *text)
{
	bool is_alive = now->age_ns < ALIVE_NS;

	text_add(text, is_alive ? "engine alive " : "the engine has not looked for ");
	text_duration(text, (int64_t)now->age_ns);
	text_add(text, is_alive ? " ago" : "");
	tell(json, CT_STANDING_ENGINE, !is_alive, text);
}

static void tell_recording(struct json *json, const struct ct_record_now *now, struct text *text)
{
	tell_count(json, CT_STANDING_EVENTS, false, now->nr_events, text);
	tell_count(json, CT_STANDING_LOST, now->nr_lost > 0, now->nr_lost, text);
	if (now->nr_left_out)
		tell_count(json, CT_STANDING_LEFT_OUT, false, now->nr_left_out, text);
	if (!now->has_probe) {
		text_add(text, "no probe has attached: is it linked?");
		tell(json, CT_STANDING_PROBE, true, text);
	} else if (!now->nr_events) {
		text_add(text, "the probe has attached, and told of nothing yet: does the program "
			       "tell of its "
			       "coroutines?");
		tell(json, CT_STANDING_PROBE, true, text);
	}
	text_add(text, now->is_open ? "recording" : "recording is stopped");
	tell(json, CT_STANDING_END, false, text);
	tell_engine(json, now, text);
}

static void tell_first_look(
	struct json *json, const struct judged *judged, bool has_trouble, struct text *text)
{
	uint64_t count = judged->report->quality.nr_events;

	text_add(text, "judged so far: the last ");
	text_count(text, count);
	text_add(text, " of ");
	text_count(text, count + ct_trace_tables(judged->trace)->nr_before);
	text_add(text, " events");
	text_add(text, has_trouble ? "" : "; the whole trace is being read");
	tell(json, CT_STANDING_PART, true, text);
}

void serve_standing_tell(struct json *json, const struct ct_record_now *now,
	const struct judged *judged, bool has_trouble)
{
	struct text text = {0};

	json_open(json, '[');
	if (now && !now->has_ended)
		tell_recording(json, now, &text);
	/* The report of a complete trace says how the recording ended. */
	if (now && now->has_ended && (!judged || judged->is_growing)) {
		text_add(&text, "the recording has ended");
		tell(json, CT_STANDING_END, false, &text);
	}
	if (judged && judged->is_first_look)
		tell_first_look(json, judged, has_trouble, &text);
	if (judged) {
		text_add(&text, "judged ");
		text_duration(&text, (int64_t)(clock_monotonic_ns() - judged->begun_ns));
		text_add(&text, " ago");
		tell(json, CT_STANDING_JUDGED, false, &text);
	}
	json_close(json, ']');
	text_fini(&text);
}
