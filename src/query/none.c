/* SPDX-License-Identifier: MIT */
/*
 * For builds without SQLite: an error that says how to get it.
 */
#include "base/failure.h"
#include "query/write.h"

/* A page that is a file has its own reason. */
#ifndef QUERY_LACKS
#define QUERY_LACKS \
	"this build is without SQLite (install libsqlite3-dev and build with -Dsqlite=enabled)"
#endif

static enum ct_status refuse(struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "cannot ask in SQL: " QUERY_LACKS);
}

enum ct_status ct_query_open(struct ct_view *view, const struct ct_query_options *options,
	struct ct_query **ret_query, struct ct_error *reterr)
{
	(void)view;
	(void)options;
	(void)ret_query;
	return refuse(reterr);
}

void ct_query_close(struct ct_query *query)
{
	(void)query;
}

void ct_query_interrupt(struct ct_query *query)
{
	(void)query;
}

enum ct_status ct_query_ask(
	struct ct_query *query, const char *sql, const char **ret_rest, struct ct_error *reterr)
{
	(void)query;
	(void)sql;
	(void)ret_rest;
	return refuse(reterr);
}

uint32_t ct_query_nr_columns(const struct ct_query *query)
{
	(void)query;
	return 0;
}

const char *ct_query_column(const struct ct_query *query, uint32_t column)
{
	(void)query;
	(void)column;
	return "";
}

enum ct_query_type ct_query_column_type(const struct ct_query *query, uint32_t column)
{
	(void)query;
	(void)column;
	return CT_QUERY_NULL;
}

enum ct_status query_next(struct ct_query *query, bool has_digits,
	const struct ct_query_cell **ret_cells, struct ct_error *reterr)
{
	(void)query;
	(void)has_digits;
	(void)ret_cells;
	return refuse(reterr);
}

enum ct_status ct_query_next(
	struct ct_query *query, const struct ct_query_cell **ret_cells, struct ct_error *reterr)
{
	return query_next(query, true, ret_cells, reterr);
}

const struct ct_query_function *ct_query_functions(uint32_t *ret_count)
{
	*ret_count = 0;
	return NULL;
}

const char *ct_query_keyword(uint32_t number)
{
	(void)number;
	return NULL;
}

bool ct_query_is_complete(const char *sql)
{
	(void)sql;
	return true;
}
