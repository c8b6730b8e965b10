/* SPDX-License-Identifier: MIT */
/*
 * Parses event lines.
 */
#include <ctype.h>
#include <string.h>

#include "event/kind_words.h"
#include "textrace/parse.h"

/* An event that is being built. */
struct line {
	struct ct_event event;
	bool has_process;
	bool has_coro;
	bool has_object;
	bool is_carried;
};

static enum ct_status refuse_word(struct textrace_parser *parser, const char *word)
{
	return textrace_refuse(parser, "'%s' has no place in an event, or no such form", word);
}

/* ---------------------------------------------------------------- time, thread, kind */

static enum ct_status parse_time(
	struct textrace_parser *parser, const char *word, ct_time *ret_time)
{
	bool is_relative = *word == '+';
	ct_time time;

	if (!textrace_time(word + is_relative, &time) || time == CT_NO_TIME)
		return textrace_refuse(parser, "'%s' is no time", word);
	if (is_relative && __builtin_add_overflow(time, parser->last_time, &time))
		return textrace_refuse(parser, "'%s' lies beyond all time", word);
	*ret_time = parser->last_time = time;
	return CT_OK;
}

static bool parse_index(const char *digits, uint32_t *ret_index)
{
	uint64_t number;

	if (!isdigit((unsigned char)*digits) ||
		!textrace_unsigned_up_to(digits, UINT32_MAX, &number))
		return false;
	*ret_index = (uint32_t)number;
	return true;
}

static enum ct_status parse_thread(struct textrace_parser *parser, struct ct_event *event)
{
	const struct textrace_source *source = parser->source;
	struct textrace_word word;

	if (!textrace_word_take(&parser->words, &word) || !word.name || word.value ||
		word.name[0] != 't' || !parse_index(word.name + 1, &event->thread))
		return textrace_refuse(parser, "a thread (t1) is missing behind the time");
	if (event->thread >= source->lists.threads.count)
		return textrace_refuse(parser, "thread %u is not defined", event->thread);
	event->process = source->lists.threads.at[event->thread].process;
	if (event->thread == 0)
		event->process = source->lists.processes.count == 2 ? 1 : 0;
	return CT_OK;
}

static bool parse_kind(const char *word, uint8_t *ret_kind)
{
	uint64_t kind;

	if (!textrace_number(TEXTRACE_KINDS, word, &kind) &&
		(strncmp(word, "kind-", 5) != 0 ||
			!textrace_unsigned_up_to(word + 5, UINT8_MAX, &kind)))
		return false;
	*ret_kind = (uint8_t)kind;
	return true;
}

/* --------------------------------------------------------------------- objects */

static bool parse_identity(unsigned resource, const char *text, uint64_t *ret_identity)
{
	const char *point = strchr(text, '.');
	char descriptor[24];
	uint64_t number, generation;

	if (resource != CTP_RESOURCE_DESCRIPTOR || !point)
		return textrace_unsigned_up_to(text, CTP_HANDLE_IDENTITY(UINT64_MAX), ret_identity);
	if ((size_t)(point - text) >= sizeof(descriptor))
		return false;
	memcpy(descriptor, text, (size_t)(point - text));
	descriptor[point - text] = '\0';
	if (!textrace_unsigned_up_to(descriptor, UINT32_MAX, &number) ||
		!textrace_unsigned_up_to(point + 1, 0xffffff, &generation))
		return false;
	*ret_identity = generation << 32 | number;
	return true;
}

/* NAME:IDENTITY; the colon is overwritten. */
static bool parse_resource(char *word, char *colon, uint64_t *ret_object)
{
	uint64_t resource, identity;

	*colon = '\0';
	if (!textrace_number(TEXTRACE_RESOURCES, word, &resource) ||
		!parse_identity((unsigned)resource, colon + 1, &identity))
		return false;
	*ret_object = CTP_HANDLE(resource, identity);
	return true;
}

static bool set_object(struct line *line, uint64_t object)
{
	if (line->has_object)
		return false;
	line->has_object = true;
	line->event.object = object;
	return true;
}

/* The first such word is the event's coroutine, the second one its object. */
static bool parse_coro(struct line *line, const char *digits)
{
	int64_t number;

	if (!textrace_signed(digits, &number))
		return false;
	if (line->has_coro)
		return kind_object(line->event.kind) == KIND_OBJECT_CORO &&
		       set_object(line, (uint64_t)number);
	line->has_coro = true;
	line->event.coro = (uint64_t)number;
	return true;
}

static bool parse_site(struct textrace_parser *parser, struct line *line, const char *digits)
{
	return parse_index(digits, &line->event.site) &&
	       line->event.site < parser->source->lists.sites.count;
}

static bool parse_bare(struct textrace_parser *parser, struct line *line, char *word)
{
	char *colon = strchr(word, ':');
	uint64_t object;
	int64_t number;

	if (strcmp(word, "carried") == 0)
		return line->is_carried = true;
	if (*word == '@')
		return parse_site(parser, line, word + 1);
	if (colon)
		return parse_resource(word, colon, &object) && set_object(line, object);
	if (*word == 'c')
		return parse_coro(line, word + 1);
	if (*word == 'p') {
		line->has_process = true;
		return parse_index(word + 1, &line->event.process);
	}
	return textrace_signed(word, &number) && set_object(line, (uint64_t)number);
}

/* ------------------------------------------------------------------- arguments */

static bool parse_argument(struct line *line, const struct textrace_word *word)
{
	enum textrace_list expected, list;
	const char *key = textrace_argument(line->event.kind, &expected);
	uint64_t number;

	if (!textrace_argument_list(word->name, &list) || !key || expected != list)
		return false;
	if (!textrace_number(list, word->value, &number) &&
		!textrace_unsigned_up_to(word->value, UINT8_MAX, &number))
		return false;
	line->event.argument = (uint8_t)number;
	return true;
}

static bool parse_first(struct line *line, const char *value)
{
	ct_time time;

	if (line->has_coro || !textrace_time(value, &time) || time == CT_NO_TIME)
		return false;
	line->has_coro = true;
	line->event.coro = (uint64_t)time;
	return true;
}

/* Parses the object of a thread's wait. */
static bool parse_wanted(struct line *line, char *value)
{
	char *colon = strchr(value, ':');

	if (line->has_coro || !(colon ? parse_resource(value, colon, &line->event.coro)
				      : textrace_unsigned(value, &line->event.coro)))
		return false;
	return line->has_coro = true;
}

/* Parses the second word if it is not a coroutine; c7 is accepted there, too. */
static bool parse_coro_word(struct line *line, char *value)
{
	int64_t number;

	if (line->event.kind == CTP_KIND_LOST)
		return parse_first(line, value);
	if (line->event.kind == CTP_KIND_BLOCK_BEGIN)
		return parse_wanted(line, value);
	if (line->has_coro || !textrace_signed(value, &number))
		return false;
	line->has_coro = true;
	line->event.coro = (uint64_t)number;
	return true;
}

static bool parse_keyed(struct line *line, const struct textrace_word *word)
{
	const char *coro_key = kind_coro_key(line->event.kind);
	uint64_t number;

	if (strcmp(word->name, "argument") == 0) {
		if (!textrace_unsigned_up_to(word->value, UINT8_MAX, &number))
			return false;
		line->event.argument = (uint8_t)number;
		return true;
	}
	if (strcmp(word->name, "flags") == 0) {
		if (!textrace_unsigned_up_to(word->value, UINT16_MAX, &number))
			return false;
		line->event.flags |= (uint16_t)number;
		return true;
	}
	if (strcmp(word->name, "type") == 0) {
		if (!textrace_number(TEXTRACE_DESCRIPTOR_TYPES, word->value, &number))
			return false;
		line->event.flags |= (uint16_t)number;
		return true;
	}
	if (coro_key && strcmp(word->name, coro_key) == 0)
		return parse_coro_word(line, word->value);
	return parse_argument(line, word);
}

/* ------------------------------------------------------------------------ line */

static enum ct_status parse_rest(struct textrace_parser *parser, struct line *line)
{
	struct textrace_word word;

	while (textrace_word_take(&parser->words, &word)) {
		if (!word.name)
			return refuse_word(parser, word.value);
		if (word.value ? !parse_keyed(line, &word) : !parse_bare(parser, line, word.name))
			return refuse_word(parser, word.name);
	}
	return parser->words.trouble ? textrace_refuse(parser, "%s", parser->words.trouble) : CT_OK;
}

static enum ct_status check_line(struct textrace_parser *parser, const struct line *line)
{
	const struct textrace_source *source = parser->source;
	const struct ct_event *event = &line->event;

	if (line->has_process && event->thread)
		return textrace_refuse(parser, "the thread tells the process already");
	if (event->process >= source->lists.processes.count)
		return textrace_refuse(parser, "process %u is not defined", event->process);
	if (event->site && source->lists.sites.at[event->site].process != event->process)
		return textrace_refuse(parser, "site %u belongs to process %u", event->site,
			source->lists.sites.at[event->site].process);
	return CT_OK;
}

enum ct_status textrace_parse_event(struct textrace_parser *parser, const char *time)
{
	struct textrace_placed placed = {0};
	struct textrace_word word;
	struct line line = {0};
	enum ct_status status = parse_time(parser, time, &line.event.time);

	if (status == CT_OK)
		status = parse_thread(parser, &line.event);
	if (status)
		return status;
	/* A process may stand before the kind. */
	if (!textrace_word_take(&parser->words, &word) || !word.name || word.value)
		return textrace_refuse(parser, "a kind of event is missing");
	if (word.name[0] == 'p' && isdigit((unsigned char)word.name[1])) {
		line.has_process = true;
		if (!parse_index(word.name + 1, &line.event.process))
			return refuse_word(parser, word.name);
		if (!textrace_word_take(&parser->words, &word) || !word.name || word.value)
			return textrace_refuse(parser, "a kind of event is missing");
	}
	if (!parse_kind(word.name, &line.event.kind))
		return textrace_refuse(parser, "'%s' is no kind of event", word.name);
	status = parse_rest(parser, &line);
	if (status == CT_OK)
		status = check_line(parser, &line);
	if (status)
		return status;
	placed.event = line.event;
	placed.is_carried = line.is_carried;
	placed.event.sequence = parser->source->events.count;
	return vec_push(&parser->source->events, placed) ? CT_OK : ct_fail_memory(parser->reterr);
}
