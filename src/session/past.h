/* SPDX-License-Identifier: MIT */
/* A program's memory together with what its own flight recorder kept in it. */
#ifndef SESSION_PAST_H
#define SESSION_PAST_H

#include "corotracer/ct.h"
#include "frames/frames.h"

/*
 * past_open_core: does what frames_source_open does for a core dump, which is called `name` in messages, with the
 * flight recorder that is in it. If nothing can be read of that, the tables' notes say why.
 */
enum ct_status past_open_core(struct image *image, const char *name, struct ct_source **ret_source,
	struct ct_error *reterr);

/*
 * past_recover: writes what past_open_core opens as a trace, as ct_flight_recover does, and takes over the input.
 * CT_ERR_NOT_FOUND: the core dump has no flight recorder that could be read.
 */
enum ct_status past_recover(struct input *core, int pack_level, const char *output,
	struct ct_flight_recovered *ret_stats, struct ct_error *reterr);

#endif
