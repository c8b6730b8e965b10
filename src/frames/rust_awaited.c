/* SPDX-License-Identifier: MIT */
/*
 * Reads what tasks of Rust await (rust_awaited.h). Members of a structure that can be said in a word come first, then
 * what is in its other members, then what its pointers lead to, since there is room for a few.
 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frames/debug_types.h"
#include "frames/library_type.h"
#include "frames/rust_awaited.h"
#include "frames/value.h"

#define VALUES_MAX 16u
#define MEMBERS_MAX 1024u /* that are looked at */
#define DEPTH_MAX 12
#define VARIABLE_DEPTH_MAX 4 /* its members, and what is in an enumeration among them */
#define POINTERS_MAX 2
#define NAME_MAX_BYTES 96

enum library_how {
	LIBRARY_VALUE,
	LIBRARY_WITHIN,
	LIBRARY_SET,
	LIBRARY_TEXT,
};

static const struct library_type library_types[] = {
#define X(type, member, how, word) {type, member, LIBRARY_##how, word},
#include "frames/rust_library.def"
#undef X
};

struct walk {
	const struct rust_reading *reading;
	struct text *text; /* NULL: the first object is looked for */
	struct rust_value *object;
	bool has_object;
	uint32_t nr_values;
	uint32_t values_max;
	uint32_t nr_members;
	int depth_max;
	bool has_no_pointers; /* are not said */
	bool is_out_of_memory;
};

/* Where a walk is. */
struct spot {
	struct rust_value value;
	char name[NAME_MAX_BYTES];
	int depth;
	int nr_pointers;
};

/* What a pass over the members of a structure takes. */
enum pass {
	PASS_PLAIN,
	PASS_WITHIN,
	PASS_BEHIND,
	NR_PASSES,
};

static void walk_spot(struct walk *walk, const struct spot *spot, enum pass pass);
static void walk_passes(struct walk *walk, const struct spot *spot);

static bool is_full(const struct walk *walk)
{
	return walk->nr_values >= walk->values_max || walk->nr_members >= MEMBERS_MAX ||
	       walk->is_out_of_memory || walk->has_object;
}

/* ---------------------------------------------------------------- names */

/* Does the name end with that of a member, behind which another one needs a dot? */
static bool ends_with_member(const char *name)
{
	return name[0] && name[strlen(name) - 1] != '>';
}

/* Members of tuples, "__0", and those of the only member keep the name of what they are in. */
static bool set_name(struct spot *spot, const char *outer, const char *member)
{
	bool has_own = member[0] && strncmp(member, "__", 2) != 0;
	int nr_bytes = snprintf(spot->name, sizeof(spot->name), "%s%s%s", outer,
		has_own && ends_with_member(outer) ? "." : "", has_own ? member : "");

	return nr_bytes >= 0 && nr_bytes < NAME_MAX_BYTES;
}

static void begin_value(struct walk *walk, const char *name, const char *word)
{
	text_format(walk->text, "%s%s%s = ", walk->nr_values ? ", " : "", name, word);
	walk->nr_values++;
}

/* ---------------------------------------------------------------- values */

/* A number, a truth value, an enumeration without values, or a pointer. */
static void say_word(struct walk *walk, const struct spot *spot, const char *word)
{
	struct code_value form = {.offset = 0};
	struct arena_mark mark;
	Dwarf_Die type = spot->value.type;
	uint64_t bytes = 0;

	if (!walk->text || is_full(walk))
		return;
	mark = arena_mark(walk->reading->arena);
	if (!value_take(walk->reading->arena, &type, &form))
		walk->is_out_of_memory = true;
	else if (form.bytes > 0 && !(walk->has_no_pointers && form.form == CODE_FORM_POINTER) &&
		 image_read(walk->reading->image, spot->value.address, &bytes, form.bytes) ==
			 form.bytes) {
		begin_value(walk, spot->name, word);
		value_add(walk->text, &form, bytes);
	}
	arena_reset(walk->reading->arena, mark);
}

static void say_name_of(struct walk *walk, const struct spot *spot, const char *word)
{
	if (!walk->text || is_full(walk))
		return;
	begin_value(walk, spot->name, "");
	text_add(walk->text, word);
}

struct finding {
	struct walk *walk;
	const char *name;
	struct rust_value *found;
	int depth;
	bool is_found;
};

static bool look_for(void *context, const char *name, const struct rust_value *member)
{
	struct finding *finding = context, inner = *finding;

	if (++finding->walk->nr_members >= MEMBERS_MAX)
		return false;
	if (strcmp(name, finding->name) == 0) {
		*finding->found = *member;
		finding->is_found = true;
		return false;
	}
	inner.depth++;
	if (inner.depth < DEPTH_MAX)
		rust_each_member(member, look_for, &inner);
	finding->is_found = inner.is_found;
	return !finding->is_found;
}

/* Finds a member of this name, wherever it is inside of the value. */
static bool find_member(struct walk *walk, const struct rust_value *value, const char *name,
	struct rust_value *ret_member)
{
	struct finding finding = {.walk = walk, .name = name, .found = ret_member};

	if (rust_member(value, name, ret_member))
		return true;
	rust_each_member(value, look_for, &finding);
	return finding.is_found;
}

/* ---------------------------------------------------------------- texts */

/* What a variable that was moved away leads to may be used for something else: what is no text is not said. */
static void say_text(struct walk *walk, const struct spot *spot, const struct rust_value *pointer,
	const char *length_member)
{
	const struct image *image = walk->reading->image;
	struct rust_value length;
	uint64_t nr_bytes = 0, address = 0;
	char quoted[VALUE_QUOTED_BYTES];

	if (!walk->text || is_full(walk) ||
		!find_member(walk, &spot->value, length_member, &length) ||
		!image_read_word(image, length.address, &nr_bytes) ||
		!image_read_word(image, pointer->address, &address))
		return;
	if (value_quote(image, address, nr_bytes, quoted)) {
		begin_value(walk, spot->name, "");
		text_add(walk->text, quoted);
	} else {
		begin_value(walk, spot->name, ".len");
		text_format(walk->text, "%" PRIu64, nr_bytes);
	}
}

/* ---------------------------------------------------------------- structures */

static const struct library_type *library_type_of(
	struct walk *walk, const struct rust_value *value, struct rust_value *ret_member)
{
	const char *name = rust_type_name(value);
	size_t i;

	for (i = 0; i < sizeof(library_types) / sizeof(*library_types); i++) {
		const struct library_type *library = &library_types[i];

		if (library_type_is(library, name) &&
			(library->how == LIBRARY_WITHIN
					? rust_member(value, library->member, ret_member)
					: find_member(walk, value, library->member, ret_member)))
			return library;
	}
	return NULL;
}

static bool is_pointer(const struct rust_value *value)
{
	Dwarf_Die type = value->type;

	return debug_is_pointer(&type);
}

static bool is_structure(const struct rust_value *value)
{
	Dwarf_Die type = value->type;

	return debug_is_class(&type);
}

static void go_within(struct walk *walk, const struct spot *spot, const struct rust_value *member,
	const char *name, enum pass pass)
{
	struct spot inner = *spot;

	inner.value = *member;
	inner.depth++;
	if (inner.depth < walk->depth_max && set_name(&inner, spot->name, name))
		walk_spot(walk, &inner, pass);
}

/* An enumeration whose variants have values: the variant's name, and what is in it; of `Some` that alone. */
static void walk_variant(struct walk *walk, const struct spot *spot, enum pass pass)
{
	struct rust_variant variant;
	bool is_some;

	if (!rust_variant_now(walk->reading->image, &spot->value, &variant))
		return;
	is_some = strcmp(variant.name, "Some") == 0;
	if (pass == PASS_PLAIN && !is_some)
		say_name_of(walk, spot, variant.name);
	go_within(walk, spot, &variant.value, is_some ? "" : variant.name, pass);
}

struct members {
	struct walk *walk;
	const struct spot *spot;
	enum pass pass;
};

static bool take_member(void *context, const char *name, const struct rust_value *member)
{
	const struct members *members = context;

	members->walk->nr_members++;
	if (rust_bytes(member) > 0 && strcmp(name, "vtable") != 0)
		go_within(members->walk, members->spot, member, name, members->pass);
	return !is_full(members->walk);
}

/* A structure's own words are what is within the structure around it, and do not belong to that one's own. */
static void walk_structure(struct walk *walk, const struct spot *spot, enum pass pass)
{
	struct members members = {.walk = walk, .spot = spot};
	unsigned i;

	if (pass == PASS_PLAIN)
		return;
	for (i = pass == PASS_BEHIND ? PASS_BEHIND : PASS_PLAIN; i <= (unsigned)pass; i++) {
		members.pass = (enum pass)i;
		rust_each_member(&spot->value, take_member, &members);
	}
}

/* ---------------------------------------------------------------- pointers */

static void walk_behind(struct walk *walk, const struct spot *spot)
{
	const struct library_type *library;
	struct spot behind = *spot;
	struct rust_value member;
	size_t length = strlen(spot->name);

	if (spot->nr_pointers == POINTERS_MAX || length + 3 > NAME_MAX_BYTES ||
		!rust_pointed(walk->reading->image, &spot->value, &behind.value) ||
		behind.value.address == 0 || !is_structure(&behind.value))
		return;
	if (!walk->text) {
		library = library_type_of(walk, &behind.value, &member);
		*walk->object = library && library->how == LIBRARY_WITHIN ? member : behind.value;
		walk->has_object = true;
		return;
	}
	memcpy(behind.name + length, "->", 3);
	behind.nr_pointers++;
	behind.depth = 0;
	walk_passes(walk, &behind);
}

/* ---------------------------------------------------------------- a value */

static void walk_library(struct walk *walk, const struct spot *spot,
	const struct library_type *library, const struct rust_value *member, enum pass pass)
{
	struct spot at = *spot;

	at.value = *member;
	if (library->how == LIBRARY_WITHIN)
		go_within(walk, spot, member, "", pass);
	else if (pass == PASS_PLAIN && library->how == LIBRARY_SET)
		say_name_of(walk, spot, "set");
	else if (pass == PASS_PLAIN && library->how == LIBRARY_TEXT)
		say_text(walk, spot, member, library->word);
	else if (pass == PASS_PLAIN)
		say_word(walk, &at, library->word);
}

static void walk_spot(struct walk *walk, const struct spot *spot, enum pass pass)
{
	const struct library_type *library;
	struct rust_value member;

	if (is_full(walk))
		return;
	if (is_pointer(&spot->value) || !is_structure(&spot->value)) {
		if (pass == PASS_PLAIN)
			say_word(walk, spot, "");
		else if (pass == PASS_BEHIND)
			walk_behind(walk, spot);
		return;
	}
	library = library_type_of(walk, &spot->value, &member);
	if (library)
		walk_library(walk, spot, library, &member, pass);
	else if (rust_has_variants(&spot->value))
		walk_variant(walk, spot, pass);
	else if (ends_with_member(spot->name) && rust_only_member(&spot->value, &member))
		go_within(walk, spot, &member, "", pass);
	else
		walk_structure(walk, spot, pass);
}

static void walk_passes(struct walk *walk, const struct spot *spot)
{
	unsigned i;

	for (i = 0; i < NR_PASSES; i++)
		walk_spot(walk, spot, (enum pass)i);
}

bool rust_awaited_say(
	const struct rust_reading *reading, const struct rust_value *value, struct text *text)
{
	struct walk walk = {
		.reading = reading, .text = text, .values_max = VALUES_MAX, .depth_max = DEPTH_MAX};
	struct spot spot = {.value = *value};

	walk_passes(&walk, &spot);
	return !walk.is_out_of_memory;
}

bool rust_variable_say(const struct rust_reading *reading, const char *name,
	const struct rust_value *value, uint32_t most, uint32_t *nr_values, struct text *text)
{
	struct walk walk = {.reading = reading,
		.text = text,
		.nr_values = *nr_values,
		.values_max = most,
		.depth_max = VARIABLE_DEPTH_MAX,
		.has_no_pointers = true};
	struct spot spot = {.value = *value};

	if (set_name(&spot, "", name)) {
		walk_spot(&walk, &spot, PASS_PLAIN);
		walk_spot(&walk, &spot, PASS_WITHIN);
	}
	*nr_values = walk.nr_values;
	return !walk.is_out_of_memory;
}

bool rust_awaited_object(const struct rust_reading *reading, const struct rust_value *value,
	struct rust_value *ret_object)
{
	struct walk walk = {.reading = reading,
		.object = ret_object,
		.values_max = VALUES_MAX,
		.depth_max = DEPTH_MAX};
	struct spot spot = {.value = *value};

	walk_passes(&walk, &spot);
	return walk.has_object;
}
