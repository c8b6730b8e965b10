/* SPDX-License-Identifier: MIT */
/*
 * The cookbook: the list of cookbook.def.
 */
#include "corotracer/query.h"

static const struct ct_query_recipe recipes[] = {
#define X(question, sql) {question, sql},
#include "query/cookbook.def"
#undef X
};

const struct ct_query_recipe *ct_query_cookbook(uint32_t *ret_count)
{
	*ret_count = sizeof(recipes) / sizeof(recipes[0]);
	return recipes;
}
