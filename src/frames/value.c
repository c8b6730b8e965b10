/* SPDX-License-Identifier: MIT */
/* Reads the types of values, and says values (value.h). */
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frames/debug_types.h"
#include "frames/value.h"

#define ENUMERATORS_MAX 64u
#define NAME_MAX_BYTES 40
#define MEMBERS_MAX 256u

static bool set_enumerators(struct arena *arena, Dwarf_Die *type, struct code_value *value)
{
	struct code_enumerator found[ENUMERATORS_MAX], *kept;
	Dwarf_Attribute attribute;
	Dwarf_Die child;
	Dwarf_Sword number;
	const char *name;
	uint32_t nr = 0;
	bool is_there = dwarf_child(type, &child) == 0;

	for (; is_there && nr < ENUMERATORS_MAX; is_there = dwarf_siblingof(&child, &child) == 0) {
		name = dwarf_diename(&child);
		if (!name || !dwarf_attr(&child, DW_AT_const_value, &attribute) ||
			dwarf_formsdata(&attribute, &number) != 0)
			continue;
		found[nr].name = arena_text(arena, name, strlen(name));
		if (!found[nr].name)
			return false;
		found[nr++].value = number;
	}
	kept = arena_array(arena, nr + 1, sizeof(*kept));
	if (!kept)
		return false;
	memcpy(kept, found, nr * sizeof(*found));
	value->enumerators = kept;
	value->nr_enumerators = nr;
	return true;
}

static bool set_base(Dwarf_Die *type, struct code_value *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;

	if (!dwarf_attr(type, DW_AT_encoding, &attribute) ||
		dwarf_formudata(&attribute, &encoding) != 0)
		return false;
	switch (encoding) {
	case DW_ATE_boolean:
		value->form = CODE_FORM_BOOL;
		return true;
	case DW_ATE_float:
		value->form = CODE_FORM_FLOAT;
		return value->bytes == sizeof(float) || value->bytes == sizeof(double);
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		value->form = CODE_FORM_SIGNED;
		return true;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		value->form = CODE_FORM_UNSIGNED;
		return true;
	default:
		return false;
	}
}

static bool set_form(Dwarf_Die *type, struct code_value *value)
{
	if (dwarf_tag(type) == DW_TAG_base_type)
		return set_base(type, value);
	if (debug_is_pointer(type)) {
		value->form = CODE_FORM_POINTER;
		value->bytes = sizeof(uint64_t);
		return true;
	}
	value->form = CODE_FORM_ENUMERATION;
	return dwarf_tag(type) == DW_TAG_enumeration_type;
}

bool value_take(struct arena *arena, Dwarf_Die *type, struct code_value *value)
{
	value->bytes = debug_bytes(type);
	if (!set_form(type, value) || value->bytes > sizeof(uint64_t))
		value->bytes = 0;
	return value->bytes == 0 || value->form != CODE_FORM_ENUMERATION ||
	       set_enumerators(arena, type, value);
}

static int64_t as_signed(uint64_t word, uint32_t bytes)
{
	unsigned unused = 64 - 8 * bytes;

	return (int64_t)(word << unused) >> unused;
}

static void add_float(struct text *text, uint64_t word, uint32_t bytes)
{
	double wide;
	float narrow;

	memcpy(&wide, &word, sizeof(wide));
	memcpy(&narrow, &word, sizeof(narrow));
	if (bytes == sizeof(narrow))
		text_format(text, "%g", (double)narrow);
	else
		text_format(text, "%.15g", wide);
}

static void add_enumeration(struct text *text, const struct code_value *value, uint64_t word)
{
	int64_t number = as_signed(word, value->bytes);
	uint32_t i;

	for (i = 0; i < value->nr_enumerators; i++)
		if (value->enumerators[i].value == number ||
			(uint64_t)value->enumerators[i].value == word) {
			text_format(text, "%.*s", NAME_MAX_BYTES, value->enumerators[i].name);
			return;
		}
	text_format(text, "%" PRId64, number);
}

void value_add(struct text *text, const struct code_value *value, uint64_t word)
{
	switch (value->form) {
	case CODE_FORM_SIGNED:
		text_format(text, "%" PRId64, as_signed(word, value->bytes));
		return;
	case CODE_FORM_UNSIGNED:
		text_format(text, "%" PRIu64, word);
		return;
	case CODE_FORM_BOOL:
		text_add(text, word ? "true" : "false");
		return;
	case CODE_FORM_FLOAT:
		add_float(text, word, value->bytes);
		return;
	case CODE_FORM_POINTER:
	case CODE_FORM_TEXT_BEHIND:
		text_format(text, "0x%" PRIx64, word);
		return;
	case CODE_FORM_ENUMERATION:
		add_enumeration(text, value, word);
		return;
	case CODE_FORM_TEXT:
		return;
	}
}

/* ---------------------------------------------------------------- texts */

static const struct {
	const char *class_name; /* its beginning */
	const char *argument;   /* among those of the template */
	const char *characters;
	const char *length;
} texts[] = {
	/* With other allocators the pointer has something before it. */
	{"basic_string<char,", "std::allocator<char>", "_M_dataplus", "_M_string_length"},
	{"basic_string_view<char,", "", "_M_str", "_M_len"},
};

static bool find_offset(Dwarf_Die *type, const char *name, uint32_t *ret_offset)
{
	Dwarf_Die child;
	bool is_there = dwarf_child(type, &child) == 0;
	uint32_t i;

	for (i = 0; is_there && i < MEMBERS_MAX; i++) {
		if (dwarf_tag(&child) == DW_TAG_member && debug_is_called(&child, name))
			return debug_offset(&child, ret_offset);
		is_there = dwarf_siblingof(&child, &child) == 0;
	}
	return false;
}

void value_take_text(Dwarf_Die *type, struct code_value *value)
{
	Dwarf_Die object = *type;
	bool is_behind = debug_is_pointer(type) && dwarf_tag(type) != DW_TAG_pointer_type;
	const char *name;
	size_t i;

	if (is_behind && !debug_type(type, &object))
		return;
	name = debug_is_class(&object) ? dwarf_diename(&object) : NULL;
	for (i = 0; name && i < sizeof(texts) / sizeof(*texts); i++) {
		if (strncmp(name, texts[i].class_name, strlen(texts[i].class_name)) != 0 ||
			!strstr(name, texts[i].argument) ||
			!find_offset(&object, texts[i].characters, &value->characters) ||
			!find_offset(&object, texts[i].length, &value->length))
			continue;
		value->form = is_behind ? CODE_FORM_TEXT_BEHIND : CODE_FORM_TEXT;
		value->bytes = sizeof(uint64_t);
	}
}

/* Where to cut, so that no character is cut. */
static size_t whole_characters(const char *bytes, size_t nr_bytes)
{
	while (nr_bytes > 0 && ((unsigned char)bytes[nr_bytes] & 0xc0) == 0x80)
		nr_bytes--;
	return nr_bytes;
}

bool value_is_plain(const char *text)
{
	return text_plain_bytes(text) == strlen(text) && !strpbrk(text, "\t\n");
}

void value_put_quoted(char quoted[VALUE_QUOTED_BYTES], char quote, const char *text, bool has_more)
{
	size_t at = 0;

	quoted[at++] = quote;
	for (; *text && at < VALUE_QUOTED_BYTES - sizeof("\\x...\""); text++) {
		if (*text == quote || *text == '\\')
			quoted[at++] = '\\';
		quoted[at++] = *text;
	}
	snprintf(quoted + at, VALUE_QUOTED_BYTES - at, "%s%c", has_more || *text ? "..." : "",
		quote);
}

bool value_quote(const struct image *image, uint64_t address, uint64_t nr_bytes,
	char quoted[VALUE_QUOTED_BYTES])
{
	char bytes[VALUE_TEXT_MAX + 2] = "";
	size_t nr_read = nr_bytes > VALUE_TEXT_MAX ? VALUE_TEXT_MAX + 1 : (size_t)nr_bytes;
	size_t nr_told = nr_read;

	if (nr_read > 0 && image_read(image, address, bytes, nr_read) != nr_read)
		return false;
	if (nr_read > VALUE_TEXT_MAX)
		nr_told = whole_characters(bytes, VALUE_TEXT_MAX);
	bytes[nr_told] = '\0';
	if (strlen(bytes) != nr_told || !value_is_plain(bytes))
		return false;
	value_put_quoted(quoted, '"', bytes, nr_told < nr_bytes);
	return true;
}

bool value_is_text(const struct code_value *value)
{
	return value->form == CODE_FORM_TEXT || value->form == CODE_FORM_TEXT_BEHIND;
}

static bool quote_text(const struct image *image, uint64_t object, const struct code_value *value,
	char quoted[VALUE_QUOTED_BYTES])
{
	uint64_t characters, length;

	if (value->form == CODE_FORM_TEXT_BEHIND && !image_read_word(image, object, &object))
		return false;
	return image_read_word(image, object + value->characters, &characters) &&
	       image_read_word(image, object + value->length, &length) &&
	       value_quote(image, characters, length, quoted);
}

/* A reference that leads to no text any more is said as the address that it is. */
void value_tell(struct text *text, const char *words, const struct image *image, uint64_t frame,
	const struct code_value *value)
{
	uint64_t word = 0, address = frame + value->offset;
	char quoted[VALUE_QUOTED_BYTES];
	bool is_text = value_is_text(value) && quote_text(image, address, value, quoted);

	if (!is_text && (value->form == CODE_FORM_TEXT ||
				image_read(image, address, &word, value->bytes) != value->bytes))
		return;
	text_format(text, "%s%.*s = ", words, NAME_MAX_BYTES, value->name);
	if (is_text)
		text_add(text, quoted);
	else
		value_add(text, value, word);
}
