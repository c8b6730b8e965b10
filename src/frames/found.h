/* SPDX-License-Identifier: MIT */
/*
 * What readers find in the memory of a program, in the same words for each runtime: coroutines, their states, and the
 * places where they wait. A reader knows one runtime; source.c tells what was found as events.
 */
#ifndef FRAMES_FOUND_H
#define FRAMES_FOUND_H

#include "base/map.h"
#include "base/text.h"
#include "corotracer/event.h"
#include "frames/calls.h"
#include "frames/modules.h"

#define FOUND_NO_THREAD UINT32_MAX
#define FOUND_SAMPLES 12u
#define FOUND_TOLD 10000u /* coroutines whose awaited objects are told */

enum frame_state {
	FRAME_WAITS,    /* suspended */
	FRAME_IS_READY, /* suspended, and nothing is left to wait for */
	FRAME_RUNS,     /* a thread is in it */
	FRAME_HAS_END,  /* suspended for the last time: it can only be destroyed */
};

/* How a coroutine that waits is woken. */
enum found_knot {
	KNOT_UNKNOWN,
	KNOT_FRAME,  /* by what has an address in its memory */
	KNOT_WAKER,  /* the same, but that of its beginning takes a table of wakers beside it */
	KNOT_OBJECT, /* by what has the address of one of its knots */
};

/* Texts are never NULL, and belong to the arena of what was found, or live longer. */
struct found_place {
	const char *function;
	const char *file;
	uint32_t line;
	/* of code whose file has no debug information: that file, and the offset in it; NULL: none */
	const char *module;
	uint64_t module_offset;
	const char *reason;
	uint32_t form;  /* enum ctp_form */
	uint32_t stack; /* index into the calls: the innermost call of all; 0: not known */
};

struct found_coroutine {
	uint64_t address;
	enum frame_state state;
	bool is_initial;   /* before the first statement */
	bool has_failed;   /* of one that has ended */
	uint32_t function; /* index into the places: what it runs */
	uint32_t
		place; /* where it is; of one that runs: where it was suspended last, unless is_here */
	bool is_here;
	bool is_lasting;  /* of one that runs: all stacks that were taken of its thread say so */
	const char *name; /* "": none of its own */
	const char *variables; /* a sentence: values; NULL: none is known */
	const char *awaits;    /* the same, of what it awaits */
	uint32_t
		thread; /* of one that runs: index into the image's threads, or FOUND_NO_THREAD: not known */
	uint64_t
		awaited; /* address of the coroutine whose end it waits for; 0: none that is known */
	uint64_t object; /* handle of what else it waits for; 0: not known */
	uint64_t bytes;  /* that its frame takes, or what it is kept in; 0: not known */
	bool is_blocking; /* of one that runs: while its thread sleeps, no coroutine can run at all */
	const char *
		callees; /* of one that runs: what it called, in words; NULL: not known, or nothing */
	uint64_t identity; /* by which a probe in the program knows it; 0: none, or not known */
	bool has_probe;    /* a probe in the program would give it one */
	bool is_bare;      /* nothing is known of what it waits for: it may be meant to */
	bool is_frame;     /* of C++: `address` and `bytes` are those of its frame */
	uint64_t content;  /* the same at two looks: it may not have moved */
	enum found_knot knot;
	bool is_unreached; /* nothing that can run leads to what could wake it */
};

/*
 * An address that belongs to a coroutine: of memory besides its own that it alone has, or, as a knot, of an object by
 * which it can be woken.
 */
struct found_part {
	uint64_t coroutine; /* its address */
	uint64_t address;
};

/* A coroutine has something that others wait for. */
struct found_holding {
	uint32_t coroutine; /* index */
	uint64_t object;    /* handle */
	uint32_t place;     /* of the function that has it */
};

/* A variable of a coroutine, or, without a name, what it awaits. */
struct found_variable {
	uint64_t coroutine; /* its address */
	const char *name;
	const char *type;
	uint64_t address;
	uint64_t bytes;
	uint32_t place; /* of the function that has it */
};

/* What a thread of the image is in. */
struct found_thread {
	uint64_t tid;
	bool runs;
	bool sleeps;
	bool has_account; /* what the kernel counts */
	struct procfs_account account;
	uint64_t first;     /* its stack pointer */
	uint32_t place;     /* the innermost own one, with the calls as its stack */
	struct calls calls; /* none: they are not known */
	uint32_t
		samples[FOUND_SAMPLES]; /* of one that runs: such places, some milliseconds apart */
	uint32_t nr_samples;
};

enum found_python_type {
	FOUND_OTHER,
	FOUND_LIST,
	FOUND_DEQUE,
	FOUND_WEAK,
	FOUND_COROUTINE,
};

/* Where a thread of Python has the frames of its functions. */
struct found_python_stack {
	uint64_t start;
	uint64_t top; /* behind the last one */
	uint64_t end;
	uint32_t thread; /* index, or FOUND_NO_THREAD */
};

/* What has to be known of an interpreter to follow its memory. Offsets are as in its coroutines. */
struct found_python {
	struct map
		types; /* address, to an enum found_python_type; empty: there is no interpreter */
	uint32_t state;
	uint32_t frame;
	uint32_t height;  /* from the frame on */
	bool has_address; /* the height is the address of its end */
	uint32_t locals;  /* the same */
	VEC(struct found_python_stack) stacks;
};

struct found_note {
	uint64_t count;
	bool is_left_out;
	const char *text;
};

struct found {
	struct arena *arena;
	VEC(struct found_place) places; /* the first stands for none */
	VEC(struct ct_stack) calls; /* of sites that are such places; the first stands for none */
	struct map by_key;          /* places */
	struct map by_call;         /* calls: place << 32 | caller */
	VEC(struct found_coroutine) coroutines;
	struct map by_address;
	VEC(struct found_holding) holdings;
	VEC(struct found_part) parts;
	VEC(struct found_part) knots;
	VEC(struct found_variable) variables;
	struct map waker_tables; /* addresses */
	struct found_python python;
	VEC(struct found_thread)
	threads; /* by their index in the image; some may be missing at the end */
	VEC(struct found_note) notes;
	VEC(const char *) sights;
	bool is_moving;   /* the program runs on while its memory is read */
	bool is_by_probe; /* sentences name coroutines by the numbers that a probe gave them */
	bool has_stacks;  /* sights say what threads are in: worth a report without coroutines */
	bool is_out_of_memory;
};

/* found_init: starts with nothing; texts are kept in the arena. found_fini: frees all but the arena. */
void found_init(struct found *found, struct arena *arena);
void found_fini(struct found *found);

/* found_text: keeps a text; "" if out of memory, which is noted in `found`, as by the functions below. */
const char *found_text(struct found *found, const char *text);

/*
 * found_place_say: appends "server.cpp:120" or, of a program without debug information, "server+0x1532".
 *
 * found_locals_add: appends the values of a function's variables, unless there are none: "locals of serve: id = 3", and
 * "; of fetch: attempt = 0" behind those of another one.
 */
void found_place_say(struct text *words, const struct found_place *place);
void found_locals_add(struct text *words, const char *function, const char *values);

/*
 * found_words: keeps words if something was added to their beginning, of so many bytes, and frees them; NULL: nothing
 * was. found_words_sight: does the same as a sight.
 */
const char *found_words(struct found *found, struct text *words, size_t beginning);
void found_words_sight(struct found *found, struct text *words, size_t beginning);

/* found_has_place: is there a place with this key? found_place: adds it, if there is none; returns its index. */
bool found_has_place(const struct found *found, uint64_t key, uint32_t *ret_index);
uint32_t found_place(struct found *found, uint64_t key, const struct found_place *place);

/* found_call: adds a call at a place, with its caller, which is a call or 0, if it is not there; returns its index. */
uint32_t found_call(struct found *found, uint32_t place, uint32_t caller);

/* found_coroutine: adds one; a second one at the same address is left out. */
void found_coroutine(struct found *found, const struct found_coroutine *coroutine);

/*
 * found_who: writes how sentences name a coroutine: "coroutine 7", or "a coroutine", if sentences are for a trace in
 * which its number is not known; returns `words`.
 */
#define FOUND_WHO_BYTES 40u
const char *found_who(const struct found *found, size_t index, char words[FOUND_WHO_BYTES]);

/* found_note: adds a note for the report's data quality, unless the count is 0. The text is copied. */
void found_note(struct found *found, uint64_t count, bool is_left_out, const char *text);

/* found_sight: adds a sentence about what was seen beside the coroutines. The text is copied. */
void found_sight(struct found *found, const char *text);

/*
 * found_thread_at: returns what a thread is in; NULL: not known. found_thread_is_in: is the thread in the function with
 * this code, and can a word of its stack at this address belong to that function, or to one that it called?
 * found_thread_by: the thread with this id, which is looked for first at `index`; NULL: there is none.
 * found_thread_runs: was it running? found_thread_rested: has the thread, by its index at the earlier look and now,
 * slept all the time in between? Then it is where it was. False: not known.
 * found_thread_holds: has each of the stacks that were taken of the thread this word? False: there are none.
 */
const struct found_thread *found_thread_at(const struct found *found, uint32_t thread);
bool found_thread_is_in(
	const struct found_thread *thread, uint64_t start, uint64_t bytes, uint64_t word_at);
bool found_thread_holds(const struct image_thread *thread, uint64_t word);
const struct found_thread *found_thread_by(const struct found *found, uint32_t index, uint64_t tid);
bool found_thread_runs(const struct found *found, uint32_t index, uint64_t tid);
bool found_thread_rested(
	const struct found *before, uint32_t then, const struct found *found, uint32_t now);

/* A runtime whose coroutines can be found. */
struct found_reader;
struct found_reader_ops {
	/*
	 * open: prepares for an image, which outlives the reader, as its modules do. look: adds what is in the image,
	 * which is the same or a later one of the same program. CT_ERR_UNSUPPORTED and CT_ERR_NO_MEMORY are the only
	 * errors.
	 */
	enum ct_status (*open)(struct image *image, const struct modules *modules,
		struct found_reader **ret_reader, struct ct_error *reterr);
	enum ct_status (*look)(struct found_reader *reader, struct image *image,
		struct found *found, struct ct_error *reterr);
	/*
	 * why_not: writes a sentence about the program, in which nothing was found. CT_ERR_NOT_FOUND: nothing is alive;
	 * CT_ERR_FORMAT: what is there cannot be read. CT_OK: nothing is written, as it has not this runtime.
	 */
	enum ct_status (*why_not)(const struct found_reader *reader, char *words, size_t nr_bytes);
	void (*close)(struct found_reader *reader);
};

/* found_threads is the first of all: it finds what the threads are in, and no coroutine. */
extern const struct found_reader_ops found_threads, found_cpp, found_rust, found_python,
	found_stackful;

#endif
