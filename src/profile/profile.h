/* SPDX-License-Identifier: MIT */
/*
 * Profiles: the time of coroutines by the place where it passed and by who awaited them, and the forms in which that is
 * written.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/text.h"
#include "corotracer/profile.h"
#include "stream/stream.h"

/*
 * profile_write: reads the source from its first event on, and appends the profile to `text`; the options are complete.
 * CT_ERR_USAGE: there is no such profile or format.
 */
enum ct_status profile_write(struct ct_source *source, const struct ct_profile_options *options,
	struct text *text, struct ct_error *reterr);

#endif
