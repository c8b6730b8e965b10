/* SPDX-License-Identifier: MIT */
/*
 * A profile: the tree of stacks, the names of its places, and a function for each format. Private to src/profile.
 */
#ifndef PROFILE_STACKS_H
#define PROFILE_STACKS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/profile.h"

/* ---------------------------------------------------------------- stacks: stacks.c */

/* A place of a stack is a site; with this bit, it is a system call (enum ctp_call). */
#define PROFILE_CALL (UINT32_C(1) << 31)
/* Or why a thread has no processor (off.def). */
#define PROFILE_OFF (UINT32_C(1) << 30)

/* A place; its parent is the place that awaits it, up to the root. Parents come before their children. */
struct profile_stack {
	uint32_t parent; /* 0: the root, which is not a place */
	uint32_t place;
	uint32_t depth;
	uint64_t count;
	int64_t ns; /* in a profile of samples: their number */
};

/*
 * A stack of this many places is not extended, a new one begins: if two places await each other in turn, it would grow
 * without end.
 */
#define PROFILE_DEPTH 64u
#define PROFILE_FRAMES 1024u /* of a call stack: frames further out are left out */

struct profile_stacks {
	VEC(struct profile_stack) all; /* [0] is the root */
	struct map at;                 /* by parent and place */
};

bool profile_stacks_init(struct profile_stacks *stacks);
void profile_stacks_fini(struct profile_stacks *stacks);

/* profile_stacks_find: the stack with this place on top of `parent`; 0: out of memory. */
uint32_t profile_stacks_find(struct profile_stacks *stacks, uint32_t parent, uint32_t place);

/*
 * profile_stacks_call: the same for a frame of a call stack; PROFILE_DEPTH does not apply, because call stacks are
 * finite.
 */
uint32_t profile_stacks_call(struct profile_stacks *stacks, uint32_t parent, uint32_t place);

/* ---------------------------------------------------------------- names: names.c */

/*
 * One function of a place: the innermost one comes first, then the functions into which it was inlined. Texts are safe.
 */
struct profile_line {
	const char *function;
	const char *file; /* "": unknown */
	uint32_t line;
};

struct profile_names {
	const struct profile_line *lines;
	uint32_t nr_lines;
	uint32_t first; /* the first stack that has this place on top */
};

/* profile_names: the functions of a place in words, allocated in the arena. No lines: out of memory. */
struct profile_names profile_names(
	struct arena *arena, const struct ct_tables *tables, uint32_t place);

/* ---------------------------------------------------------------- formats */

/* A profile that was read and is being written. */
struct profile {
	const struct ct_tables *tables;
	struct ct_profile_options options;
	struct profile_stacks stacks;
	struct profile_names *names; /* indexed by stack: the names of its place */
	struct arena arena;
	int64_t total_ns;
	uint64_t nr_lost;
};

/* profile_is_of_samples: does the profile count samples instead of time? */
static inline bool profile_is_of_samples(const struct profile *profile)
{
	return profile->options.profile == CT_PROFILE_SAMPLES;
}

/* profile_say_amount: an amount of the profile in words: "1.2 ms", "31 samples". */
void profile_say_amount(struct text *text, const struct profile *profile, int64_t amount);

/* profile_read: fills in the stacks. */
enum ct_status profile_read(
	struct profile *profile, struct ct_source *source, struct ct_error *reterr);

void profile_write_pprof(struct text *text, const struct profile *profile);
void profile_write_folded(struct text *text, const struct profile *profile);
void profile_write_speedscope(struct text *text, const struct profile *profile);
void profile_write_svg(struct text *text, const struct profile *profile);

/* profile_say_line: a function of a stack in words: "serve (src/server.cpp:120)". */
void profile_say_line(struct text *text, const struct profile_line *line);

/* profile_gzip: appends the bytes as a gzip file (RFC 1952), without compression. */
void profile_gzip(struct text *text, const void *bytes, size_t nr_bytes);

#endif
