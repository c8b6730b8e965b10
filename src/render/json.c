/* SPDX-License-Identifier: MIT */
/*
 * A report as JSON, complete: a walk over the table of its fields (corotracer/def/report.def).
 *
 * Names are the trace's, escaped as JSON requires. An unknown value is null. Addresses, handles and times since 1970
 * are strings, because they need more than the 53 bits that many readers keep.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_write.h"
#include "corotracer/versions.h"
#include "render/facts.h"
#include "render/fields.h"
#include "render/page.h"
#include "render/render.h"
#include "say/say.h"

/* What the value of a field may depend on besides the struct that holds it. */
struct walk {
	struct json *json;
	const void *owner; /* the owner of the list in which this struct is an element */
	uint32_t index;    /* the index in that list */
	uint32_t max_members;
};

typedef void write_kind(struct walk *walk, const struct render_field *field, const void *of);

static void write_fields(struct walk *walk, enum render_object object, const void *of);

static uint64_t number_of(const struct render_field *field, const void *of)
{
	const void *at = (const char *)of + field->offset;
	union {
		uint64_t eight;
		uint32_t four;
		uint16_t two;
		uint8_t one;
	} number;

	memcpy(&number, at, field->size);
	switch (field->size) {
	case sizeof(number.eight):
		return number.eight;
	case sizeof(number.four):
		return number.four;
	case sizeof(number.two):
		return number.two;
	default:
		return number.one;
	}
}

static int64_t signed_of(const struct render_field *field, const void *of)
{
	uint64_t number = number_of(field, of);

	return field->size == sizeof(int64_t) ? (int64_t)number : (int32_t)number;
}

static const void *pointer_at(const void *of, size_t offset)
{
	const void *pointer;

	memcpy(&pointer, (const char *)of + offset, sizeof(pointer));
	return pointer;
}

/* The name of a number that is written as a name; NULL: it is written as a number. */
static const char *name_of(enum render_kind kind, uint64_t number)
{
	switch (kind) {
	case RENDER_KIND_STATE:
		return ct_state_name((enum ct_state)number);
	case RENDER_KIND_GRADE:
		return ct_grade_name((enum ct_grade)number);
	case RENDER_KIND_RULE:
		return ct_rule_name((enum ct_rule)number);
	case RENDER_KIND_RULE_SAYS:
		return ct_rule_says((enum ct_rule)number);
	case RENDER_KIND_RULE_WRONG_IF:
		return ct_rule_wrong_if((enum ct_rule)number);
	case RENDER_KIND_LACK:
		return ct_lack_name((enum ct_lack)number);
	case RENDER_KIND_STANDING:
		return ct_standing_name((enum ct_standing_kind)number);
	case RENDER_KIND_LANE:
		return ct_lane_name((enum ct_lane_kind)number);
	case RENDER_KIND_BAR:
		return ct_bar_name((enum ct_bar_state)number);
	case RENDER_KIND_LOSS:
		return ct_loss_name((unsigned)number);
	case RENDER_KIND_RESOURCE:
		return ct_resource_name((unsigned)number);
	case RENDER_KIND_OUTCOME:
		return ct_outcome_name((unsigned)number);
	case RENDER_KIND_EVENT_KIND:
		return ct_kind_name((unsigned)number);
	case RENDER_KIND_MARK:
		return number ? ct_mark_name((unsigned)number) : "";
	case RENDER_KIND_ENDING:
		return ct_ending_name((unsigned)number);
	case RENDER_KIND_FORM:
		return number ? ct_form_name((unsigned)number) : "";
	case RENDER_KIND_BY:
		return ct_by_name((enum ct_by)number);
	case RENDER_KIND_SORT:
		return ct_sort_name((enum ct_sort)number);
	case RENDER_KIND_SPAN:
		return number ? "task" : "region";
	default:
		return NULL;
	}
}

static void write_unless(struct json *json, bool is_null, int64_t number)
{
	if (is_null)
		json_null(json);
	else
		json_number(json, number);
}

/* Is this the value that means "unknown" for the field? */
static bool is_unknown(const struct render_field *field, const void *of)
{
	switch (field->kind) {
	case RENDER_KIND_INDEX:
	case RENDER_KIND_ID:
	case RENDER_KIND_KNOWN:
		return number_of(field, of) == 0;
	case RENDER_KIND_EVENT:
		return number_of(field, of) == UINT64_MAX;
	case RENDER_KIND_OPTIONAL:
		return signed_of(field, of) < 0;
	case RENDER_KIND_TIME:
		return signed_of(field, of) == CT_NO_TIME;
	default:
		return false;
	}
}

static bool has_sign(enum render_kind kind)
{
	return kind == RENDER_KIND_TIME || kind == RENDER_KIND_DURATION ||
	       kind == RENDER_KIND_NUMBER;
}

static void write_number(struct walk *walk, const struct render_field *field, const void *of)
{
	uint64_t number = number_of(field, of);
	const char *name = name_of(field->kind, number);

	if (name)
		json_text(walk->json, name);
	else if (is_unknown(field, of))
		json_null(walk->json);
	else if (has_sign(field->kind))
		json_number(walk->json, signed_of(field, of));
	else
		json_unsigned(walk->json, number);
}

static void write_real(struct walk *walk, const struct render_field *field, const void *of)
{
	double real;

	memcpy(&real, (const char *)of + field->offset, sizeof(real));
	json_real(walk->json, real);
}

static void write_bool(struct walk *walk, const struct render_field *field, const void *of)
{
	json_bool(walk->json, number_of(field, of));
}

static void write_text(struct walk *walk, const struct render_field *field, const void *of)
{
	const char *text = pointer_at(of, field->offset);

	json_text(walk->json, text ? text : "");
}

static void write_word(struct walk *walk, const struct render_field *field, const void *of)
{
	json_hex(walk->json, number_of(field, of));
}

static void write_decimal(struct walk *walk, const struct render_field *field, const void *of)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, signed_of(field, of));
	json_text(walk->json, digits);
}

static void write_letter(struct walk *walk, const struct render_field *field, const void *of)
{
	const char letter[2] = {(char)number_of(field, of), '\0'};

	json_text(walk->json, letter);
}

/* ---------------------------------------------------------------- fields of a single struct */

static void write_format(struct walk *walk, const struct render_field *field, const void *of)
{
	(void)of;
	if (field->kind == RENDER_KIND_FORMAT_VERSION)
		json_unsigned(walk->json, CT_VERSION_REPORT);
	else
		json_text(walk->json,
			field->kind == RENDER_KIND_FORMAT ? "corotracer-report" : CT_VERSION_TEXT);
}

static void write_run(struct walk *walk, const struct render_field *field, const void *of)
{
	const unsigned char *run = (const unsigned char *)of + field->offset;
	char digits[2 * sizeof(((struct ct_tables *)0)->run_id) + 1];
	size_t i;

	for (i = 0; i < field->size; i++)
		snprintf(digits + 2 * i, 3, "%02x", run[i]);
	json_text(walk->json, digits);
}

/* ISO 8601 with nanoseconds; null if unknown. */
static void write_instant(struct walk *walk, const struct render_field *field, const void *of)
{
	int64_t realtime_ns = signed_of(field, of);
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm fields;
	char date[40], all[64];

	if (realtime_ns <= 0 || !gmtime_r(&seconds, &fields) ||
		!strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &fields)) {
		json_null(walk->json);
		return;
	}
	snprintf(all, sizeof(all), "%s.%09" PRId64 "Z", date, realtime_ns % 1000000000);
	json_text(walk->json, all);
}

static void write_reason_time(struct walk *walk, const struct render_field *field, const void *of)
{
	const struct ct_tables *tables = of;
	bool is_told = tables->reason && *tables->reason;

	(void)field;
	write_unless(
		walk->json, !is_told || tables->reason_time == CT_NO_TIME, tables->reason_time);
}

static void write_states(struct walk *walk, const struct render_field *field, const void *of)
{
	const struct ct_report *report = of;
	unsigned state;

	(void)field;
	json_open(walk->json, '{');
	for (state = 0; state <= CT_STATE_DESTROYED; state++) {
		json_key_unsigned(walk->json, ct_state_name((enum ct_state)state),
			report->quality.nr_by_state[state]);
	}
	json_close(walk->json, '}');
}

static void write_piece(struct json *json, const char *key, const char *from, size_t nr_bytes)
{
	struct text piece = {0};

	text_append(&piece, from, nr_bytes);
	json_key_text(json, key, text_peek(&piece));
	json->text->is_broken |= piece.is_broken;
	text_fini(&piece);
}

static void write_callers(struct walk *walk, const struct render_field *field, const void *of)
{
	const char *callers = pointer_at(of, field->offset);
	struct json *json = walk->json;
	struct ct_caller caller;

	json_open(json, '[');
	while (ct_caller_next(&callers, &caller)) {
		json_open(json, '{');
		write_piece(json, "function", caller.function, caller.function_bytes);
		write_piece(json, "file", caller.file, caller.file_bytes);
		json_key(json, "line");
		write_unless(json, caller.line == 0, caller.line);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_mean(struct walk *walk, const struct render_field *field, const void *of)
{
	const struct ct_span *span = of;
	const struct ct_distribution *all = &span->durations;

	(void)field;
	json_number(walk->json, all->count ? all->total_ns / (int64_t)all->count : 0);
}

static void write_path_state(struct walk *walk, const struct render_field *field, const void *of)
{
	const struct ct_stretch *stretch = of;

	(void)field;
	json_text(walk->json, stretch->coro ? ct_state_name(stretch->state) : "");
}

static void write_said(struct walk *walk, const struct render_field *field, const void *of)
{
	const struct ct_member *member = walk->owner;

	(void)field;
	(void)of;
	json_text(walk->json, member->event_texts ? member->event_texts[walk->index] : "");
}

/* Frees the text. */
static void write_words(struct walk *walk, struct text *text)
{
	json_text(walk->json, text_peek(text));
	walk->json->text->is_broken |= text->is_broken;
	text_fini(text);
}

/* The words that the other forms have, too. */
static void write_made(struct walk *walk, const struct render_field *field, const void *of)
{
	static void (*const makers[RENDER_NR_KINDS])(struct text *, const struct ct_report *) = {
		[RENDER_KIND_HEADLINE] = render_facts_sum,
		[RENDER_KIND_DOUBT] = render_facts_doubt,
		[RENDER_KIND_WHY_UNSEEN] = render_facts_why_unseen,
		[RENDER_KIND_JUDGING] = render_facts_judging,
		[RENDER_KIND_CLOCK] = render_facts_clock,
	};
	struct text text = {0};

	makers[field->kind](&text, of);
	write_words(walk, &text);
}

static void write_address(struct walk *walk, const struct render_field *field, const void *of)
{
	const struct ct_report *report = walk->owner;
	const struct ct_finding *finding = of;
	struct text address = {0};

	(void)field;
	say_finding(&address, report->tables, ct_rule_name(finding->rule), finding->wait_site,
		finding->cause_site);
	write_words(walk, &address);
}

static void write_ended(struct walk *walk, const struct render_field *field, const void *of)
{
	struct text words = {0};

	(void)field;
	say_ending(&words, of);
	write_words(walk, &words);
}

static void write_place(struct walk *walk, const struct render_field *field, const void *of)
{
	(void)field;
	(void)of;
	json_unsigned(walk->json, walk->index);
}

/* ---------------------------------------------------------------- objects and lists */

/* Parts that are optional, and the tables, are reached through pointers. */
static const void *struct_of(const struct render_field *field, const void *of)
{
	switch (field->kind) {
	case RENDER_KIND_OWN:
	case RENDER_KIND_OWN_FIELDS:
		return of;
	case RENDER_KIND_POINTED:
	case RENDER_KIND_THROUGH:
		return pointer_at(of, field->offset);
	default:
		return (const char *)of + field->offset;
	}
}

static void write_spliced(struct walk *walk, const struct render_field *field, const void *of)
{
	write_fields(walk, field->object, struct_of(field, of));
}

static void write_object(struct walk *walk, const struct render_field *field, const void *of)
{
	json_open(walk->json, '{');
	write_spliced(walk, field, of);
	json_close(walk->json, '}');
}

static void write_cause(struct walk *walk, const struct render_field *field, const void *of)
{
	const struct ct_step *cause = struct_of(field, of);

	if (cause->text && *cause->text)
		write_object(walk, field, of);
	else
		json_null(walk->json);
}

static void write_wake(struct walk *walk, const struct render_field *field, const void *of)
{
	const struct ct_coro *coro = struct_of(field, of);

	if (coro->waker_time != CT_NO_TIME)
		write_object(walk, field, of);
	else
		json_null(walk->json);
}

static uint32_t length_of(const struct render_field *field, const void *of)
{
	uint32_t length;

	memcpy(&length, (const char *)of + field->number_offset, sizeof(length));
	return length;
}

static void write_texts(struct walk *walk, const struct render_field *field, const void *of)
{
	const char *const *texts = pointer_at(of, field->offset);
	uint32_t count = length_of(field, of), i;

	json_open(walk->json, '[');
	for (i = 0; i < count; i++)
		json_text(walk->json, texts[i]);
	json_close(walk->json, ']');
}

/* Elements of a table are counted from 1. If memory ran out, the list in memory is shorter than its length says. */
static void write_list(struct walk *walk, const struct render_field *field, const void *of)
{
	struct walk inside = {walk->json, of, field->kind == RENDER_KIND_TABLE, walk->max_members};
	const char *first = pointer_at(of, field->offset);
	uint32_t count = length_of(field, of);

	if (field->object == RENDER_OBJECT_member && count > walk->max_members)
		count = walk->max_members;
	json_open(walk->json, '[');
	for (; inside.index < count; inside.index++) {
		json_open(walk->json, '{');
		write_fields(&inside, field->object, first + (size_t)inside.index * field->size);
		json_close(walk->json, '}');
		text_pass_on(walk->json->text, RENDER_PIECE_BYTES);
	}
	json_close(walk->json, ']');
}

/* A kind without an entry is a number, or the name of a number. */
static write_kind *const writers[RENDER_NR_KINDS] = {
	[RENDER_KIND_TEXT] = write_text,
	[RENDER_KIND_REAL] = write_real,
	[RENDER_KIND_BOOL] = write_bool,
	[RENDER_KIND_WORD] = write_word,
	[RENDER_KIND_DECIMAL] = write_decimal,
	[RENDER_KIND_LETTER] = write_letter,
	[RENDER_KIND_PART] = write_object,
	[RENDER_KIND_OWN] = write_object,
	[RENDER_KIND_POINTED] = write_object,
	[RENDER_KIND_LOOKED] = write_object,
	[RENDER_KIND_CAUSE] = write_cause,
	[RENDER_KIND_WAKE] = write_wake,
	[RENDER_KIND_OWN_FIELDS] = write_spliced,
	[RENDER_KIND_SPLICED] = write_spliced,
	[RENDER_KIND_THROUGH] = write_spliced,
	[RENDER_KIND_LIST] = write_list,
	[RENDER_KIND_ASKED] = write_list,
	[RENDER_KIND_TABLE] = write_list,
	[RENDER_KIND_TEXTS] = write_texts,
	[RENDER_KIND_CALLERS] = write_callers,
	[RENDER_KIND_FORMAT] = write_format,
	[RENDER_KIND_FORMAT_VERSION] = write_format,
	[RENDER_KIND_VERSION] = write_format,
	[RENDER_KIND_RUN] = write_run,
	[RENDER_KIND_INSTANT] = write_instant,
	[RENDER_KIND_REASON_TIME] = write_reason_time,
	[RENDER_KIND_STATES] = write_states,
	[RENDER_KIND_MEAN] = write_mean,
	[RENDER_KIND_PATH_STATE] = write_path_state,
	[RENDER_KIND_SAID] = write_said,
	[RENDER_KIND_ENDED] = write_ended,
	[RENDER_KIND_CLOCK] = write_made,
	[RENDER_KIND_ADDRESS] = write_address,
	[RENDER_KIND_PLACE] = write_place,
	[RENDER_KIND_HEADLINE] = write_made,
	[RENDER_KIND_DOUBT] = write_made,
	[RENDER_KIND_WHY_UNSEEN] = write_made,
	[RENDER_KIND_JUDGING] = write_made,
};

/* Optional parts that were not requested are left out. */
static bool is_left_out(const struct render_field *field, const void *of)
{
	switch (field->kind) {
	case RENDER_KIND_POINTED:
		return !pointer_at(of, field->offset);
	case RENDER_KIND_LOOKED:
		return ((const struct ct_report *)of)->live.pid == 0;
	case RENDER_KIND_ASKED:
		return ((const struct ct_report *)of)->nr_why == 0;
	default:
		return false;
	}
}

static void write_field(struct walk *walk, const struct render_field *field, const void *of)
{
	if (is_left_out(field, of))
		return;
	if (*render_kind_type(field->kind))
		json_key(walk->json, field->key);
	(writers[field->kind] ? writers[field->kind] : write_number)(walk, field, of);
}

static void write_fields(struct walk *walk, enum render_object object, const void *of)
{
	const struct render_fields *fields = render_fields(object);
	size_t i;

	for (i = 0; i < fields->nr_fields; i++)
		write_field(walk, &fields->fields[i], of);
}

void render_json_shorter(struct text *text, const struct ct_report *report, uint32_t max_members)
{
	struct json json;
	struct walk walk = {.json = &json, .max_members = max_members};

	json_init(&json, text, true);
	json_open(&json, '{');
	write_fields(&walk, RENDER_OBJECT_report, report);
	json_close(&json, '}');
}

void render_json(struct text *text, const struct ct_report *report)
{
	render_json_shorter(text, report, UINT32_MAX);
}

/* The addresses of the findings that are about the coroutine, or about one on its chain. */
static void write_findings_of_why(struct walk *walk, const struct ct_report *report)
{
	uint32_t i;

	walk->owner = report;
	json_key_open(walk->json, "findings", '[');
	for (i = 0; i < report->nr_findings; i++)
		if (render_why_has_finding(report, &report->findings[i]))
			write_address(walk, NULL, &report->findings[i]);
	json_close(walk->json, ']');
}

void render_why_json(struct text *text, const struct ct_report *report)
{
	const struct render_fields *fields = render_fields(RENDER_OBJECT_report);
	struct json json;
	struct walk walk = {.json = &json};
	size_t i;

	json_init(&json, text, false);
	json_open(&json, '{');
	for (i = 0; i < fields->nr_fields; i++)
		if (fields->fields[i].kind == RENDER_KIND_ASKED)
			write_field(&walk, &fields->fields[i], report);
	write_findings_of_why(&walk, report);
	json_close(&json, '}');
}
