/* SPDX-License-Identifier: MIT */
/*
 * Prints a trace as text; reading the text gives the same trace.
 *
 * Texts of a trace come from outside: characters that could control a terminal are escaped.
 */
#include <inttypes.h>
#include <string.h>

#include "event/kind_words.h"
#include "event/flags.h"
#include "textrace/names.h"
#include "textrace/textrace.h"

/* ---------------------------------------------------------------------- values */

static void print_hex(struct text *text, uint64_t value)
{
	text_add(text, "0x");
	text_digits(text, value, 16, 1);
}

static void print_time(struct text *text, ct_time time)
{
	uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;

	if (time == CT_NO_TIME) {
		text_add(text, "none");
		return;
	}
	if (time < 0)
		text_char(text, '-');
	text_digits(text, size / 1000000000, 10, 1);
	text_char(text, '.');
	text_digits(text, size % 1000000000, 10, 9);
	text_char(text, 's');
}

/* The length in bytes of the UTF-8 sequence that begins here if it may be printed; 0: it may not. */
static size_t shown_sequence(const unsigned char *at)
{
	uint32_t point;
	size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2, i;

	if (at[0] < 0xc2 || at[0] > 0xf4)
		return 0;
	point = at[0] & (0x7fu >> length);
	for (i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (at[i] & 0x3f);
	}
	if ((length == 3 && point < 0x800) || (length == 4 && point < 0x10000) ||
		(point >= 0xd800 && point < 0xe000) || point > 0x10ffff)
		return 0;
	/* The second set of control characters, and characters that change the direction of writing. */
	if (point < 0xa0 || (point >= 0x2028 && point <= 0x202e) ||
		(point >= 0x2066 && point <= 0x2069))
		return 0;
	return length;
}

static bool is_bare(const unsigned char *at)
{
	if (!*at)
		return false;
	for (; *at; at++) {
		if (*at <= ' ' || *at >= 0x7f || strchr("\"\\#=", *at))
			return false;
	}
	return true;
}

static void print_quoted(struct text *text, const unsigned char *at)
{
	size_t length;

	text_char(text, '"');
	while (*at) {
		length = shown_sequence(at);
		if (length) {
			text_append(text, (const char *)at, length);
			at += length;
			continue;
		}
		if (*at == '"' || *at == '\\')
			text_format(text, "\\%c", *at);
		else if (*at == '\n')
			text_add(text, "\\n");
		else if (*at == '\t')
			text_add(text, "\\t");
		else if (*at < ' ' || *at >= 0x7f)
			text_format(text, "\\x%02x", *at);
		else
			text_char(text, (char)*at);
		at++;
	}
	text_char(text, '"');
}

static void print_text(struct text *text, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;

	if (is_bare(at))
		text_add(text, value);
	else
		print_quoted(text, at);
}

static void print_name(struct text *text, enum textrace_list list, uint64_t number)
{
	const char *name = textrace_name(list, number);

	if (name)
		print_text(text, name);
	else
		text_digits(text, number, 10, 1);
}

static void print_id(struct text *text, const uint8_t *id)
{
	size_t i;

	for (i = 0; i < 16; i++)
		text_digits(text, id[i], 16, 2);
}

/* ----------------------------------------------------------------- definitions */

/* Can the field be left out, because reading would give this value anyway? */
static bool is_left_out(const struct textrace_field *field, const void *value)
{
	switch (field->form) {
	case TEXTRACE_FORM_NUMBER32:
	case TEXTRACE_FORM_SITE_KIND:
	case TEXTRACE_FORM_SITE_FORM:
		return *(const uint32_t *)value == 0;
	case TEXTRACE_FORM_NUMBER64:
	case TEXTRACE_FORM_SIGNED64:
	case TEXTRACE_FORM_HEX64:
		return *(const uint64_t *)value == 0;
	case TEXTRACE_FORM_OFFSET:
		return *(const uint64_t *)value == CT_NO_OFFSET;
	case TEXTRACE_FORM_TIME:
		return *(const ct_time *)value == CT_NO_TIME;
	case TEXTRACE_FORM_TEXT:
		return !**(const char *const *)value;
	case TEXTRACE_FORM_FLAG:
		return !*(const bool *)value;
	case TEXTRACE_FORM_REFERENCE:
	case TEXTRACE_FORM_ID:
	case TEXTRACE_FORM_LOSS:
		break;
	}
	return false;
}

static void print_value(struct text *text, enum textrace_form form, const void *value)
{
	switch (form) {
	case TEXTRACE_FORM_REFERENCE:
	case TEXTRACE_FORM_NUMBER32:
		text_digits(text, *(const uint32_t *)value, 10, 1);
		break;
	case TEXTRACE_FORM_NUMBER64:
	case TEXTRACE_FORM_OFFSET:
		text_digits(text, *(const uint64_t *)value, 10, 1);
		break;
	case TEXTRACE_FORM_SIGNED64:
		text_signed(text, *(const int64_t *)value);
		break;
	case TEXTRACE_FORM_HEX64:
		print_hex(text, *(const uint64_t *)value);
		break;
	case TEXTRACE_FORM_TIME:
		print_time(text, *(const ct_time *)value);
		break;
	case TEXTRACE_FORM_TEXT:
		print_text(text, *(const char *const *)value);
		break;
	case TEXTRACE_FORM_ID:
		print_id(text, value);
		break;
	case TEXTRACE_FORM_SITE_KIND:
		print_name(text, TEXTRACE_SITE_KINDS, *(const uint32_t *)value);
		break;
	case TEXTRACE_FORM_SITE_FORM:
		print_name(text, TEXTRACE_SITE_FORMS, *(const uint32_t *)value);
		break;
	case TEXTRACE_FORM_LOSS:
		print_name(text, TEXTRACE_LOSSES, *(const enum ctp_loss *)value);
		break;
	case TEXTRACE_FORM_FLAG:
		break;
	}
}

static void print_fields(struct text *text, enum textrace_line line, const void *from)
{
	size_t count, i;
	const struct textrace_field *fields = textrace_fields(&count);

	for (i = 0; i < count; i++) {
		const void *value = (const char *)from + fields[i].offset;

		if (fields[i].line != line || is_left_out(&fields[i], value))
			continue;
		text_format(text, " %s", fields[i].key);
		if (fields[i].form == TEXTRACE_FORM_FLAG)
			continue;
		text_char(text, '=');
		print_value(text, fields[i].form, value);
	}
	text_char(text, '\n');
}

static void print_numbered(
	struct text *text, enum textrace_line line, uint32_t number, const void *from)
{
	text_format(text, "%s %" PRIu32, textrace_line_name(line), number);
	print_fields(text, line, from);
}

/* A trace that begins with the recording does not print these fields. */
static bool is_part(const struct ct_tables *tables)
{
	return tables->first_generation > 1 || tables->nr_before || tables->nr_carried;
}

static void print_trace(struct text *text, const struct ct_tables *tables)
{
	struct textrace_trace trace = {
		.host = tables->host,
		.from = tables->observed_from,
		.until = tables->observed_until,
		.epoch_realtime_ns = tables->epoch_realtime_ns,
		.epoch_monotonic_ns = tables->epoch_monotonic_ns,
		.skew = tables->clock_skew_ns ? tables->clock_skew_ns : CT_NO_TIME,
		.reach = tables->reach_ns ? tables->reach_ns : CT_NO_TIME,
		.is_incomplete = !tables->is_complete,
		.has_no_end = tables->has_no_end,
		.nr_impossible = tables->nr_impossible,
		.is_from_memory = tables->is_from_memory,
		.generation = is_part(tables) ? tables->first_generation : 0,
		.nr_before = tables->nr_before,
		.nr_not_carried = tables->nr_not_carried,
		.is_cut = tables->is_cut,
		.reason = tables->reason,
		.reason_time = tables->reason_time,
	};

	memcpy(trace.run_id, tables->run_id, sizeof(trace.run_id));
	text_add(text, textrace_line_name(TEXTRACE_TRACE));
	print_fields(text, TEXTRACE_TRACE, &trace);
}

/* A process with a probe counts as attached from 0 if nothing is printed, so `none` must be printed. */
static void print_process(struct text *text, uint32_t number, const struct ct_process *process)
{
	if (process->attached == CT_NO_TIME && (process->has_probe || process->has_ledger)) {
		text_format(text, "process %" PRIu32 " attached=none", number);
		print_fields(text, TEXTRACE_PROCESS, process);
		return;
	}
	print_numbered(text, TEXTRACE_PROCESS, number, process);
}

static void print_end(struct text *text, uint32_t number, const struct ct_process *process)
{
	if (process->ending == CT_ENDING_UNKNOWN && process->ended == CT_NO_TIME &&
		process->ending_value == 0 && !process->was_killed_by_engine_user)
		return;
	text_format(text, "end %" PRIu32 " ", number);
	print_name(text, TEXTRACE_ENDINGS, process->ending);
	text_format(text, " %d", process->ending_value);
	print_fields(text, TEXTRACE_END, process);
}

static void print_note(struct text *text, const struct ct_note *note)
{
	text_add(text, "note ");
	print_quoted(text, (const unsigned char *)note->text);
	print_fields(text, TEXTRACE_NOTE, note);
}

static void print_sight(struct text *text, const struct ct_sight *sight)
{
	text_add(text, "sight ");
	print_quoted(text, (const unsigned char *)sight->text);
	print_fields(text, TEXTRACE_SIGHT, sight);
}

void textrace_print_losses(struct text *text, const struct ct_tables *tables, uint32_t from)
{
	uint32_t i;

	for (i = from; i < tables->nr_losses; i++) {
		text_add(text, textrace_line_name(TEXTRACE_LOSS));
		print_fields(text, TEXTRACE_LOSS, &tables->losses[i]);
	}
}

void textrace_print_tables(struct text *text, const struct ct_tables *tables)
{
	uint32_t i;

	print_trace(text, tables);
	for (i = 1; i < tables->nr_processes; i++)
		print_process(text, i, &tables->processes[i]);
	for (i = 1; i < tables->nr_threads; i++)
		print_numbered(text, TEXTRACE_THREAD, i, &tables->threads[i]);
	for (i = 1; i < tables->nr_sites; i++)
		print_numbered(text, TEXTRACE_SITE, i, &tables->sites[i]);
	for (i = 1; i < tables->nr_stacks; i++)
		print_numbered(text, TEXTRACE_STACK, i, &tables->stacks[i]);
	for (i = 1; i < tables->nr_mappings; i++)
		print_numbered(text, TEXTRACE_MAPPING, i, &tables->mappings[i]);
	textrace_print_losses(text, tables, 0);
	for (i = 0; i < tables->nr_notes; i++)
		print_note(text, &tables->notes[i]);
	for (i = 0; i < tables->nr_sights; i++)
		print_sight(text, &tables->sights[i]);
	for (i = 1; i < tables->nr_processes; i++)
		print_end(text, i, &tables->processes[i]);
}

/* ---------------------------------------------------------------------- events */

static bool is_counted(unsigned resource)
{
	switch (resource) {
	case CTP_RESOURCE_TIMER:
	case CTP_RESOURCE_COROUTINE:
	case CTP_RESOURCE_QUEUE:
	case CTP_RESOURCE_PROCESS:
	case CTP_RESOURCE_OTHER:
	case CTP_RESOURCE_REMOTE:
	case CTP_RESOURCE_PROCESSOR:
		return true;
	default:
		return false;
	}
}

static void print_resource(struct text *text, uint64_t object)
{
	unsigned resource = CTP_HANDLE_RESOURCE(object);
	uint64_t identity = CTP_HANDLE_IDENTITY(object);
	const char *name = textrace_name(TEXTRACE_RESOURCES, resource);

	if (!name || resource == CTP_RESOURCE_NONE) {
		print_hex(text, object);
		return;
	}
	text_add(text, name);
	text_char(text, ':');
	if (resource == CTP_RESOURCE_DESCRIPTOR) {
		text_digits(text, (uint32_t)identity, 10, 1);
		if (identity >> 32) {
			text_char(text, '.');
			text_digits(text, identity >> 32, 10, 1);
		}
	} else if (is_counted(resource)) {
		text_digits(text, identity, 10, 1);
	} else {
		print_hex(text, identity);
	}
}

static bool has_object(const struct ct_event *event)
{
	enum kind_object holds = kind_object(event->kind);

	return event->object || holds == KIND_OBJECT_NUMBER || holds == KIND_OBJECT_CORO;
}

static void print_object(struct text *text, const struct ct_event *event, enum kind_object holds)
{
	if (!has_object(event))
		return;
	switch (holds) {
	case KIND_OBJECT_NUMBER:
		text_signed(text, (int64_t)event->object);
		break;
	case KIND_OBJECT_CORO:
		text_char(text, 'c');
		text_digits(text, event->object, 10, 1);
		break;
	case KIND_OBJECT_RESOURCE:
		print_resource(text, event->object);
		break;
	default:
		print_hex(text, event->object);
		break;
	}
}

void textrace_print_object(struct text *text, const struct ct_event *event)
{
	print_object(text, event, kind_object(event->kind));
}

/* A word that is not a coroutine has a key. Results and times are printed as signed numbers. */
static void print_coro(struct text *text, const struct ct_event *event)
{
	const char *key = kind_coro_key(event->kind);

	if (event->kind == CTP_KIND_LOST) {
		text_format(text, " %s=", key);
		print_time(text, (ct_time)event->coro);
	} else if (event->kind == CTP_KIND_BLOCK_BEGIN && event->coro) {
		text_format(text, " %s=", key);
		print_resource(text, event->coro);
	} else if (key && event->coro) {
		text_format(text, " %s=", key);
		text_signed(text, (int64_t)event->coro);
	} else if (event->coro || kind_object(event->kind) == KIND_OBJECT_CORO) {
		text_add(text, " c");
		text_signed(text, (int64_t)event->coro);
	}
}

static void print_argument(struct text *text, const struct ct_event *event)
{
	enum textrace_list list;
	const char *key = textrace_argument(event->kind, &list);

	if (!key && !event->argument)
		return;
	text_char(text, ' ');
	text_add(text, key ? key : "argument");
	text_char(text, '=');
	if (key)
		print_name(text, list, event->argument);
	else
		text_digits(text, event->argument, 10, 1);
}

static void print_place(struct text *text, const struct ct_event *event)
{
	text_add(text, " t");
	text_digits(text, event->thread, 10, 1);
	if (event->thread)
		return;
	text_add(text, " p");
	text_digits(text, event->process, 10, 1);
}

static void print_kind(struct text *text, unsigned kind)
{
	const char *name = textrace_name(TEXTRACE_KINDS, kind);

	text_add(text, name ? " " : " kind-");
	if (name)
		text_add(text, name);
	else
		text_digits(text, kind, 10, 1);
}

/* For a new descriptor the flags hold its type, which has a name. */
static void print_flags(struct text *text, const struct ct_event *event)
{
	bool has_type =
		event->kind == CTP_KIND_DESCRIPTOR_OPEN || event->kind == CTP_KIND_DESCRIPTOR_DUP;
	unsigned type = has_type ? CTP_DESCRIPTOR_TYPE(event->flags) : 0;
	const char *name = type ? textrace_name(TEXTRACE_DESCRIPTOR_TYPES, type) : NULL;
	unsigned flags = event_flags_told(event);

	if (name)
		text_format(text, " type=%s", name);
	if (name ? flags != type : flags) {
		text_add(text, " flags=");
		print_hex(text, flags - (name ? type : 0));
	}
}

/* A comment for human readers: the name of an annotation's site, or a piece of a message. */
static void print_remark(
	struct text *text, const struct ct_tables *tables, const struct ct_event *event)
{
	char piece[CTP_TEXT_DETAIL_BYTES + 1] = "";
	const char *said = piece;

	if (event->kind == CTP_KIND_DETAIL && event->argument == CTP_DETAIL_TEXT)
		memcpy(piece, &event->object, CTP_TEXT_DETAIL_BYTES);
	else if (kind_is_annotation(event->kind) && event->site && event->site < tables->nr_sites)
		said = tables->sites[event->site].reason;
	if (!*said)
		return;
	text_add(text, " # ");
	print_quoted(text, (const unsigned char *)said);
}

void textrace_print_event(struct text *text, const struct ct_tables *tables,
	const struct ct_event *event, bool is_carried)
{
	print_time(text, event->time);
	print_place(text, event);
	print_kind(text, event->kind);
	print_coro(text, event);
	if (has_object(event))
		text_char(text, ' ');
	print_object(text, event, kind_object_of(event->kind, event->argument));
	if (event->site) {
		text_add(text, " @");
		text_digits(text, event->site, 10, 1);
	}
	print_argument(text, event);
	print_flags(text, event);
	if (is_carried)
		text_add(text, " carried");
	print_remark(text, tables, event);
}
