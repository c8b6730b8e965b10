/* SPDX-License-Identifier: MIT */
/*
 * Reads what coroutines await (awaited.h). A class says its plain members first, then those of the classes in it, then
 * what its pointers lead to, since the first ones are the most telling, and there is room for a few.
 */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "frames/awaited.h"
#include "frames/debug_types.h"
#include "frames/library_type.h"
#include "frames/value.h"

#define FIELDS_MAX 16u
#define MEMBERS_MAX 4096u
#define DEPTH_MAX 4
#define OWN_MAX 8u
/* So deep lies the pointer of std::unique_ptr; the deleter, which has a member of the same name, lies deeper. */
#define LIBRARY_DEPTH_MAX 6
#define NAME_MAX_BYTES 96
#define TEXT_MAX_BYTES 480u
#define DEQUE_WORDS 4 /* of an iterator: current, first, last, node */
#define DEQUE_NODE_BYTES 512u

enum library_how {
	LIBRARY_VALUE = CODE_MEASURE_VALUE,
	LIBRARY_VECTOR = CODE_MEASURE_VECTOR,
	LIBRARY_DEQUE = CODE_MEASURE_DEQUE,
	LIBRARY_POINTER,
	LIBRARY_WITHIN,
};

static const struct library_type library_types[] = {
#define X(class_name, member, how, word) {class_name, member, LIBRARY_##how, word},
#include "frames/library_types.def"
#undef X
};

/* The members of an awaiter on their way into it. */
struct walk {
	struct class_names *names;
	uint32_t *nr_members;
	struct code_awaiter *awaiter;
	/* the awaiter's class and its bases: a pointer to one leads to the next that waits, not to what is awaited */
	Dwarf_Off own_classes[OWN_MAX];
	uint32_t nr_own;
	struct code_field fields[FIELDS_MAX];
	uint32_t count;
	bool is_out_of_memory;
};

/* Where a walk is: in a class, on a way, under a name. */
struct spot {
	struct code_way way;
	char name[NAME_MAX_BYTES];
	int depth;
	bool may_follow;
};

/* ---------------------------------------------------------------- names and ways */

static bool is_full(const struct walk *walk)
{
	return walk->count == FIELDS_MAX || walk->is_out_of_memory ||
	       *walk->nr_members >= MEMBERS_MAX;
}

/* The spot of a member; a base keeps the name of what it is the base of. */
static bool step_into(const struct spot *spot, Dwarf_Die *member, struct spot *ret_spot)
{
	const char *name = dwarf_diename(member);
	int tag = dwarf_tag(member), nr_bytes;
	uint32_t offset;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !debug_offset(member, &offset))
		return false;
	*ret_spot = *spot;
	ret_spot->way.offset += offset;
	if (tag == DW_TAG_inheritance)
		return true;
	if (!name || strncmp(name, "_vptr", 5) == 0)
		return false;
	nr_bytes = snprintf(ret_spot->name, sizeof(ret_spot->name), "%s%s%s", spot->name,
		spot->name[0] && spot->name[strlen(spot->name) - 1] != '>' ? "." : "", name);
	return nr_bytes < NAME_MAX_BYTES;
}

/* The spot behind a pointer; false: no further pointer is followed. */
static bool step_behind(const struct spot *spot, struct spot *ret_spot)
{
	size_t length = strlen(spot->name);

	*ret_spot = *spot;
	if (!spot->may_follow || spot->way.nr_steps == CODE_STEPS_MAX ||
		length + 3 > NAME_MAX_BYTES)
		return false;
	ret_spot->way.steps[ret_spot->way.nr_steps++] = spot->way.offset;
	ret_spot->way.offset = 0;
	ret_spot->may_follow = false;
	memcpy(ret_spot->name + length, "->", 3);
	return true;
}

/* ---------------------------------------------------------------- fields */

static void add_field(struct walk *walk, const struct code_field *field, const struct spot *spot,
	const char *word)
{
	char name[NAME_MAX_BYTES + 16];
	int nr_bytes = snprintf(name, sizeof(name), "%s%s", spot->name, word);
	struct code_field *kept = &walk->fields[walk->count];

	*kept = *field;
	kept->way = spot->way;
	kept->value.name = arena_text(walk->names->arena, name, (size_t)nr_bytes);
	if (kept->value.name)
		walk->count++;
	else
		walk->is_out_of_memory = true;
}

static void take_value(
	struct walk *walk, Dwarf_Die *type, const struct spot *spot, const char *word)
{
	struct code_field field = {.measure = CODE_MEASURE_VALUE};

	if (is_full(walk))
		return;
	if (!value_take(walk->names->arena, type, &field.value))
		walk->is_out_of_memory = true;
	else if (field.value.bytes > 0)
		add_field(walk, &field, spot, word);
}

/* ---------------------------------------------------------------- the standard library */

/* Finds a member of this name in a class, in what it derives from, and in its members. */
static bool find_member(struct walk *walk, Dwarf_Die *type, const char *name, int depth,
	uint32_t *ret_offset, Dwarf_Die *ret_type)
{
	Dwarf_Die member, its_type;
	uint32_t offset = 0;
	bool is_there = depth < LIBRARY_DEPTH_MAX && dwarf_child(type, &member) == 0;
	bool is_union = dwarf_tag(type) == DW_TAG_union_type;

	for (; is_there && *walk->nr_members < MEMBERS_MAX;
		is_there = dwarf_siblingof(&member, &member) == 0) {
		int tag = dwarf_tag(&member);
		const char *its_name = dwarf_diename(&member);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
			(!is_union && !debug_offset(&member, &offset)) ||
			!debug_type(&member, &its_type))
			continue;
		(*walk->nr_members)++;
		if (tag == DW_TAG_member && its_name && strcmp(its_name, name) == 0) {
			*ret_offset = offset;
			*ret_type = its_type;
			return true;
		}
		if (!debug_has_members(&its_type) ||
			!find_member(walk, &its_type, name, depth + 1, ret_offset, ret_type))
			continue;
		*ret_offset += offset;
		return true;
	}
	return false;
}

/* How far apart the two ends are, and how large an element is; false: the class has another layout. */
static bool find_ends(struct walk *walk, Dwarf_Die *type, const struct library_type *library,
	struct code_field *field, uint32_t *ret_start)
{
	Dwarf_Die first, last, pointer, element;
	uint32_t end, within;

	if (!find_member(walk, type, "_M_start", 0, ret_start, &first) ||
		!find_member(walk, type, "_M_finish", 0, &end, &last) || end < *ret_start)
		return false;
	field->measure = (enum code_measure)library->how;
	field->end = end - *ret_start;
	pointer = first;
	if (library->how == LIBRARY_DEQUE &&
		!find_member(walk, &first, "_M_cur", 0, &within, &pointer))
		return false;
	if (!debug_is_pointer(&pointer) || !debug_type(&pointer, &element))
		return false;
	field->element_bytes = debug_bytes(&element);
	return field->element_bytes > 0;
}

static const struct library_type *library_type_of(const char *class_name, Dwarf_Die *type,
	struct walk *walk, uint32_t *ret_offset, Dwarf_Die *ret_type)
{
	size_t i;

	for (i = 0; i < sizeof(library_types) / sizeof(*library_types); i++) {
		const struct library_type *library = &library_types[i];

		if (library_type_is(library, class_name) &&
			find_member(walk, type, library->member, 0, ret_offset, ret_type))
			return library;
	}
	return NULL;
}

static const char *class_name_of(struct walk *walk, Dwarf_Die *type)
{
	const char *name = debug_class_name(walk->names, type);

	walk->is_out_of_memory |= !name;
	return name ? name : "";
}

static void take_measure(
	struct walk *walk, Dwarf_Die *type, const struct library_type *library, struct spot *spot)
{
	struct code_field field = {
		.value.form = CODE_FORM_UNSIGNED, .value.bytes = sizeof(uint64_t)};
	uint32_t start;

	if (!find_ends(walk, type, library, &field, &start))
		return;
	spot->way.offset += start;
	if (!is_full(walk))
		add_field(walk, &field, spot, library->word);
}

/* An object of the standard library; false: the class is not of it. */
static bool take_library(struct walk *walk, Dwarf_Die *type, const struct spot *spot)
{
	const char *class_name = class_name_of(walk, type);
	const struct library_type *library;
	struct spot within = *spot;
	Dwarf_Die member;
	uint32_t offset;

	if (strncmp(class_name, "std::", 5) != 0)
		return false;
	library = library_type_of(class_name, type, walk, &offset, &member);
	if (!library)
		return true;
	if (library->how == LIBRARY_VECTOR || library->how == LIBRARY_DEQUE) {
		take_measure(walk, type, library, &within);
		return true;
	}
	within.way.offset += offset;
	if (library->how == LIBRARY_WITHIN && spot->depth < DEPTH_MAX) {
		within.depth++;
		return take_library(walk, &member, &within);
	}
	take_value(walk, &member, &within, library->word);
	return true;
}

/* ---------------------------------------------------------------- classes */

static void walk_class(struct walk *walk, Dwarf_Die *type, const struct spot *spot);

static void take_plain(struct walk *walk, Dwarf_Die *type, const struct spot *spot)
{
	if (debug_is_class(type))
		take_library(walk, type, spot);
	else
		take_value(walk, type, spot, "");
}

static void take_within(struct walk *walk, Dwarf_Die *type, const struct spot *spot)
{
	struct spot within = *spot;

	if (!debug_is_class(type) || strncmp(class_name_of(walk, type), "std::", 5) == 0)
		return;
	within.depth++;
	walk_class(walk, type, &within);
}

/* A pointer, or an object of the standard library that is one: where it is, and its type. */
static bool is_pointer(
	struct walk *walk, Dwarf_Die *type, struct spot *spot, Dwarf_Die *ret_pointer)
{
	const struct library_type *library;
	uint32_t offset;

	*ret_pointer = *type;
	if (debug_is_pointer(type))
		return true;
	if (!debug_is_class(type))
		return false;
	library = library_type_of(class_name_of(walk, type), type, walk, &offset, ret_pointer);
	if (!library || library->how != LIBRARY_POINTER || !debug_is_pointer(ret_pointer))
		return false;
	spot->way.offset += offset;
	return true;
}

static bool is_own(const struct walk *walk, Dwarf_Die *type)
{
	uint32_t i;

	for (i = 0; i < walk->nr_own; i++)
		if (walk->own_classes[i] == dwarf_dieoffset(type))
			return true;
	return false;
}

/* The first object to which a pointer leads counts as what is awaited. */
static void take_object(struct walk *walk, Dwarf_Die *type, const struct code_way *way)
{
	if (walk->awaiter->object_type)
		return;
	walk->awaiter->object_type = class_name_of(walk, type);
	walk->awaiter->object = *way;
}

static void take_behind(struct walk *walk, Dwarf_Die *type, const struct spot *spot)
{
	struct spot at = *spot, behind;
	uint32_t count = walk->count;
	Dwarf_Die pointer, target;

	if (!is_pointer(walk, type, &at, &pointer) || !debug_type(&pointer, &target) ||
		!debug_is_class(&target) || is_own(walk, &target) || !step_behind(&at, &behind))
		return;
	if (!take_library(walk, &target, &behind))
		walk_class(walk, &target, &behind);
	if (walk->count > count)
		take_object(walk, &target, &behind.way);
}

static void walk_class(struct walk *walk, Dwarf_Die *type, const struct spot *spot)
{
	static void (*const passes[])(struct walk *, Dwarf_Die *, const struct spot *) = {
		take_plain, take_within, take_behind};
	Dwarf_Die member, its_type;
	struct spot inner;
	size_t i;

	for (i = 0; i < sizeof(passes) / sizeof(*passes) && spot->depth < DEPTH_MAX; i++) {
		bool is_there = dwarf_child(type, &member) == 0;

		for (; is_there && !is_full(walk);
			is_there = dwarf_siblingof(&member, &member) == 0) {
			if (!step_into(spot, &member, &inner) || !debug_type(&member, &its_type))
				continue;
			(*walk->nr_members)++;
			passes[i](walk, &its_type, &inner);
		}
	}
}

int awaited_name(const char **type, int most)
{
	static const char wrap[] = "corotracer::detail::wait<";
	const char *end, *at = *type;

	if (strncmp(at, wrap, sizeof(wrap) - 1) != 0)
		return (int)strnlen(at, (size_t)most);
	*type = at += sizeof(wrap) - 1;
	end = strrchr(at, ',');
	end = end ? end : at + strlen(at);
	while (end > at && (end[-1] == '&' || end[-1] == ' '))
		end--;
	return end - at < most ? (int)(end - at) : most;
}

static bool can_be(Dwarf_Die *type, uint32_t *nr_members, int depth)
{
	Dwarf_Die member, base;
	bool is_there = depth < DEPTH_MAX && dwarf_child(type, &member) == 0;

	for (; is_there && ++*nr_members < MEMBERS_MAX;
		is_there = dwarf_siblingof(&member, &member) == 0) {
		int tag = dwarf_tag(&member);

		if (tag == DW_TAG_subprogram && debug_is_await_suspend(&member))
			return true;
		if (tag == DW_TAG_inheritance && debug_type(&member, &base) &&
			can_be(&base, nr_members, depth + 1))
			return true;
	}
	return false;
}

bool awaited_can_be(Dwarf_Die *type, uint32_t *nr_members)
{
	return debug_is_class(type) && can_be(type, nr_members, 0);
}

static void take_own(struct walk *walk, Dwarf_Die *type)
{
	Dwarf_Die member, base;
	bool is_there = walk->nr_own < OWN_MAX && dwarf_child(type, &member) == 0;

	if (walk->nr_own < OWN_MAX)
		walk->own_classes[walk->nr_own++] = dwarf_dieoffset(type);
	for (; is_there; is_there = dwarf_siblingof(&member, &member) == 0)
		if (dwarf_tag(&member) == DW_TAG_inheritance && debug_type(&member, &base))
			take_own(walk, &base);
}

static bool take(struct walk *walk, Dwarf_Die *class_entry, bool may_follow)
{
	struct spot spot = {.way = walk->awaiter->way, .may_follow = may_follow};
	struct code_field *fields;

	take_own(walk, class_entry);
	walk_class(walk, class_entry, &spot);
	if (walk->is_out_of_memory)
		return false;
	fields = arena_array(walk->names->arena, walk->count + 1, sizeof(*fields));
	if (!fields)
		return false;
	memcpy(fields, walk->fields, walk->count * sizeof(*fields));
	walk->awaiter->fields = fields;
	walk->awaiter->nr_fields = walk->count;
	return true;
}

/* The awaiter that a probe's own one is around (cpp_wait.h), or what that one awaits, if that is its own awaiter. */
static bool find_held(struct walk *walk, Dwarf_Die *class_entry, Dwarf_Die *ret_class)
{
	struct code_way *way = &walk->awaiter->way;
	Dwarf_Die held, target;
	uint32_t at, within;

	if (strncmp(class_name_of(walk, class_entry), "corotracer::detail::", 20) != 0 ||
		!find_member(walk, class_entry, "held_", 0, &at, &held) ||
		(!find_member(walk, &held, "awaiter_", 0, &within, ret_class) &&
			!find_member(walk, &held, "awaitable_", 0, &within, ret_class)))
		return false;
	way->offset += at + within;
	if (!debug_is_pointer(ret_class))
		return debug_is_class(ret_class);
	if (way->nr_steps == CODE_STEPS_MAX || !debug_type(ret_class, &target) ||
		!debug_is_class(&target))
		return false;
	way->steps[way->nr_steps++] = way->offset;
	way->offset = 0;
	*ret_class = target;
	take_object(walk, &target, way);
	return true;
}

bool awaited_take(struct class_names *names, struct code_awaiter *awaiter, Dwarf_Die *class_entry,
	uint32_t *nr_members)
{
	struct walk walk = {.names = names, .nr_members = nr_members, .awaiter = awaiter};
	struct code_way way = awaiter->way;
	Dwarf_Die held;

	if (find_held(&walk, class_entry, &held))
		return take(&walk, &held, true);
	awaiter->way = way;
	return take(&walk, class_entry, true);
}

bool awaited_take_alone(struct class_names *names, struct code_awaiter *object,
	Dwarf_Die *class_entry, uint32_t *nr_members)
{
	struct walk walk = {.names = names, .nr_members = nr_members, .awaiter = object};

	return take(&walk, class_entry, false);
}

/* ---------------------------------------------------------------- values */

/* Follows the way; 0: a pointer on it leads nowhere. */
static uint64_t address_of(const struct code_way *way, const struct image *image, uint64_t frame)
{
	uint64_t address = frame;
	uint32_t i;

	for (i = 0; i < way->nr_steps; i++)
		if (!image_read_word(image, address + way->steps[i], &address) || address == 0)
			return 0;
	return address + way->offset;
}

/* Elements between two iterators of a deque, whose nodes are full but for the first and the last. */
static uint64_t deque_size(const uint64_t *start, const uint64_t *finish, uint32_t element_bytes)
{
	uint64_t each = element_bytes < DEQUE_NODE_BYTES ? DEQUE_NODE_BYTES / element_bytes : 1;
	uint64_t nodes = (finish[3] - start[3]) / sizeof(uint64_t);

	if (nodes == 0)
		return (finish[0] - start[0]) / element_bytes;
	return (nodes - 1) * each + (finish[0] - finish[1]) / element_bytes +
	       (start[2] - start[0]) / element_bytes;
}

static bool measure(const struct code_field *field, const struct image *image, uint64_t address,
	uint64_t *ret_word)
{
	size_t nr_words = field->measure == CODE_MEASURE_DEQUE ? DEQUE_WORDS : 1;
	size_t nr_bytes = nr_words * sizeof(uint64_t);
	uint64_t start[DEQUE_WORDS], finish[DEQUE_WORDS];

	if (image_read(image, address, start, nr_bytes) != nr_bytes ||
		image_read(image, address + field->end, finish, nr_bytes) != nr_bytes)
		return false;
	/* The program may be in the middle of a change. */
	if (field->measure == CODE_MEASURE_DEQUE
			? finish[3] < start[3] || (finish[3] == start[3] && finish[0] < start[0])
			: finish[0] < start[0])
		return false;
	*ret_word = field->measure == CODE_MEASURE_DEQUE
			    ? deque_size(start, finish, field->element_bytes)
			    : (finish[0] - start[0]) / field->element_bytes;
	return true;
}

static bool read_field(const struct code_field *field, const struct image *image, uint64_t frame,
	uint64_t *ret_word)
{
	uint64_t address = address_of(&field->way, image, frame);

	*ret_word = 0;
	if (address == 0)
		return false;
	if (field->measure != CODE_MEASURE_VALUE)
		return measure(field, image, address, ret_word);
	return image_read(image, address, ret_word, field->value.bytes) == field->value.bytes;
}

/* Does the way lead into the object to which the awaiter leads? */
static bool is_within_object(const struct code_awaiter *awaiter, const struct code_field *field)
{
	const struct code_way *object = &awaiter->object;

	return awaiter->object_type && field->way.nr_steps == object->nr_steps &&
	       memcmp(field->way.steps, object->steps, object->nr_steps * sizeof(*object->steps)) ==
		       0;
}

void awaited_tell(const struct code_awaiter *awaiter, const struct image *image, uint64_t frame,
	bool is_of_object, awaited_say_memory *say, void *context, struct text *text)
{
	size_t start = text->length;
	uint64_t word;
	uint32_t i;

	for (i = 0; i < awaiter->nr_fields && text->length - start < TEXT_MAX_BYTES; i++) {
		const struct code_field *field = &awaiter->fields[i];

		if ((is_of_object && !is_within_object(awaiter, field)) ||
			!read_field(field, image, frame, &word))
			continue;
		text_format(text, "%s%s = ", text->length > start ? ", " : "", field->value.name);
		value_add(text, &field->value, word);
		if (say && field->value.form == CODE_FORM_POINTER && word != 0)
			say(context, word, text);
	}
}

uint64_t awaited_object(
	const struct code_awaiter *awaiter, const struct image *image, uint64_t frame)
{
	return awaiter->object_type ? address_of(&awaiter->object, image, frame) : 0;
}
