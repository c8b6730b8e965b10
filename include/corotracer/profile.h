/* SPDX-License-Identifier: MIT */
/*
 * Profiles of a trace: how often, and for how long, coroutines waited, were ready or ran, by place and by awaiting
 * coroutine. A part of ct.h.
 *
 * The stack of a sample begins with the place where a coroutine waits, or from which it runs, with the functions into
 * which that place was inlined. If the trace has call stacks, it begins with the calls that led to the place; for a
 * ready coroutine, with the calls that led its waker to the wake, or with its own if it was not woken. Then follow the
 * places of the coroutines that awaited it when the sample's time began, as far as the trace shows them. All samples of
 * a profile add up to the times that the statistics (report.h) have, plus those of the runtime's own coroutines, unless
 * parts are left out.
 */
#ifndef COROTRACER_PROFILE_H
#define COROTRACER_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "corotracer/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The table uses the macro X: a caller's own X is saved here and restored after the table. */
#pragma push_macro("X")
#undef X

enum ct_profile {
#define X(name, text, state, meaning) CT_PROFILE_##name,
#include "corotracer/def/profiles.def"
#undef X
	CT_NR_PROFILES,
};

#pragma pop_macro("X")

/*
 * ct_profile_name, ct_profile_meaning: return the name and the meaning of a profile; never NULL; "unknown" for a number
 * that is not listed.
 */
const char *ct_profile_name(enum ct_profile profile);
const char *ct_profile_meaning(enum ct_profile profile);

enum ct_profile_format {
	CT_PROFILE_PPROF = 0, /* profile.proto, gzip: sample types count and nanoseconds */
	/* one stack a line, outermost call first, and its nanoseconds: for flame graph tools */
	CT_PROFILE_FOLDED,
	/* a flame graph in one file that refers to nothing outside of itself */
	CT_PROFILE_SVG,
	CT_PROFILE_SPEEDSCOPE, /* JSON for https://www.speedscope.app */
};

struct ct_profile_options {
	size_t size;
	enum ct_profile profile;
	enum ct_profile_format format;
	bool by_place; /* stacks end with the place: awaiting coroutines are left out */
	/*
	 * Leave out what began before the observation or before a coroutine's first run in it, and what goes on at the
	 * end.
	 */
	bool only_ended;
};

struct ct_trace;

/*
 * ct_profile_write: reads the whole trace, and writes a profile of it to a file, whole or not at all; "-" is standard
 * output. CT_ERR_USAGE: there is no such profile or format.
 */
enum ct_status ct_profile_write(struct ct_trace *trace, const struct ct_profile_options *options,
	const char *path, struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
