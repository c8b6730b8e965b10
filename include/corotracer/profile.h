/* SPDX-License-Identifier: MIT */
/*
 * Profiles of a trace: how often, and for how long, coroutines waited, were ready or ran, by place and by who awaits
 * whom. A part of ct.h.
 *
 * The stack of a sample is the place where a coroutine waits, or runs from, with the functions that it was inlined
 * into; or, where the trace has call stacks, the calls that led there (of one that is ready: that led its waker there;
 * where nobody woke it, its own). Then, as far as the trace tells, come the places of the coroutines that await it, as
 * it was when the time began. All samples of a profile add up to what statistics (report.h) tell of the same, and of
 * coroutines that the runtime has for itself, unless parts are left out.
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

/* The tables' macros: who includes this has its own back behind them. */
#pragma push_macro("X")
#undef X

enum ct_profile {
#define X(name, text, state, meaning) CT_PROFILE_##name,
#include "corotracer/def/profiles.def"
#undef X
	CT_NR_PROFILES,
};

#pragma pop_macro("X")

/* ct_profile_name, ct_profile_meaning: never NULL; "unknown" for a number not listed. */
const char *ct_profile_name(enum ct_profile profile);
const char *ct_profile_meaning(enum ct_profile profile);

enum ct_profile_format {
	CT_PROFILE_PPROF = 0, /* profile.proto, gzip: sample types count and nanoseconds */
	CT_PROFILE_FOLDED, /* a stack a line, outermost first, and its nanoseconds: for flame graph tools */
	CT_PROFILE_SVG,        /* a flame graph in one file that refers to nothing outside itself */
	CT_PROFILE_SPEEDSCOPE, /* JSON for https://www.speedscope.app */
};

struct ct_profile_options {
	size_t size;
	enum ct_profile profile;
	enum ct_profile_format format;
	bool by_place; /* stacks end with the place: who awaits whom is left out */
	/* What began before the observation, or before a coroutine's first run in it, or goes on, is left out. */
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
