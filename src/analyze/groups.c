/* SPDX-License-Identifier: MIT */
/*
 * Removes groups of candidates that another group covers.
 */
#include "analyze/parts.h"

void analyze_groups_remove(struct analysis *analysis, const bool *is_folded)
{
	size_t i, count = 0;

	for (i = 0; i < analysis->groups.count; i++)
		if (!is_folded[i])
			analysis->groups.at[count++] = analysis->groups.at[i];
	analysis->groups.count = count;
}

bool analyze_group_has(const struct analysis *analysis, const struct group *group, uint32_t coro)
{
	uint32_t i;

	for (i = 0; i < group->count; i++)
		if (analyze_group_first(analysis, group)[i].coro == coro)
			return true;
	return false;
}

void analyze_groups_fold(struct analysis *analysis,
	bool (*is_second)(const struct analysis *analysis, const struct group *group))
{
	bool *is_folded = analyze_scratch(analysis, analysis->groups.count, sizeof(*is_folded));
	size_t i;

	if (!is_folded)
		return;
	for (i = 0; i < analysis->groups.count; i++)
		is_folded[i] = is_second(analysis, &analysis->groups.at[i]);
	analyze_groups_remove(analysis, is_folded);
}
