/* SPDX-License-Identifier: MIT */
/* Matching places and names with patterns. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>

#include "stages/filter_parts.h"

#define PLACE_BYTES 1280

void filter_patterns_fini(struct patterns *patterns)
{
	char **at;

	for (at = patterns->at; at && *at; at++)
		free(*at);
	free(patterns->at);
	patterns->at = NULL;
}

bool filter_patterns_copy(struct patterns *to, const char *const *from)
{
	size_t count = 0, i;

	to->at = NULL;
	if (!from || !from[0])
		return true;
	while (from[count])
		count++;
	to->at = calloc(count + 1, sizeof(*to->at));
	for (i = 0; to->at && i < count; i++) {
		to->at[i] = strdup(from[i]);
		if (!to->at[i])
			return false;
	}
	return to->at != NULL;
}

static bool matches(const struct patterns *patterns, const char *text)
{
	char **at;

	if (!text || !*text)
		return false;
	for (at = patterns->at; at && *at; at++)
		if (fnmatch(*at, text, 0) == 0)
			return true;
	return false;
}

static const char *file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static bool is_place(const struct filter *filter, const struct ct_define_site *site)
{
	const char *file = file_name(site->file);
	char place[PLACE_BYTES];

	if (!filter->sites.at)
		return false;
	snprintf(place, sizeof(place), "%s:%" PRIu32, file ? file : "", site->line);
	return matches(&filter->sites, site->function) || matches(&filter->sites, file) ||
	       matches(&filter->sites, place) || matches(&filter->sites, site->reason);
}

bool filter_match_site(struct filter *filter, const struct ct_define_site *site)
{
	struct filter_segment *segment;
	uint8_t match = 0;

	if (!filter->has_coros || site->segment >= filter->segments.count ||
		site->id >= CTP_SITE_MAX)
		return true;
	segment = &filter->segments.at[site->segment];
	match |= is_place(filter, site) ? SITE_IS_PLACE : 0;
	match |= matches(&filter->names, site->reason) ? SITE_IS_NAME : 0;
	match |= matches(&filter->tasks, site->reason) ? SITE_IS_TASK : 0;
	if (!vec_reach(&segment->sites, site->id))
		return false;
	segment->sites.at[site->id] = match;
	return true;
}
