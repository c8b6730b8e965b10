/* SPDX-License-Identifier: MIT */
/* Names of the keys by which statistics can be divided and sorted (breakdowns.def). */
#include <string.h>

#include "corotracer/ct.h"

static const char *const names_of_by[CT_NR_BY] = {
	[CT_BY_NONE] = "nothing",
#define B(name, text, meaning) [CT_BY_##name] = text,
#define S(name, text, meaning)
#include "corotracer/def/breakdowns.def"
#undef B
#undef S
};

static const char *const names_of_sort[CT_NR_SORT] = {
#define B(name, text, meaning)
#define S(name, text, meaning) [CT_SORT_##name] = text,
#include "corotracer/def/breakdowns.def"
#undef B
#undef S
};

static unsigned find(const char *const *names, unsigned nr_names, const char *name)
{
	unsigned i;

	for (i = 0; i < nr_names; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return 0;
}

const char *ct_by_name(enum ct_by by)
{
	return (unsigned)by < CT_NR_BY ? names_of_by[by] : names_of_by[CT_BY_NONE];
}

enum ct_by ct_by_find(const char *name)
{
	return (enum ct_by)find(names_of_by, CT_NR_BY, name);
}

const char *ct_sort_name(enum ct_sort sort)
{
	return (unsigned)sort < CT_NR_SORT ? names_of_sort[sort] : names_of_sort[CT_SORT_RUNNING];
}

enum ct_sort ct_sort_find(const char *name)
{
	return (enum ct_sort)find(names_of_sort, CT_NR_SORT, name);
}
