/* SPDX-License-Identifier: MIT */
/*
 * Objects of CPython in the memory of a program: how they are told apart, and where they hold what.
 *
 * Each object begins with a count of its references and a pointer to its type, and each type is an object, with its
 * name. The type of types is its own type, which is how the interpreter is found, without any symbol. A version is
 * known by the sizes that the interpreter's types tell (python_layouts.def).
 */
#ifndef FRAMES_PYTHON_H
#define FRAMES_PYTHON_H

#include "frames/found.h"

enum python_type {
	PYTHON_OTHER,
#define X(NAME, name, is_static) PYTHON_##NAME,
#include "frames/python_types.def"
#undef X
	PYTHON_NR_TYPES,
};

enum python_height {
	PYTHON_HEIGHT_NUMBER,
	PYTHON_HEIGHT_ADDRESS,
};

struct python_layout {
	const char *version;
	uint32_t coroutine_bytes, task_bytes;
	uint32_t task_state, task_waiter, task_coroutine, task_name;
	uint32_t frame_state, frame;
	int created;
	uint32_t code, instruction, height;
	enum python_height height_form;
	uint32_t locals;
	uint32_t first_line, nr_locals, file, name, lines, instructions;
	uint32_t ascii, characters;
	uint32_t items;
	bool has_signed_sizes; /* of int: the sign is that of the count of digits */
};

#define PYTHON_OBJECT_SIZE \
	16u /* of texts, lists, tuples, deques and dicts: where they have how much is in them */
#define PYTHON_CELL_CONTENT \
	16u /* in a cell, which a variable has that other functions use as well */

/* The word at an offset in bytes that were read. */
static inline uint64_t python_word(const uint8_t *bytes, size_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* What a value of a frame leads to: since 3.14 the lowest bits say how it is counted. */
static inline uint64_t python_value(uint64_t word)
{
	return word & ~UINT64_C(3);
}

/* A type of the program. */
struct python_class {
	uint64_t address;
	uint64_t base;
	uint64_t name; /* address of its name */
	uint64_t bytes;
	uint64_t flags;
	enum python_type type; /* what it is, or is derived from */
};

#define PYTHON_NAMES_MAX 64u /* of a function's variables that are read */

/* A function's code. */
struct python_code {
	const char *name;
	const char *file;
	uint32_t first_line;
	uint32_t nr_locals;
	const char **
		local_names; /* of at most PYTHON_NAMES_MAX; "": not known, or longer than anybody would read */
	uint32_t nr_names;
	uint32_t nr_values; /* most that its frame's stack holds above the locals */
	uint32_t table_bytes;
	const uint8_t *table; /* of lines */
};

struct python {
	struct image *image;
	struct found *found;
	const struct python_layout *layout; /* NULL: not known */
	VEC(struct python_class) classes;
	struct map by_class; /* address, to an index in `classes` */
	uint64_t types[PYTHON_NR_TYPES];
	VEC(struct python_code) codes;
	struct map by_code; /* address, to an index in `codes` */
	bool is_out_of_memory;
};

/* python_types_find: finds the interpreter, its types, and its version. False: there is none, or it has no asyncio. */
bool python_types_find(struct python *python);
void python_fini(struct python *python);

/*
 * python_type_of: what the object is, by its type and those from which that is derived. python_type_at: the same, by
 * the type's address.
 */
enum python_type python_type_of(const struct python *python, uint64_t object);
enum python_type python_type_at(const struct python *python, uint64_t type);

/* python_type_name: writes the name of the object's type; "" if it has none that can be read. */
void python_type_name(const struct python *python, uint64_t object, char *text, size_t nr_bytes);

/*
 * python_text: keeps the text of a str, in UTF-8; "": it is none, or too long. python_text_within: the same, of a str
 * whose first bytes have been read.
 */
const char *python_text(struct python *python, uint64_t object);
const char *python_text_within(
	struct python *python, uint64_t object, const uint8_t *bytes, size_t nr_bytes);

/*
 * python_int_within: the number of an int of which the first PYTHON_INT_BYTES have been read; false: it takes more than
 * 63 bits.
 */
#define PYTHON_INT_BYTES 36
bool python_int_within(const struct python *python, const uint8_t *bytes, int64_t *ret_number);

/* python_code_at: reads a code object, once; NULL: it is none. Valid until the next call. */
const struct python_code *python_code_at(struct python *python, uint64_t address);

/* python_code_line: returns the line of the instruction at this offset in bytes, by a table of Python 3.11 or later. */
uint32_t python_code_line(
	const uint8_t *table, size_t nr_bytes, uint32_t first_line, uint64_t offset);

#endif
