/* SPDX-License-Identifier: MIT */
/*
 * Parses definition lines. Every error names file and line.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "textrace/parse.h"

enum ct_status textrace_refuse(struct textrace_parser *parser, const char *format, ...)
{
	char sentence[160];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return ct_fail_at(parser->reterr, CT_ERR_FORMAT, parser->offset, "%s:%u: %s", parser->name,
		parser->line, sentence);
}

static enum ct_status refuse_memory(struct textrace_parser *parser)
{
	return ct_fail_memory(parser->reterr);
}

/* --------------------------------------------------------------------- fields */

static bool parse_named(enum textrace_list list, const char *value, uint32_t *ret_number)
{
	uint64_t number;

	if (!textrace_number(list, value, &number) &&
		!textrace_unsigned_up_to(value, UINT32_MAX, &number))
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

static bool parse_number32(const char *value, uint32_t *ret_number)
{
	uint64_t number;

	if (!textrace_unsigned_up_to(value, UINT32_MAX, &number))
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

static bool parse_value(enum textrace_form form, char *value, void *to)
{
	uint32_t number;

	switch (form) {
	case TEXTRACE_FORM_REFERENCE:
	case TEXTRACE_FORM_NUMBER32:
		return parse_number32(value, to);
	case TEXTRACE_FORM_NUMBER64:
	case TEXTRACE_FORM_HEX64:
	case TEXTRACE_FORM_OFFSET:
		return textrace_unsigned(value, to);
	case TEXTRACE_FORM_SIGNED64:
		return textrace_signed(value, to);
	case TEXTRACE_FORM_TIME:
		return textrace_time(value, to);
	case TEXTRACE_FORM_TEXT:
		*(const char **)to = value;
		return true;
	case TEXTRACE_FORM_ID:
		return textrace_id(value, to);
	case TEXTRACE_FORM_SITE_KIND:
		return parse_named(TEXTRACE_SITE_KINDS, value, to);
	case TEXTRACE_FORM_SITE_FORM:
		return parse_named(TEXTRACE_SITE_FORMS, value, to);
	case TEXTRACE_FORM_LOSS:
		if (!parse_named(TEXTRACE_LOSSES, value, &number))
			return false;
		*(enum ctp_loss *)to = (enum ctp_loss)number;
		return true;
	case TEXTRACE_FORM_FLAG:
		break;
	}
	return false;
}

static enum ct_status parse_field(struct textrace_parser *parser, enum textrace_line line,
	const struct textrace_word *word, void *to)
{
	const struct textrace_field *field = word->name ? textrace_field(line, word->name) : NULL;

	if (!field)
		return textrace_refuse(parser, "'%s' has no place in a line of '%s'",
			word->name ? word->name : word->value, textrace_line_name(line));
	if (field->form == TEXTRACE_FORM_FLAG) {
		*(bool *)((char *)to + field->offset) = true;
		return word->value ? textrace_refuse(parser, "'%s' takes no value", field->key)
				   : CT_OK;
	}
	if (!word->value)
		return textrace_refuse(parser, "'%s' needs a value", field->key);
	if (!parse_value(field->form, word->value, (char *)to + field->offset))
		return textrace_refuse(
			parser, "'%s' is no value for '%s'", word->value, field->key);
	return CT_OK;
}

/* Parses the remaining words of the line. */
static enum ct_status parse_fields(
	struct textrace_parser *parser, enum textrace_line line, void *to)
{
	struct textrace_word word;
	enum ct_status status;

	while (textrace_word_take(&parser->words, &word)) {
		status = parse_field(parser, line, &word, to);
		if (status)
			return status;
	}
	return parser->words.trouble ? textrace_refuse(parser, "%s", parser->words.trouble) : CT_OK;
}

/* Parses the number behind the line's first word. */
static enum ct_status parse_own_number(
	struct textrace_parser *parser, enum textrace_line line, uint32_t *ret_number)
{
	struct textrace_word word;

	*ret_number = 0;
	if (!textrace_word_take(&parser->words, &word) || !word.name || word.value ||
		!parse_number32(word.name, ret_number))
		return textrace_refuse(
			parser, "a number is missing behind '%s'", textrace_line_name(line));
	return CT_OK;
}

/* Parses the number, which must be the next one, and the fields behind it. */
static enum ct_status parse_numbered(
	struct textrace_parser *parser, enum textrace_line line, size_t expected, void *to)
{
	uint32_t number;
	enum ct_status status = parse_own_number(parser, line, &number);

	if (status)
		return status;
	if (number != expected)
		return textrace_refuse(parser, "%s %u stands where number %zu is due",
			textrace_line_name(line), number, expected);
	return parse_fields(parser, line, to);
}

static enum ct_status check_process(struct textrace_parser *parser, uint32_t process)
{
	if (process < parser->source->lists.processes.count)
		return CT_OK;
	return textrace_refuse(parser, "process %u is not defined", process);
}

/* Parses a line about something of a process. If there is only one process, it need not be named. */
static enum ct_status parse_of_process(struct textrace_parser *parser, enum textrace_line line,
	size_t expected, void *to, uint32_t *process)
{
	enum ct_status status;

	*process = parser->source->lists.processes.count == 2 ? 1 : 0;
	status = expected ? parse_numbered(parser, line, expected, to)
			  : parse_fields(parser, line, to);
	return status ? status : check_process(parser, *process);
}

/* ---------------------------------------------------------------- definitions */

#define KEEP(parser, list, value) \
	(vec_push(&(parser)->source->lists.list, (value)) ? CT_OK : refuse_memory(parser))

static enum ct_status parse_process(struct textrace_parser *parser)
{
	struct ct_process process = lists_no_process;
	enum ct_status status;

	process.attached = TEXTRACE_NOT_GIVEN;
	status = parse_numbered(
		parser, TEXTRACE_PROCESS, parser->source->lists.processes.count, &process);
	if (process.attached == TEXTRACE_NOT_GIVEN)
		process.attached = process.has_probe || process.has_ledger ? 0 : CT_NO_TIME;
	return status ? status : KEEP(parser, processes, process);
}

static enum ct_status parse_thread(struct textrace_parser *parser)
{
	struct ct_thread thread = lists_no_thread;
	enum ct_status status = parse_of_process(parser, TEXTRACE_THREAD,
		parser->source->lists.threads.count, &thread, &thread.process);

	return status ? status : KEEP(parser, threads, thread);
}

static enum ct_status parse_site(struct textrace_parser *parser)
{
	struct ct_site site = lists_no_site;
	enum ct_status status = parse_of_process(
		parser, TEXTRACE_SITE, parser->source->lists.sites.count, &site, &site.process);

	return status ? status : KEEP(parser, sites, site);
}

static uint32_t process_of_stack(const struct lists *lists, uint32_t stack)
{
	return lists->sites.at[lists->stacks.at[stack].site].process;
}

/* A stack may name only a stack before it, so its callers cannot form a cycle. */
static enum ct_status parse_stack(struct textrace_parser *parser)
{
	const struct lists *lists = &parser->source->lists;
	struct ct_stack stack = {0};
	size_t number = lists->stacks.count;
	enum ct_status status = parse_numbered(parser, TEXTRACE_STACK, number, &stack);

	if (status)
		return status;
	if (stack.site == 0 || stack.site >= lists->sites.count)
		return textrace_refuse(parser, "site %u is not defined", stack.site);
	if (stack.caller >= number)
		return textrace_refuse(parser, "stack %u is not defined", stack.caller);
	if (stack.caller &&
		process_of_stack(lists, stack.caller) != lists->sites.at[stack.site].process)
		return textrace_refuse(parser, "stack %u is of another process", stack.caller);
	return KEEP(parser, stacks, stack);
}

static enum ct_status parse_mapping(struct textrace_parser *parser)
{
	struct ct_mapping mapping = {.path = "", .build_id = ""};
	enum ct_status status = parse_of_process(parser, TEXTRACE_MAPPING,
		parser->source->lists.mappings.count, &mapping, &mapping.process);

	return status ? status : KEEP(parser, mappings, mapping);
}

/* Losses have no numbers. */
static enum ct_status parse_loss(struct textrace_parser *parser)
{
	struct ct_loss loss = {.first = CT_NO_TIME, .last = CT_NO_TIME};
	enum ct_status status = parse_of_process(parser, TEXTRACE_LOSS, 0, &loss, &loss.process);

	if (status == CT_OK && loss.thread >= parser->source->lists.threads.count)
		status = textrace_refuse(parser, "thread %u is not defined", loss.thread);
	return status ? status : KEEP(parser, losses, loss);
}

static enum ct_status parse_note(struct textrace_parser *parser)
{
	struct ct_note note = {.offset = CT_NO_OFFSET};
	struct textrace_word word;
	enum ct_status status;

	if (!textrace_word_take(&parser->words, &word) || word.name)
		return textrace_refuse(parser, "a note's text stands in quotes");
	note.text = word.value;
	status = parse_fields(parser, TEXTRACE_NOTE, &note);
	return status ? status : KEEP(parser, notes, note);
}

static enum ct_status parse_sight(struct textrace_parser *parser)
{
	struct ct_sight sight = {.begun = CT_NO_TIME, .ended = CT_NO_TIME};
	struct textrace_word word;
	enum ct_status status;

	if (!textrace_word_take(&parser->words, &word) || word.name)
		return textrace_refuse(parser, "a sight's text stands in quotes");
	sight.text = word.value;
	status = parse_fields(parser, TEXTRACE_SIGHT, &sight);
	return status ? status : KEEP(parser, sights, sight);
}

static enum ct_status parse_trace(struct textrace_parser *parser)
{
	struct textrace_trace *trace = &parser->source->trace;
	enum ct_status status = parse_fields(parser, TEXTRACE_TRACE, trace);

	if (status)
		return status;
	if (trace->skew != CT_NO_TIME && trace->skew < 0)
		return textrace_refuse(parser, "'skew' is less than nothing");
	if (trace->reach != CT_NO_TIME && trace->reach < 0)
		return textrace_refuse(parser, "'reach' is less than nothing");
	if (trace->epoch_monotonic_ns < 0)
		return textrace_refuse(parser, "'epoch_monotonic' is less than nothing");
	if (trace->from != CT_NO_TIME && trace->until != CT_NO_TIME && trace->until < trace->from)
		return textrace_refuse(parser, "'until' lies before 'from'");
	return CT_OK;
}

/* "exited 0": the kind of ending, and a number. */
static enum ct_status parse_ending(struct textrace_parser *parser, struct ct_process *process)
{
	struct textrace_word how, value;
	uint64_t ending;
	int64_t number;

	if (!textrace_word_take(&parser->words, &how) || !how.name || how.value ||
		!textrace_number(TEXTRACE_ENDINGS, how.name, &ending))
		return textrace_refuse(
			parser, "an end is one of exited, signaled, detached and unknown");
	if (!textrace_word_take(&parser->words, &value) || !value.name || value.value ||
		!textrace_signed(value.name, &number) || number < INT32_MIN || number > INT32_MAX)
		return textrace_refuse(
			parser, "a status or signal number is missing behind '%s'", how.name);
	process->ending = (enum ct_ending)ending;
	process->ending_value = (int)number;
	return CT_OK;
}

static enum ct_status parse_end(struct textrace_parser *parser)
{
	uint32_t number;
	enum ct_status status = parse_own_number(parser, TEXTRACE_END, &number);

	if (status == CT_OK && number == 0)
		status = textrace_refuse(parser, "process 0 is none that can end");
	if (status == CT_OK)
		status = check_process(parser, number);
	if (status)
		return status;
	status = parse_ending(parser, &parser->source->lists.processes.at[number]);
	if (status)
		return status;
	return parse_fields(parser, TEXTRACE_END, &parser->source->lists.processes.at[number]);
}

/* ---------------------------------------------------------------------- lines */

static enum ct_status (*const parse_line_of[TEXTRACE_NR_LINES])(struct textrace_parser *) = {
	[TEXTRACE_TRACE] = parse_trace,
	[TEXTRACE_PROCESS] = parse_process,
	[TEXTRACE_THREAD] = parse_thread,
	[TEXTRACE_SITE] = parse_site,
	[TEXTRACE_STACK] = parse_stack,
	[TEXTRACE_MAPPING] = parse_mapping,
	[TEXTRACE_LOSS] = parse_loss,
	[TEXTRACE_NOTE] = parse_note,
	[TEXTRACE_SIGHT] = parse_sight,
	[TEXTRACE_END] = parse_end,
};

static bool is_time(const char *word)
{
	return isdigit((unsigned char)*word) || *word == '+' || *word == '-';
}

static enum ct_status parse_line(struct textrace_parser *parser)
{
	struct textrace_word word;
	unsigned i;

	if (!textrace_word_take(&parser->words, &word))
		return parser->words.trouble ? textrace_refuse(parser, "%s", parser->words.trouble)
					     : CT_OK;
	if (!word.name || word.value)
		return textrace_refuse(parser, "a line begins with a time or a word");
	if (is_time(word.name))
		return textrace_parse_event(parser, word.name);
	for (i = 0; i < TEXTRACE_NR_LINES; i++) {
		if (strcmp(word.name, textrace_line_name(i)) == 0)
			return parse_line_of[i](parser);
	}
	return textrace_refuse(parser, "'%s' begins no line that is known", word.name);
}

/* A site may name a stack that is defined later, because stacks name sites. */
static enum ct_status check_stacks(struct textrace_parser *parser)
{
	const struct lists *lists = &parser->source->lists;
	size_t i;

	for (i = 1; i < lists->sites.count; i++) {
		const struct ct_site *site = &lists->sites.at[i];

		if (site->stack >= lists->stacks.count)
			return textrace_refuse(parser,
				"site %zu names stack %u, which is not defined", i, site->stack);
		if (site->stack && process_of_stack(lists, site->stack) != site->process)
			return textrace_refuse(parser, "site %zu names stack %u of another process",
				i, site->stack);
	}
	return CT_OK;
}

enum ct_status textrace_parse(struct textrace_parser *parser, char *text, size_t nr_bytes)
{
	char *at = text, *end = text + nr_bytes, *next;
	enum ct_status status;

	for (; at < end; at = next + 1, parser->line++) {
		next = memchr(at, '\n', (size_t)(end - at));
		if (!next)
			next = end;
		parser->offset = (uint64_t)(at - text);
		parser->words = (struct textrace_words){.at = at, .end = next};
		if (memchr(at, '\0', (size_t)(next - at)))
			return textrace_refuse(parser, "a zero byte: this is no text");
		status = parse_line(parser);
		if (status)
			return status;
	}
	return check_stacks(parser);
}
