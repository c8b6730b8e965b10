/* SPDX-License-Identifier: MIT */
/*
 * The coroutine functions of C++20 in a program: which code a frame's two pointers lead to, how the function's frames
 * are laid out, and at which places it suspends.
 *
 * Both compilers begin a frame with a pointer to the function that resumes and one to the function that destroys it.
 * GCC calls them NAME.actor and NAME.destroy, clang NAME.resume and NAME.destroy, or NAME.cleanup for a frame that lies
 * in its caller's. When a coroutine suspends, it stores the number of the place, its index, into the frame. The debug
 * information says where: `_Coro_resume_index` of GCC, `__coro_index` of clang.
 */
#ifndef FRAMES_CODE_H
#define FRAMES_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "frames/debug_types.h"
#include "frames/modules.h"

#define CODE_NO_OFFSET UINT32_MAX

/* A way from a frame to a number: an offset in the frame; or a pointer there, and an offset in what it leads to. */
struct code_path {
	uint32_t offset;
	uint32_t behind; /* CODE_NO_OFFSET: the number is in the frame itself */
};

enum code_form {
	CODE_FORM_SIGNED,
	CODE_FORM_UNSIGNED,
	CODE_FORM_BOOL,
	CODE_FORM_FLOAT,
	CODE_FORM_POINTER,
	CODE_FORM_ENUMERATION,
	CODE_FORM_TEXT,        /* an object that has the address of characters, and their number */
	CODE_FORM_TEXT_BEHIND, /* a reference to one */
};

struct code_enumerator {
	const char *name;
	int64_t value;
};

/* A value that can be said in a word (value.h), such as an argument that the frame keeps (given.h). */
struct code_value {
	const char *name;
	uint32_t offset;
	uint32_t bytes; /* at most eight */
	enum code_form form;
	const struct code_enumerator *enumerators;
	uint32_t nr_enumerators;
	uint32_t characters; /* of a text: where the object has the address of its characters */
	uint32_t length;     /* and how many bytes they have */
};

enum code_measure {
	CODE_MEASURE_VALUE,  /* the value itself */
	CODE_MEASURE_VECTOR, /* the elements between two pointers */
	CODE_MEASURE_DEQUE,  /* those between two iterators of std::deque */
};

/* A way from a frame to an address: the pointers to follow, each by its offset in what the one before leads to. */
#define CODE_STEPS_MAX 2u
struct code_way {
	uint32_t steps[CODE_STEPS_MAX];
	uint32_t nr_steps;
	uint32_t offset; /* in what the last one leads to, or in the frame */
};

/* A member of what a coroutine awaits (awaited.h). */
struct code_field {
	struct code_value value; /* its name says the way: "channel->closed" */
	struct code_way way;
	enum code_measure measure;
	uint32_t end;           /* what is measured ends so many bytes behind its start */
	uint32_t element_bytes; /* of what is measured */
};

/* An object in a frame on which a coroutine awaits. */
struct code_awaiter {
	const char *type;
	uint32_t
		number; /* of GCC: which place it belongs to, from 0; CODE_NO_OFFSET: its type tells */
	uint32_t offset;
	uint32_t bytes;      /* that the frame has of it; 0: it is somewhere else */
	bool has_descriptor; /* a member is called as descriptors are: */
	struct code_path descriptor;
	struct code_way way;     /* to the awaiter, wherever it is */
	const char *object_type; /* class of the object to which it leads; NULL: to none */
	struct code_way object;
	const struct code_field *fields;
	uint32_t nr_fields;
};

/* A place at which the function suspends. Texts are "" if not known. */
struct code_point {
	uint64_t index;
	const char *file;
	uint32_t line;
	/* further lines that have the same index: the compiler merged places that are alike */
	uint32_t others[3];
	bool is_initial;     /* before the first statement */
	const char *awaiter; /* type of what is awaited */
	uint32_t awaiter_at; /* index into the function's awaiters; CODE_NO_OFFSET: not known */
	/* where code stores the index, and where it calls await_suspend: addresses; 0: not known, or several */
	bool has_code;
	uint64_t store;
	uint64_t await;
	uint64_t locals; /* a bit for each of the function's locals that is in use here */
};

/* An object among the variables of a function, with the arguments. */
struct code_variable {
	const char *name;
	const char *type;
	uint32_t offset;
	uint32_t bytes;
};

#define CODE_LOCALS_MAX 64u

/* Where the frames of a function hold what. */
struct code_shape {
	uint32_t bytes; /* 0: there is no debug information about it */
	uint32_t index_offset;
	uint32_t index_bytes; /* 0: the frame has no index */
	uint64_t index_mask;
	uint32_t
		handle_offset; /* of the frame's own address, which GCC keeps in it; 0: not known */
	uint32_t promise_offset;
	uint32_t promise_bytes;
	uint32_t
		identity_offset; /* of the number by which a probe knows the coroutine; 0: it has none */
	bool is_eager;           /* the promise's initial_suspend never suspends */
	VEC(struct code_value) arguments;
	VEC(struct code_value) locals; /* at most CODE_LOCALS_MAX */
	VEC(struct code_variable) variables;
	VEC(struct code_awaiter) awaiters;
	VEC(struct code_point) points; /* by index */
};

struct code_function {
	uint32_t module;
	const char *symbol; /* without the suffix of the part */
	const char *name;   /* demangled; NULL before code_look_at */
	bool is_gcc;
	uint64_t resume; /* addresses in the module's file */
	uint64_t resume_bytes;
	const char *file; /* where the function is declared; "" */
	uint32_t line;
	bool is_known; /* code_look_at was called */
	/* another function of this name, an index into `functions`; CODE_NO_OFFSET: none */
	uint32_t namesake;
	struct code_shape shape;
};

/* All texts belong to the arena of the image. */
struct code {
	struct image *image;
	const struct modules *modules;
	VEC(struct code_function) functions;
	/* address of a destroying or cleaning part in the image, to an index in `functions` */
	struct map by_destroy;
	struct map by_name; /* hash of module and symbol, to the last function of this name */
	struct class_names names;
	uint64_t lowest; /* all addresses of by_destroy are in between */
	uint64_t highest;
};

/*
 * code_open: finds the coroutine functions of all modules, which outlive `code`. CT_ERR_NO_MEMORY is the only error.
 * code_close: frees what code_open made.
 */
enum ct_status code_open(struct code *code, struct image *image, const struct modules *modules,
	struct ct_error *reterr);
void code_close(struct code *code);

/* code_look_at: reads the function's shape and places from the debug information, once. False: out of memory. */
bool code_look_at(struct code *code, struct code_function *function);

/* code_point_of: returns the place with this index; NULL: none is known. */
const struct code_point *code_point_of(const struct code_function *function, uint64_t index);

#endif
