/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/failure.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "event/go_words.h"
#include "stages/sanitise.h"

/* What a token replaces: equal texts of two kinds have two tokens. */
enum token {
	TOKEN_FILE,
	TOKEN_WORD,
	TOKEN_NAME,
	NR_TOKENS,
};

static const char *const token_words[NR_TOKENS] = {"file", "word", "name"};

struct known {
	const char *text;
	enum token token;
	uint32_t number;
};

struct sanitise {
	struct ct_source source; /* must be the first member */
	struct ct_source *inner;
	struct ct_tables tables;
	struct arena arena;
	VEC(struct known) known;
	struct map at; /* maps the hash of a text to its entry in `known` */
	uint32_t nr_tokens[NR_TOKENS];
	struct map values; /* maps numbers to their tokens */
	struct text text;  /* the text under construction */
};

/* ---------------------------------------------------------------- tokens */

static bool is_same(const struct known *known, enum token token, const char *text, size_t nr_bytes)
{
	return known->token == token && strncmp(known->text, text, nr_bytes) == 0 &&
	       !known->text[nr_bytes];
}

/* Returns the number of the text's token; 0: out of memory. */
static uint32_t number_of(
	struct sanitise *sanitise, enum token token, const char *text, size_t nr_bytes)
{
	uint64_t key = hash_bytes(HASH_START ^ (nr_bytes * NR_TOKENS + token), text, nr_bytes);
	struct known added = {.token = token};
	uint32_t at;

	for (; map_get(&sanitise->at, key, &at); key++)
		if (is_same(&sanitise->known.at[at], token, text, nr_bytes))
			return sanitise->known.at[at].number;
	added.text = arena_text(&sanitise->arena, text, nr_bytes);
	added.number = ++sanitise->nr_tokens[token];
	if (!added.text || !vec_push(&sanitise->known, added) ||
		!map_put(&sanitise->at, key, (uint32_t)sanitise->known.count - 1))
		return 0;
	return added.number;
}

static void add_token(
	struct sanitise *sanitise, enum token token, const char *text, size_t nr_bytes)
{
	uint32_t number = number_of(sanitise, token, text, nr_bytes);

	if (!number)
		sanitise->text.is_broken = true;
	text_format(&sanitise->text, "%s%u", token_words[token], number);
}

/* ---------------------------------------------------------------- paths */

/* Endings by which a report recognises languages, and a reader the kind of file. */
static bool is_known_ending(const char *ending, size_t nr_bytes)
{
	static const char *const endings[] = {".c", ".h", ".cpp", ".cc", ".cxx", ".C", ".c++",
		".hpp", ".hh", ".hxx", ".ipp", ".cppm", ".rs", ".go", ".py", ".lua", ".zig", ".so"};
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strlen(endings[i]) == nr_bytes && memcmp(endings[i], ending, nr_bytes) == 0)
			return true;
	return false;
}

static void add_component(struct sanitise *sanitise, const char *from, size_t nr_bytes)
{
	const char *dot = memrchr(from, '.', nr_bytes);
	size_t nr_ending = dot ? (size_t)(from + nr_bytes - dot) : 0;

	if (strspn(from, ".") >= nr_bytes) {
		text_append(&sanitise->text, from, nr_bytes);
		return;
	}
	if (!dot || dot == from || !is_known_ending(dot, nr_ending))
		nr_ending = 0;
	add_token(sanitise, TOKEN_FILE, from, nr_bytes - nr_ending);
	if (nr_ending)
		text_append(&sanitise->text, dot, nr_ending);
}

static void add_path(struct sanitise *sanitise, const char *from, size_t nr_bytes)
{
	const char *end = from + nr_bytes, *slash;

	while (from < end) {
		slash = memchr(from, '/', (size_t)(end - from));
		if (slash != from)
			add_component(sanitise, from, (size_t)((slash ? slash : end) - from));
		if (!slash)
			return;
		text_char(&sanitise->text, '/');
		from = slash + 1;
	}
}

/* ---------------------------------------------------------------- signatures */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Words that belong to the syntax of signatures, and reveal nothing about the program. */
static bool is_of_language(const char *word, size_t nr_bytes)
{
	static const char *const words[] = {"anonymous", "namespace", "bool", "char", "clone",
		"closure", "const", "double", "float", "int", "lambda", "long", "noexcept",
		"operator", "requires", "short", "signed", "std", "unsigned", "void", "volatile"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == nr_bytes && memcmp(words[i], word, nr_bytes) == 0)
			return true;
	return false;
}

static void add_signature(struct sanitise *sanitise, const char *from, size_t nr_bytes)
{
	const char *end = from + nr_bytes, *at;

	for (; from < end; from = at) {
		for (at = from; at < end && is_word(*at);)
			at++;
		if (at == from)
			text_char(&sanitise->text, *at++);
		else if (isdigit((unsigned char)*from) || is_of_language(from, (size_t)(at - from)))
			text_append(&sanitise->text, from, (size_t)(at - from));
		else
			add_token(sanitise, TOKEN_WORD, from, (size_t)(at - from));
	}
}

static void add_callers(struct sanitise *sanitise, const char *callers)
{
	struct ct_caller caller;

	while (ct_caller_next(&callers, &caller)) {
		if (sanitise->text.length)
			text_char(&sanitise->text, '\n');
		add_signature(sanitise, caller.function, caller.function_bytes);
		text_char(&sanitise->text, '\t');
		add_path(sanitise, caller.file, caller.file_bytes);
		text_format(&sanitise->text, "\t%u", caller.line);
	}
}

/* ---------------------------------------------------------------- names */

/* A phase whose name begins with these letters has a meaning (CTP_MARK_PHASE). */
static void add_name(struct sanitise *sanitise, const char *name)
{
	static const char *const phases[] = {"warm", "shut"};
	const char *number = strstr(name, "{}");
	size_t i;

	/* The name is an awaiter's type. */
	if (strstr(name, "::") && !strpbrk(name, " \t")) {
		add_signature(sanitise, name, strlen(name));
		return;
	}
	for (i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		if (strncmp(name, phases[i], strlen(phases[i])) == 0)
			text_format(&sanitise->text, "%s-", phases[i]);
	if (number != name)
		add_token(sanitise, TOKEN_NAME, name,
			number ? (size_t)(number - name) : strlen(name));
	if (number)
		text_add(&sanitise->text, "{}");
	if (number && number[2])
		add_token(sanitise, TOKEN_NAME, number + 2, strlen(number + 2));
}

/* ---------------------------------------------------------------- tables */

enum how {
	HOW_PATH,
	HOW_SIGNATURE,
	HOW_CALLERS,
	HOW_NAME,
	HOW_ERASED,
	HOW_KEPT,
	HOW_NUMBER,
	HOW_BYTES,
};

/* Returns the text that replaces `text` in the copy; it lives as long as the source. */
static const char *replaced(struct sanitise *sanitise, const char *text, enum how how)
{
	const char *kept;

	if (!*text || how == HOW_KEPT || go_words_has(text))
		return text;
	text_clear(&sanitise->text);
	if (how == HOW_PATH)
		add_path(sanitise, text, strlen(text));
	else if (how == HOW_SIGNATURE)
		add_signature(sanitise, text, strlen(text));
	else if (how == HOW_CALLERS)
		add_callers(sanitise, text);
	else if (how == HOW_NAME)
		add_name(sanitise, text);
	kept = arena_text(&sanitise->arena, text_peek(&sanitise->text), sanitise->text.length);
	sanitise->text.is_broken |= !kept;
	return kept ? kept : "";
}

enum of {
	OF_tables,
	OF_process,
	OF_thread,
	OF_site,
	OF_mapping,
	OF_note,
	OF_sight,
};

static const struct {
	enum of of;
	size_t offset;
	enum how how;
} fields[] = {
#define FIELD(of, field, how) {OF_##of, offsetof(struct ct_##of, field), HOW_##how},
#define KIND(name, how)
#define DETAIL(name, how)
#define REPLACED(words)
#define REMAINS(words)
#include "stages/sanitised.def"
};

static void replace_texts(struct sanitise *sanitise, enum of of, void *record)
{
	const char **text;
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].of != of)
			continue;
		text = (const char **)(void *)((char *)record + fields[i].offset);
		*text = replaced(sanitise, *text, fields[i].how);
	}
}

/* Copies rows, with other texts; NULL: out of memory. */
static void *replace_rows(
	struct sanitise *sanitise, enum of of, const void *rows, uint32_t count, size_t size)
{
	char *copy = arena_alloc(&sanitise->arena, count * size + 1);
	uint32_t i;

	if (!copy)
		return NULL;
	if (count)
		memcpy(copy, rows, count * size);
	for (i = 0; i < count; i++)
		replace_texts(sanitise, of, copy + i * size);
	return copy;
}

#define REPLACE_ROWS(sanitise, of, rows, count) \
	replace_rows((sanitise), (of), (rows), (count), sizeof(*(rows)))

/* Copies the tables with other texts. Returns false if out of memory. */
static bool replace_tables(struct sanitise *sanitise)
{
	struct ct_tables *tables = &sanitise->tables;

	*tables = *sanitise->inner->tables;
	replace_texts(sanitise, OF_tables, tables);
	tables->processes =
		REPLACE_ROWS(sanitise, OF_process, tables->processes, tables->nr_processes);
	tables->threads = REPLACE_ROWS(sanitise, OF_thread, tables->threads, tables->nr_threads);
	tables->sites = REPLACE_ROWS(sanitise, OF_site, tables->sites, tables->nr_sites);
	tables->mappings =
		REPLACE_ROWS(sanitise, OF_mapping, tables->mappings, tables->nr_mappings);
	tables->notes = REPLACE_ROWS(sanitise, OF_note, tables->notes, tables->nr_notes);
	tables->sights = REPLACE_ROWS(sanitise, OF_sight, tables->sights, tables->nr_sights);
	return tables->processes && tables->threads && tables->sites && tables->mappings &&
	       tables->notes && tables->sights && !sanitise->text.is_broken;
}

/* ---------------------------------------------------------------- events */

/* A kind that is in kinds.def but not in sanitised.def has no enumerator here, and does not compile. */
enum kind_how {
#define FIELD(of, field, how)
#define KIND(name, how) KIND_HOW_##name = HOW_##how,
#define DETAIL(name, how) DETAIL_HOW_##name = HOW_##how,
#define REPLACED(words)
#define REMAINS(words)
#include "stages/sanitised.def"
};

static const uint8_t how_of_kind[256] = {
#define X(name, number, text, category, object, argument, meaning) [number] = KIND_HOW_##name,
#include "corotracer/def/kinds.def"
#undef X
};

static const uint8_t how_of_detail[256] = {
#define X(name, number, text, meaning) [number] = DETAIL_HOW_##name,
#include "corotracer/def/details.def"
#undef X
};

/* Replaces a number: equal numbers get equal tokens; 0 stays. Returns false if out of memory. */
static bool replace_number(struct sanitise *sanitise, uint64_t *number)
{
	uint32_t token = (uint32_t)sanitise->values.count + 1;

	if (!*number)
		return true;
	if (!map_get(&sanitise->values, *number, &token) &&
		!map_put(&sanitise->values, *number, token))
		return false;
	*number = token;
	return true;
}

/* Replaces each byte that is not 0 by an asterisk. */
static void replace_bytes(uint64_t *bytes)
{
	unsigned shift;

	for (shift = 0; shift < 64; shift += 8)
		if (*bytes >> shift & 0xff)
			*bytes = (*bytes & ~(UINT64_C(0xff) << shift)) | (uint64_t)'*' << shift;
}

/* The object of a kind that this version does not know may be anything. */
static bool replace_object(struct sanitise *sanitise, struct ct_event *event)
{
	uint8_t how = event->kind == CTP_KIND_DETAIL ? how_of_detail[event->argument]
						     : how_of_kind[event->kind];

	if (how == HOW_KEPT)
		return true;
	if (how != HOW_BYTES)
		return replace_number(sanitise, &event->object);
	replace_bytes(&event->object);
	return true;
}

/* Events are read one at a time, because a run that the inner source lends may be longer than the room. */
static enum ct_status sanitise_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct sanitise *sanitise = (struct sanitise *)source;
	const struct ct_event *event;
	enum ct_status status = source_next(sanitise->inner, &event, reterr);

	if (status)
		return status;
	*events->room = *event;
	events->count = 1;
	events->are_carried = source_is_carried(sanitise->inner);
	return replace_object(sanitise, events->room) ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status sanitise_reset(struct ct_source *source, struct ct_error *reterr)
{
	return source_reset(((struct sanitise *)source)->inner, reterr);
}

static void sanitise_close(struct ct_source *source)
{
	struct sanitise *sanitise = (struct sanitise *)source;

	vec_fini(&sanitise->known);
	map_fini(&sanitise->at);
	map_fini(&sanitise->values);
	text_fini(&sanitise->text);
	arena_fini(&sanitise->arena);
	free(sanitise);
}

static const struct ct_source_ops sanitise_ops = {
	.next = sanitise_next,
	.reset = sanitise_reset,
	.close = sanitise_close,
};

enum ct_status sanitise_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct sanitise *sanitise = calloc(1, sizeof(*sanitise));

	if (!sanitise)
		return ct_fail_memory(reterr);
	arena_init(&sanitise->arena);
	sanitise->inner = inner;
	sanitise->source = (struct ct_source){
		.ops = &sanitise_ops, .tables = &sanitise->tables, .order = inner->order};
	if (!replace_tables(sanitise)) {
		sanitise_close(&sanitise->source);
		return ct_fail_memory(reterr);
	}
	*ret_source = &sanitise->source;
	return CT_OK;
}

const char sanitise_words[] =
#define FIELD(of, field, how)
#define KIND(name, how)
#define DETAIL(name, how)
#define REPLACED(words) "replaced by tokens: " words "\n"
#define REMAINS(words) "what remains: " words "\n"
#include "stages/sanitised.def"
	;
