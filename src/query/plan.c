/* SPDX-License-Identifier: MIT */
/*
 * Plans: which conditions of a statement the view checks, the order of the rows, and the cost.
 *
 * A plan is a string: 16 hexadecimal digits for the set of the view's columns that are used, and four more for each
 * condition: its column and its operator. If the view checks every condition wholly, and the order depends on one
 * number, the view is asked for one page of sorted rows, which is much less work than sorting all rows.
 */
#include <string.h>

#include "query/query.h"

/* The planner's estimate of the cost to examine a row, to return a row, and to look rows up. */
#define COST_OF_LOOKING 0.02
#define COST_OF_ROW 1.0
#define COST_OF_LOOKUP 5.0

struct plan {
	const struct query_vtab *vtab;
	sqlite3_index_info *info;
	sqlite3_str *text;
	int nr_arguments;
	bool is_whole;  /* the view checks all conditions wholly */
	bool is_lookup; /* one condition compares with a value of another table */
	double share;   /* the share of rows that meet the conditions */
	int limit;      /* the index of the limit among the conditions; -1: none */
	int offset;
};

/* ---------------------------------------------------------------- costs */

/* A guess: the share of rows that have one particular number in a column of this type. */
static double share_of_one(enum ct_view_type type, double nr_rows)
{
	switch (type) {
	case CT_VIEW_TYPE_EVENT:
	case CT_VIEW_TYPE_TIME:
		return 1 / nr_rows;
	case CT_VIEW_TYPE_COROUTINE:
	case CT_VIEW_TYPE_TASK:
		return nr_rows > 1000 ? 0.001 : 0.1;
	case CT_VIEW_TYPE_SITE:
	case CT_VIEW_TYPE_TEXT:
	case CT_VIEW_TYPE_REFERENCE:
		return nr_rows > 100 ? 0.02 : 0.1;
	default:
		return 0.2;
	}
}

static double share_of(const struct query_column *column, int op, double nr_rows)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
	case SQLITE_INDEX_CONSTRAINT_IS:
		return share_of_one(column->type, nr_rows);
	case SQLITE_INDEX_CONSTRAINT_NE:
	case SQLITE_INDEX_CONSTRAINT_ISNOT:
	case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
		return 0.9;
	default:
		return 0.25;
	}
}

static void tell_cost(const struct plan *plan, double nr_rows)
{
	double rows = nr_rows * plan->share;

	if (rows < 1)
		rows = 1;
	plan->info->estimatedRows = (sqlite3_int64)rows;
	plan->info->estimatedCost =
		plan->is_lookup ? COST_OF_LOOKUP + COST_OF_ROW * rows
				: COST_OF_LOOKUP + COST_OF_LOOKING * nr_rows + COST_OF_ROW * rows;
}

/* ---------------------------------------------------------------- conditions */

static enum query_taking taking_of(const struct plan *plan, int i, sqlite3_value **ret_right)
{
	const struct sqlite3_index_constraint *constraint = &plan->info->aConstraint[i];
	const struct query_column *column;
	bool is_pattern = constraint->op == SQLITE_INDEX_CONSTRAINT_LIKE ||
			  constraint->op == SQLITE_INDEX_CONSTRAINT_GLOB;

	*ret_right = NULL;
	if (!constraint->usable || constraint->iColumn < 0)
		return QUERY_TAKEN_NOT;
	column = &plan->vtab->table->columns[constraint->iColumn];
	if (column->is_text && !is_pattern &&
		strcmp(sqlite3_vtab_collation(plan->info, i), "BINARY") != 0)
		return QUERY_TAKEN_NOT;
	if (sqlite3_vtab_rhs_value(plan->info, i, ret_right) != SQLITE_OK)
		*ret_right = NULL;
	return query_taking(plan->vtab->query, column, constraint->op, *ret_right);
}

static void take(struct plan *plan, int i, double nr_rows)
{
	const struct sqlite3_index_constraint *constraint = &plan->info->aConstraint[i];
	struct sqlite3_index_constraint_usage *usage = &plan->info->aConstraintUsage[i];
	const struct query_column *column;
	sqlite3_value *right;
	enum query_taking taking = taking_of(plan, i, &right);

	if (taking != QUERY_TAKEN_WHOLLY)
		plan->is_whole = false;
	if (taking == QUERY_TAKEN_NOT || plan->nr_arguments >= (int)QUERY_TERMS_MOST) {
		plan->is_whole = false;
		return;
	}
	column = &plan->vtab->table->columns[constraint->iColumn];
	usage->argvIndex = ++plan->nr_arguments;
	usage->omit = taking == QUERY_TAKEN_WHOLLY;
	sqlite3_str_appendf(plan->text, "%02x%02x", constraint->iColumn, constraint->op);
	plan->share *= share_of(column, constraint->op, nr_rows);
	plan->is_lookup |= !right && constraint->op == SQLITE_INDEX_CONSTRAINT_EQ;
}

static void take_all(struct plan *plan, double nr_rows)
{
	int i;

	for (i = 0; i < plan->info->nConstraint; i++) {
		if (plan->info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT)
			plan->limit = i;
		else if (plan->info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_OFFSET)
			plan->offset = i;
		else
			take(plan, i, nr_rows);
	}
}

/* ---------------------------------------------------------------- order */

/* A view sorts numbers in SQL's order, except that cells without a value come last. */
static bool is_sorted_alike(const struct query_column *column, bool is_descending)
{
	return column->of == QUERY_OF_CELL && !column->is_text && !column->is_partial &&
	       (is_descending || ct_view_none(column->type) == CT_VIEW_NOTHING);
}

/* Rows of events, and rows that are each made from one event, are in order of their numbers. */
static bool lies_sorted(const struct query_column *column, enum ct_view_table table)
{
	return column->of == QUERY_OF_CELL && column->type == CT_VIEW_TYPE_EVENT &&
	       (table == CT_VIEW_EVENTS || table == CT_VIEW_WAKES ||
		       table == CT_VIEW_COUNTER_VALUES) &&
	       column->column == 0;
}

static bool can_page(const struct plan *plan, const struct query_column *column)
{
	const struct sqlite3_index_info *info = plan->info;

	return plan->is_whole && plan->limit >= 0 && info->aConstraint[plan->limit].usable &&
	       (plan->offset < 0 || info->aConstraint[plan->offset].usable) &&
	       is_sorted_alike(column, info->aOrderBy[0].desc);
}

static void take_argument(struct plan *plan, int i)
{
	plan->info->aConstraintUsage[i].argvIndex = ++plan->nr_arguments;
	plan->info->aConstraintUsage[i].omit = 1;
}

static void take_order(struct plan *plan)
{
	sqlite3_index_info *info = plan->info;
	const struct query_column *column;

	if (info->nOrderBy != 1 || info->aOrderBy[0].iColumn < 0)
		return;
	column = &plan->vtab->table->columns[info->aOrderBy[0].iColumn];
	if (lies_sorted(column, plan->vtab->table->table) && !info->aOrderBy[0].desc) {
		info->orderByConsumed = 1;
		return;
	}
	if (!can_page(plan, column))
		return;
	take_argument(plan, plan->limit);
	if (plan->offset >= 0)
		take_argument(plan, plan->offset);
	info->orderByConsumed = 1;
	info->idxNum = QUERY_PLAN_PAGE | (plan->offset >= 0 ? QUERY_PLAN_OFFSET : 0) |
		       (info->aOrderBy[0].desc ? QUERY_PLAN_DESCENDING : 0) |
		       (int)(column->column << QUERY_PLAN_ORDER_SHIFT);
}

/* ---------------------------------------------------------------- the plan */

/* The view's columns from which the used columns of SQL are made. */
static uint64_t wanted_of(const struct query_table *table, uint64_t used)
{
	uint64_t wanted = 0;
	uint32_t i;

	for (i = 0; i < table->nr_columns; i++) {
		const struct query_column *column = &table->columns[i];

		if (!(used >> i & 1))
			continue;
		wanted |= UINT64_C(1) << column->column;
		if (column->is_partial || column->type == CT_VIEW_TYPE_OBJECT ||
			column->type == CT_VIEW_TYPE_ARGUMENT)
			wanted |= UINT64_C(1) << table->kind_column;
	}
	return wanted;
}

int query_plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct query_vtab *vtab = (struct query_vtab *)base;
	struct plan plan = {.vtab = vtab,
		.info = info,
		.is_whole = true,
		.share = 1,
		.limit = -1,
		.offset = -1};
	uint64_t nr_rows = 0;
	int result = query_module_count(vtab, &nr_rows);

	if (result != SQLITE_OK)
		return result;
	plan.text = sqlite3_str_new(vtab->query->database);
	sqlite3_str_appendf(
		plan.text, "%016llx", (unsigned long long)wanted_of(vtab->table, info->colUsed));
	take_all(&plan, (double)nr_rows + 1);
	take_order(&plan);
	tell_cost(&plan, (double)nr_rows + 1);
	info->idxStr = sqlite3_str_finish(plan.text);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}
