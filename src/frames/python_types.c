/* SPDX-License-Identifier: MIT */
/* Finds an interpreter of Python by its types (python.h). */
#include <stdio.h>
#include <stdlib.h>

#include "frames/python.h"
#include "frames/walk.h"

#define WORD sizeof(uint64_t)
#define CLASSES_MAX 4194304u
#define NAME_MAX_BYTES 64
#define DERIVED_MAX 64 /* steps from a type to one that is known */

/* PyTypeObject, which has been the same since Python 3.9 */
#define CLASS_TYPE 8
#define CLASS_NAME 24
#define CLASS_BYTES 32
#define CLASS_FLAGS 168
#define CLASS_BASE 256
#define CLASS_READ_BYTES 264
#define IS_MADE_WHILE_RUNNING (UINT64_C(1) << 9)
#define IS_READY (UINT64_C(1) << 12)

static const struct {
	const char *name;
	bool is_static;
} known[PYTHON_NR_TYPES] = {
	{"", false},
#define X(NAME, name, is_static) {name, is_static},
#include "frames/python_types.def"
#undef X
};

static const struct python_layout layouts[] = {
#define X(...) {__VA_ARGS__},
#include "frames/python_layouts.def"
#undef X
};

/* ---------------------------------------------------------------- the type of types */

static void read_text(const struct image *image, uint64_t address, char text[NAME_MAX_BYTES])
{
	size_t nr_read = image_read(image, address, text, NAME_MAX_BYTES - 1);

	text[nr_read] = '\0';
}

static bool is_called(const struct image *image, uint64_t address, const char *name)
{
	char text[NAME_MAX_BYTES];

	read_text(image, address, text);
	return strcmp(text, name) == 0;
}

static bool look_for_type(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct python *python = context;
	size_t i;

	(void)is_stack;
	for (i = 1; i + 2 < count && !python->types[PYTHON_TYPE]; i++) {
		uint64_t object = address + (i - 1) * WORD;

		if (words[i] == object && is_called(python->image, words[i + 2], "type"))
			python->types[PYTHON_TYPE] = object;
	}
	return true;
}

/* ---------------------------------------------------------------- all types */

static enum python_type known_type(const struct image *image, const struct python_class *class)
{
	bool is_static = !(class->flags & IS_MADE_WHILE_RUNNING);
	char text[NAME_MAX_BYTES];
	size_t i;

	read_text(image, class->name, text);
	for (i = 1; i < PYTHON_NR_TYPES; i++)
		if (strcmp(text, known[i].name) == 0 && (is_static || !known[i].is_static))
			return (enum python_type)i;
	return PYTHON_OTHER;
}

static bool take_class(struct python *python, uint64_t address)
{
	uint8_t bytes[CLASS_READ_BYTES];
	struct python_class class = {.address = address};

	if (python->classes.count == CLASSES_MAX ||
		image_read(python->image, address, bytes, sizeof(bytes)) != sizeof(bytes))
		return true;
	class.name = python_word(bytes, CLASS_NAME);
	class.bytes = python_word(bytes, CLASS_BYTES);
	class.flags = python_word(bytes, CLASS_FLAGS);
	class.base = python_word(bytes, CLASS_BASE);
	if (!(class.flags & IS_READY) ||
		python_word(bytes, CLASS_TYPE) != python->types[PYTHON_TYPE])
		return true;
	class.type = known_type(python->image, &class);
	if (class.type && !python->types[class.type])
		python->types[class.type] = address;
	return map_put(&python->by_class, address, (uint32_t)python->classes.count) &&
	       vec_push(&python->classes, class);
}

/* A count of references is in front of the pointer to the type; free objects have none. */
static bool look_for_classes(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct python *python = context;
	uint64_t type = python->types[PYTHON_TYPE];
	size_t i;

	for (i = 1; i < count && !is_stack; i++)
		if (words[i] == type && words[i - 1] != 0 &&
			!take_class(python, address + (i - 1) * WORD))
			return false;
	return true;
}

static const struct python_class *class_at(const struct python *python, uint64_t address)
{
	uint32_t index;

	return map_get(&python->by_class, address, &index) ? &python->classes.at[index] : NULL;
}

static enum python_type derived_from(const struct python *python, const struct python_class *class)
{
	int steps;

	for (steps = 0; class && class->type == PYTHON_OTHER && steps < DERIVED_MAX; steps++)
		class = class_at(python, class->base);
	return class ? class->type : PYTHON_OTHER;
}

/* ---------------------------------------------------------------- the version */

static uint64_t bytes_of(const struct python *python, enum python_type type)
{
	const struct python_class *class = class_at(python, python->types[type]);

	return class ? class->bytes : 0;
}

static const struct python_layout *find_layout(const struct python *python)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].coroutine_bytes == bytes_of(python, PYTHON_COROUTINE) &&
			layouts[i].task_bytes == bytes_of(python, PYTHON_TASK))
			return &layouts[i];
	return NULL;
}

/* ---------------------------------------------------------------- for readers */

bool python_types_find(struct python *python)
{
	struct walk first = {.take = look_for_type, .context = python, .is_of_files = true};
	struct walk all = {.take = look_for_classes, .context = python};
	size_t i;

	python->is_out_of_memory = !walk_memory(&first, python->image);
	if (python->is_out_of_memory || !python->types[PYTHON_TYPE])
		return false;
	python->is_out_of_memory = !walk_memory(&all, python->image);
	for (i = 0; i < python->classes.count; i++)
		python->classes.at[i].type = derived_from(python, &python->classes.at[i]);
	python->layout = find_layout(python);
	return !python->is_out_of_memory && python->types[PYTHON_TASK] != 0;
}

void python_fini(struct python *python)
{
	vec_fini(&python->classes);
	vec_fini(&python->codes);
	map_fini(&python->by_class);
	map_fini(&python->by_code);
}

enum python_type python_type_at(const struct python *python, uint64_t type)
{
	const struct python_class *class = class_at(python, type);

	return class ? class->type : PYTHON_OTHER;
}

enum python_type python_type_of(const struct python *python, uint64_t object)
{
	uint64_t type;

	if (!object || !image_read_word(python->image, object + CLASS_TYPE, &type))
		return PYTHON_OTHER;
	return python_type_at(python, type);
}

void python_type_name(const struct python *python, uint64_t object, char *text, size_t nr_bytes)
{
	const struct python_class *class;
	char name[NAME_MAX_BYTES] = "";
	uint64_t address;

	if (image_read_word(python->image, object + CLASS_TYPE, &address)) {
		class = class_at(python, address);
		if (class)
			read_text(python->image, class->name, name);
	}
	snprintf(text, nr_bytes, "%s", name);
}
