/* SPDX-License-Identifier: MIT */
/*
 * A profile from a source to a text.
 */
#include "base/failure.h"
#include "profile/stacks.h"

void profile_say_amount(struct text *text, const struct profile *profile, int64_t amount)
{
	if (!profile_is_of_samples(profile)) {
		text_duration(text, amount);
		return;
	}
	text_count(text, (uint64_t)amount);
	text_add(text, amount == 1 ? " sample" : " samples");
}

static enum ct_status write_form(
	struct text *text, const struct profile *profile, struct ct_error *reterr)
{
	switch (profile->options.format) {
	case CT_PROFILE_PPROF:
		profile_write_pprof(text, profile);
		break;
	case CT_PROFILE_FOLDED:
		profile_write_folded(text, profile);
		break;
	case CT_PROFILE_SPEEDSCOPE:
		profile_write_speedscope(text, profile);
		break;
	case CT_PROFILE_SVG:
		profile_write_svg(text, profile);
		break;
	default:
		return ct_fail(reterr, CT_ERR_USAGE, "there is no profile format %d",
			(int)profile->options.format);
	}
	return text_status(text, reterr);
}

enum ct_status profile_write(struct ct_source *source, const struct ct_profile_options *options,
	struct text *text, struct ct_error *reterr)
{
	struct profile profile = {.tables = source->tables, .options = *options};
	enum ct_status status;

	if ((unsigned)options->profile >= CT_NR_PROFILES)
		return ct_fail(
			reterr, CT_ERR_USAGE, "there is no profile %d", (int)options->profile);
	arena_init(&profile.arena);
	status = profile_stacks_init(&profile.stacks) ? profile_read(&profile, source, reterr)
						      : ct_fail_memory(reterr);
	if (status == CT_OK)
		status = write_form(text, &profile, reterr);
	profile_stacks_fini(&profile.stacks);
	arena_fini(&profile.arena);
	return status;
}

const char *ct_profile_name(enum ct_profile profile)
{
	static const char *const names[] = {
#define X(name, text, state, meaning) text,
#include "corotracer/def/profiles.def"
#undef X
	};

	return (unsigned)profile < CT_NR_PROFILES ? names[profile] : "unknown";
}

const char *ct_profile_meaning(enum ct_profile profile)
{
	static const char *const meanings[] = {
#define X(name, text, state, meaning) meaning,
#include "corotracer/def/profiles.def"
#undef X
	};

	return (unsigned)profile < CT_NR_PROFILES ? meanings[profile] : "unknown";
}
