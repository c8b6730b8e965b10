/* SPDX-License-Identifier: MIT */
/*
 * The tasks of Rust's libraries (rust_runtimes.def). Each begins with a header, which leads to a table of functions for
 * this type of future; one of them polls it. The symbols name these functions, and their debug information the future's
 * type.
 */
#ifndef FRAMES_RUST_TASKS_H
#define FRAMES_RUST_TASKS_H

#include "frames/found.h"
#include "frames/object_counts.h"
#include "frames/rust_types.h"

enum rust_runtime {
#define X(name, library, module, method, wakers, scope, function, type) RUST_##name,
#include "frames/rust_runtimes.def"
#undef X
	RUST_RUNTIMES
};

/* A type of task. Offsets are from the header on. */
struct rust_kind {
	enum rust_runtime runtime;
	uint64_t poll; /* address of the function in the image */
	uint64_t table;
	Dwarf_Die task;    /* the type that has the name of `rust_runtimes.def` */
	Dwarf_Die future;  /* the type of what it runs */
	uint32_t state;    /* where its header holds its state */
	uint32_t vtable;   /* and the address of the table */
	uint32_t owner;    /* of tokio: and in which list of tasks it is */
	uint32_t in_table; /* where the table has `poll` */
	uint32_t
		layout; /* of async-task: where the table leads to the sizes and offsets of the task */
	uint32_t offset; /* where that says the future lies */
	uint32_t bytes;  /* and how large the task is */
	uint32_t alignment;
	const char *name; /* NULL: debug information has its types; else only this is known of it */
};

struct rust_kinds {
	VEC(struct rust_kind) kinds;
	struct map by_poll;         /* address, to an index in `kinds` */
	struct map by_table;        /* the same */
	struct map by_cloner;       /* functions that clone the waker of a task */
	VEC(uint64_t) waker_tables; /* and where tables begin with one */
	uint32_t nr_without
		[RUST_RUNTIMES]; /* poll functions whose debug information says too little */
	uint64_t lowest;         /* all tables are in between */
	uint64_t highest;
};

/*
 * rust_kinds_is_mangled: may this be a name of Rust's? Asked of each function of each file before anything else:
 * programs in C++ have hundreds of thousands, which the legacy mangling tells apart by the hash at the end, "17h...E".
 */
bool rust_kinds_is_mangled(const char *symbol);

/* rust_kinds_find: finds the types of tasks of all modules. CT_ERR_NO_MEMORY is the only error. */
enum ct_status rust_kinds_find(struct rust_kinds *kinds, const struct image *image,
	const struct modules *modules, struct ct_error *reterr);
void rust_kinds_fini(struct rust_kinds *kinds);

/* rust_kinds_dropped: of which type is what the function at this address drops? False: not known. */
bool rust_kinds_dropped(const struct image *image, const struct modules *modules, uint64_t address,
	Dwarf_Die *ret_type);

/* rust_kinds_polled: of which type is the future that the function at this address polls? False: it polls none. */
bool rust_kinds_polled(const struct image *image, const struct modules *modules, uint64_t address,
	Dwarf_Die *ret_type);

/* A task that awaits an object, as its future leads there. */
struct rust_waiting {
	struct rust_value object;
	uint32_t place;
};

struct rust_objects {
	struct object_counts counts; /* by an index into `waiting` */
	VEC(struct rust_waiting) waiting;
};

/* rust_chain_function: returns the place of what a task runs. */
uint32_t rust_chain_function(struct found *found, const struct rust_value *future);

/*
 * rust_chain_tell: sets place, state and what is waited for of a task that is not over, from its future: the async
 * functions that await one another, and what the innermost one awaits; an object that it leads to is added.
 */
void rust_chain_tell(struct found *found, const struct image *image, const struct modules *modules,
	const struct rust_value *future, struct found_coroutine *coroutine,
	struct rust_objects *objects);

/* rust_holds_link: tells which tasks have a guard of a lock for which others wait. */
void rust_holds_link(struct found *found, const struct image *image);

#endif
