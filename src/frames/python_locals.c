/* SPDX-License-Identifier: MIT */
/* Reads the variables of Python's coroutines (python_locals.h): the values with which a frame begins. */
#include <string.h>

#include "base/text.h"
#include "frames/python_locals.h"
#include "frames/value.h"
#include "say/say.h"

#define FLOAT_VALUE 16u
#define SET_USED 24u

#define OBJECT_READ_BYTES \
	96u /* as much of an object as is looked at, a short text with its characters included */
#define OBJECT_LEAST_BYTES 32u
#define OBJECT_TYPE 8u

/* An object, read at once: each read of a process is a system call. */
struct object {
	uint64_t address;
	enum python_type type;
	uint8_t bytes[OBJECT_READ_BYTES];
	size_t nr_bytes;
};

struct locals {
	struct python *python;
	struct text values;
	uint32_t nr_told;
};

static void begin(struct locals *locals, const char *name)
{
	text_format(&locals->values, "%s%s = ", locals->nr_told++ ? ", " : "", name);
}

static bool read_object(const struct python *python, uint64_t address, struct object *ret_object)
{
	memset(ret_object, 0, sizeof(*ret_object));
	ret_object->address = address;
	ret_object->nr_bytes =
		address ? image_read(python->image, address, ret_object->bytes, OBJECT_READ_BYTES)
			: 0;
	ret_object->type = python_type_at(python, python_word(ret_object->bytes, OBJECT_TYPE));
	return ret_object->type != PYTHON_OTHER && ret_object->nr_bytes >= OBJECT_LEAST_BYTES;
}

/* ---------------------------------------------------------------- values */

static void say_int(struct locals *locals, const char *name, const struct object *object)
{
	int64_t number;

	if (!python_int_within(locals->python, object->bytes, &number))
		return;
	begin(locals, name);
	if (object->type == PYTHON_BOOL)
		text_add(&locals->values, number ? "True" : "False");
	else
		text_format(&locals->values, "%lld", (long long)number);
}

static void say_float(struct locals *locals, const char *name, const struct object *object)
{
	double number;

	memcpy(&number, object->bytes + FLOAT_VALUE, sizeof(number));
	begin(locals, name);
	text_format(&locals->values, "%.15g", number);
}

static void say_length(
	struct locals *locals, const char *name, const struct object *object, uint32_t offset)
{
	text_format(&locals->values, "%slen(%s) = %llu", locals->nr_told++ ? ", " : "", name,
		(unsigned long long)python_word(object->bytes, offset));
}

/* How many bytes the first characters have. */
static size_t bytes_of_characters(const char *text, size_t nr_characters)
{
	size_t at = 0;

	while (text[at] && nr_characters > 0) {
		at++;
		while (((unsigned char)text[at] & 0xc0) == 0x80)
			at++;
		nr_characters--;
	}
	return at;
}

static size_t count_characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* A text that is too long to be read, of a form of its own, or has characters without a shape, has its length alone. */
static void say_text(struct locals *locals, const char *name, const struct object *object)
{
	struct python *python = locals->python;
	struct arena_mark mark = arena_mark(python->found->arena);
	const char *text =
		python_text_within(python, object->address, object->bytes, object->nr_bytes);
	size_t nr_bytes = bytes_of_characters(text, VALUE_TEXT_MAX);
	char shown[VALUE_TEXT_MAX * 4 + 1], quoted[VALUE_QUOTED_BYTES];

	if (count_characters(text) != python_word(object->bytes, PYTHON_OBJECT_SIZE) ||
		!value_is_plain(text)) {
		say_length(locals, name, object, PYTHON_OBJECT_SIZE);
	} else {
		memcpy(shown, text, nr_bytes);
		shown[nr_bytes] = '\0';
		value_put_quoted(quoted, '\'', shown, text[nr_bytes] != '\0');
		begin(locals, name);
		text_add(&locals->values, quoted);
	}
	arena_reset(python->found->arena, mark);
}

static void say_value(struct locals *locals, const char *name, const struct object *object)
{
	switch (object->type) {
	case PYTHON_NONE:
		begin(locals, name);
		text_add(&locals->values, "None");
		break;
	case PYTHON_BOOL:
	case PYTHON_NUMBER:
		say_int(locals, name, object);
		break;
	case PYTHON_FLOAT:
		say_float(locals, name, object);
		break;
	case PYTHON_TEXT:
		say_text(locals, name, object);
		break;
	case PYTHON_BYTES:
	case PYTHON_LIST:
	case PYTHON_TUPLE:
	case PYTHON_DEQUE:
	case PYTHON_DICT:
		say_length(locals, name, object, PYTHON_OBJECT_SIZE);
		break;
	case PYTHON_SET:
		say_length(locals, name, object, SET_USED);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------------------- variables */

static void say_local(struct locals *locals, const char *name, uint64_t address)
{
	const struct python *python = locals->python;
	struct object object;

	if (!name[0] || !read_object(python, address, &object))
		return;
	if (object.type == PYTHON_CELL &&
		!read_object(python, python_word(object.bytes, PYTHON_CELL_CONTENT), &object))
		return;
	say_value(locals, name, &object);
}

static void say_locals_of(
	struct locals *locals, const struct python_call *call, const struct python_code *code)
{
	const struct python_layout *layout = locals->python->layout;
	uint64_t words[PYTHON_NAMES_MAX], first = call->address + layout->frame + layout->locals;
	size_t count = code->nr_names, i;

	text_clear(&locals->values);
	locals->nr_told = 0;
	count = image_read(locals->python->image, first, words, count * sizeof(*words)) /
		sizeof(*words);
	for (i = 0; i < count && locals->nr_told < VALUE_TOLD_MAX; i++)
		say_local(locals, code->local_names[i], python_value(words[i]));
}

const char *python_locals_say(struct python *python, const struct python_chain *chain)
{
	struct locals locals = {.python = python};
	struct text words = {0};
	uint32_t i;

	for (i = 0; i < chain->count && words.length < VALUE_WORDS_MAX_BYTES; i++) {
		const struct python_code *code = python_code_at(python, chain->at[i].code);

		if (!code || say_is_installed(code->file) || python_is_of_asyncio(code->file))
			continue;
		say_locals_of(&locals, &chain->at[i], code);
		found_locals_add(&words, code->name, text_peek(&locals.values));
	}
	text_fini(&locals.values);
	return found_words(python->found, &words, 0);
}
