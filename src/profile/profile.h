/* SPDX-License-Identifier: MIT */
/*
 * Profiles: how much time coroutines spent at each place, by the stack of their awaiters, and the formats of a profile.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/text.h"
#include "corotracer/profile.h"
#include "stream/stream.h"

/*
 * profile_write: reads the source from its first event on, and appends the profile to `text`. All options must be
 * filled in. CT_ERR_USAGE: there is no such profile or format.
 */
enum ct_status profile_write(struct ct_source *source, const struct ct_profile_options *options,
	struct text *text, struct ct_error *reterr);

#endif
