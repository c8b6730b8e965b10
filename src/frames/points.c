/* SPDX-License-Identifier: MIT */
/*
 * Finds the places at which a coroutine function suspends (points.h).
 *
 * Before a coroutine suspends, it stores the place's index into its frame and calls await_suspend, or has its code
 * inlined. The call's line is the line of the co_await, and the call's class the type of what is awaited. Where neither
 * is found, the lines of the code around the store are asked, the nearest first; compilers give some of that code the
 * line of the function or of its closing brace, which say nothing.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "frames/debug_types.h"
#include "frames/points.h"
#include "frames/shape.h"
#include "frames/stores.h"
#include "symbol/debug_entry.h"

/* Instructions around a store that are looked at. */
#define BEFORE 24u
#define BEHIND 64u
#define POINTS_MAX 4096u

struct search {
	struct code *code;
	struct code_function *function;
	struct debug_info *debug;
	struct stores stores;
	uint32_t brace;       /* the last line so far */
	bool is_ramp;         /* the part is the function that makes the frame */
	struct arena scratch; /* of the lines that are asked for */
	bool is_out_of_memory;
};

/* A place of the function itself: of code inlined into it, the call. */
struct evidence {
	const char *file;
	uint32_t line;
};

static struct evidence line_at(struct search *search, uint64_t address)
{
	struct symbol_place place = {.function = "", .file = "", .remark = ""};
	struct evidence found = {"", 0};

	if (!symbol_debug_info_find(search->debug, &search->scratch, address, false, &place)) {
		search->is_out_of_memory = true;
		return found;
	}
	found = (struct evidence){place.file, place.line};
	if (place.nr_callers > 0)
		found = (struct evidence){place.callers[place.nr_callers - 1].file,
			place.callers[place.nr_callers - 1].line};
	return found;
}

/* ---------------------------------------------------------------- what is awaited */

/* The class of a member function; "" if unknown. */
static const char *class_of(struct search *search, Dwarf_Die *entry)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declaration = *entry, *scopes = NULL;
	const char *name = "";

	if (dwarf_attr_integrate(entry, DW_AT_specification, &attribute))
		dwarf_formref_die(&attribute, &declaration);
	if (dwarf_getscopes_die(&declaration, &scopes) > 1) {
		name = debug_class_name(&search->code->names, &scopes[1]);
		if (name && !shape_take_class(search->code, search->function, name, &scopes[1]))
			name = NULL;
	}
	free(scopes);
	search->is_out_of_memory |= !name;
	return name ? name : "";
}

/* The class whose await_suspend is inlined at the address; NULL: none is. */
static const char *inlined_at(struct search *search, uint64_t address)
{
	Dwarf_Die scopes[SCOPES_MAX];
	int nr_scopes, i;

	if (!symbol_debug_info_scopes(search->debug, address, scopes, &nr_scopes)) {
		search->is_out_of_memory = true;
		return NULL;
	}
	/* The outermost is the function's own; what its await_suspend calls in turn is not. */
	for (i = nr_scopes - 2; i >= 0; i--)
		if (debug_is_await_suspend(&scopes[i]))
			return class_of(search, &scopes[i]);
	return NULL;
}

/* The class whose await_suspend is called; NULL: another function is. */
static const char *called_at(struct search *search, uint64_t target)
{
	Dwarf_Die scopes[SCOPES_MAX];
	int nr_scopes;

	if (target == 0)
		return NULL;
	if (!symbol_debug_info_scopes(search->debug, target, scopes, &nr_scopes)) {
		search->is_out_of_memory = true;
		return NULL;
	}
	if (nr_scopes == 0 || !debug_is_await_suspend(&scopes[nr_scopes - 1]))
		return NULL;
	return class_of(search, &scopes[nr_scopes - 1]);
}

static const char *awaited_at(struct search *search, const struct stores_step *step)
{
	const char *awaiter = called_at(search, step->target);

	return awaiter ? awaiter : inlined_at(search, step->address);
}

/* ---------------------------------------------------------------- lines */

static bool says_something(const struct search *search, const struct evidence *evidence)
{
	return evidence->line != 0 && evidence->line != search->function->line;
}

/* Behind the store up to the end of the straight code: the call of await_suspend. */
static bool find_await(struct search *search, size_t store, struct evidence *ret_evidence,
	const char **ret_awaiter, uint64_t *ret_await)
{
	size_t i;

	for (i = store; i < search->stores.count && i < store + BEHIND; i++) {
		const struct stores_step *step = &search->stores.steps[i];
		const char *awaiter = awaited_at(search, step);

		if (awaiter) {
			*ret_awaiter = awaiter;
			*ret_await = step->address;
			*ret_evidence = line_at(search, step->address);
			return true;
		}
		if (step->is_end || (i > store && step->is_store))
			return false;
	}
	return false;
}

/* The nearest line around the store that is neither the function's own nor that of its closing brace. */
static struct evidence find_near(struct search *search, size_t store, uint32_t brace)
{
	struct evidence best = {"", 0}, found;
	size_t i;

	for (i = store; i + BEFORE > store; i--) {
		if (i < store && search->stores.steps[i].is_end)
			break;
		found = line_at(search, search->stores.steps[i].address);
		if (says_something(search, &found) && found.line != brace)
			return found;
		if (best.line == 0 && found.line == brace)
			best = found;
		if (i == 0)
			break;
	}
	for (i = store; i < search->stores.count && i < store + BEHIND; i++) {
		found = line_at(search, search->stores.steps[i].address);
		if (says_something(search, &found) && found.line != brace)
			return found;
		if (search->stores.steps[i].is_end)
			break;
	}
	return best;
}

/*
 * The last line of the function, which compilers give to code that has none; of all its parts so far, as clang's
 * beginning of a function may end with the first co_await.
 */
static uint32_t closing_line(struct search *search)
{
	uint32_t last = search->brace;
	size_t i;

	for (i = 0; i < search->stores.count; i++) {
		struct evidence found = line_at(search, search->stores.steps[i].address);

		if (found.line > last)
			last = found.line;
	}
	search->brace = last;
	return last;
}

/* ---------------------------------------------------------------- points */

static struct code_point *point_at(struct search *search, uint64_t index)
{
	struct code_shape *shape = &search->function->shape;
	struct code_point fresh = {
		.index = index, .file = "", .awaiter = "", .awaiter_at = CODE_NO_OFFSET};
	size_t i;

	for (i = 0; i < shape->points.count; i++)
		if (shape->points.at[i].index == index)
			return &shape->points.at[i];
	if (shape->points.count == POINTS_MAX)
		return NULL;
	if (!vec_push(&shape->points, fresh)) {
		search->is_out_of_memory = true;
		return NULL;
	}
	return &shape->points.at[shape->points.count - 1];
}

static void add_line(struct search *search, struct code_point *point, struct evidence evidence)
{
	size_t i;

	if (evidence.line == 0 || evidence.line == point->line)
		return;
	if (point->line == 0) {
		point->line = evidence.line;
		point->file = arena_text(
			&search->code->image->arena, evidence.file, strlen(evidence.file));
		if (!point->file)
			search->is_out_of_memory = true;
		return;
	}
	for (i = 0; i < sizeof(point->others) / sizeof(*point->others); i++) {
		if (point->others[i] == evidence.line)
			return;
		if (point->others[i] == 0) {
			point->others[i] = evidence.line;
			return;
		}
	}
}

/*
 * GCC numbers places 2, 4, ..., the first of them the initial suspend, whether or not that suspends; the odd numbers in
 * between lead to the destruction of the frame from there. Clang leaves out an initial suspend that never does.
 */
static bool is_initial(const struct code_function *function, const struct code_point *point)
{
	return function->is_gcc ? point->index == 2
				: point->index == 0 && !function->shape.is_eager;
}

/* The store of the initial suspend is not always found: its code may have been inlined into the caller's. */
static void add_initial(struct search *search)
{
	const struct code_function *function = search->function;

	if (function->is_gcc || !function->shape.is_eager)
		point_at(search, function->is_gcc ? 2 : 0);
}

/*
 * Where there are several stores of an index, as in copies of a loop, it is not known in which the coroutine is. The
 * function that makes the frame has other blocks.
 */
static void note_code(
	const struct search *search, struct code_point *point, uint64_t store, uint64_t await)
{
	bool is_first = !point->has_code;

	if (search->is_ramp)
		return;
	point->has_code = true;
	point->store = is_first ? store : 0;
	point->await = is_first ? await : 0;
}

static void take_store(struct search *search, size_t store, uint32_t brace)
{
	const struct code_function *function = search->function;
	uint64_t index = search->stores.steps[store].number & function->shape.index_mask;
	struct code_point *point = point_at(search, index);
	struct evidence evidence = {"", 0};
	const char *awaiter = NULL;
	uint64_t await = 0;

	if (!point)
		return;
	if (!find_await(search, store, &evidence, &awaiter, &await) ||
		!says_something(search, &evidence)) {
		evidence = find_near(search, store, brace);
		await = 0;
	}
	note_code(search, point, search->stores.steps[store].address, await);
	if (awaiter && !point->awaiter[0])
		point->awaiter = awaiter;
	add_line(search, point, evidence);
}

static void search_code(struct search *search, uint64_t address, uint64_t nr_bytes, bool is_ramp)
{
	struct code_shape *shape = &search->function->shape;
	size_t available = 0, i;
	const uint8_t *bytes = symbol_debug_info_code(search->debug, address, &available);
	uint32_t brace;

	if (!bytes || nr_bytes == 0)
		return;
	search->is_ramp = is_ramp;
	if (!stores_find(bytes, nr_bytes < available ? (size_t)nr_bytes : available, address,
		    shape->index_offset, shape->index_bytes, is_ramp, &search->stores))
		search->is_out_of_memory = true;
	brace = closing_line(search);
	for (i = 0; i < search->stores.count && !search->is_out_of_memory; i++)
		if (search->stores.steps[i].is_store)
			take_store(search, i, brace);
	free(search->stores.steps);
	search->stores = (struct stores){0};
}

/* ---------------------------------------------------------------- parts */

static const struct function_entry *part_of(const struct search *search, const char *suffix)
{
	const struct function_table *table = symbol_debug_info_functions(search->debug);
	const char *symbol = search->function->symbol;
	size_t nr_bytes = strlen(symbol), i;

	for (i = 0; i < table->functions.count; i++) {
		const char *name = table->functions.at[i].name;

		if (strncmp(name, symbol, nr_bytes) == 0 && strcmp(name + nr_bytes, suffix) == 0)
			return &table->functions.at[i];
	}
	return NULL;
}

static void search_part(struct search *search, const char *suffix, bool is_ramp)
{
	const struct function_entry *part = part_of(search, suffix);

	if (part)
		search_code(search, part->address, part->bytes, is_ramp);
}

/* GCC: the number of the place is in the name of the frame's member, Aw0_3_4. */
static void join_awaiters(struct code_function *function)
{
	struct code_shape *shape = &function->shape;
	size_t i;

	for (i = 0; i < shape->points.count; i++) {
		struct code_point *point = &shape->points.at[i];

		point->is_initial = is_initial(function, point);
		if (point->is_initial) {
			point->line = function->line;
			point->file = function->file;
			point->others[0] = 0;
		}
		point->awaiter_at = shape_awaiter_of_point(function, point);
		if (point->awaiter_at != CODE_NO_OFFSET && !point->awaiter[0])
			point->awaiter = shape->awaiters.at[point->awaiter_at].type;
	}
}

/* All that a part of the function awaits is at one place: an optimiser leaves no code of what never suspends. */
static void take_all(struct search *search, const struct function_entry *part)
{
	size_t available = 0, i;
	const uint8_t *bytes = symbol_debug_info_code(search->debug, part->address, &available);
	struct code_point *point = NULL;

	if (bytes && part->bytes &&
		!stores_find(bytes, part->bytes < available ? (size_t)part->bytes : available,
			part->address, STORES_NO_DISPATCH, 1, false, &search->stores))
		search->is_out_of_memory = true;
	for (i = 0; i < search->stores.count && !search->is_out_of_memory; i++) {
		const struct stores_step *step = &search->stores.steps[i];
		const char *awaiter = awaited_at(search, step);
		struct evidence evidence = {"", 0};

		if (awaiter)
			evidence = line_at(search, step->address);
		if (!awaiter || !says_something(search, &evidence))
			continue;
		point = point_at(search, 0);
		if (!point)
			break;
		if (!point->awaiter[0])
			point->awaiter = awaiter;
		note_code(search, point, step->address, step->address);
		add_line(search, point, evidence);
	}
	free(search->stores.steps);
	search->stores = (struct stores){0};
}

/*
 * Clang keeps no index if there is a single place. The await_suspend is in the function that makes the frame, and in
 * the part that resumes if the place is in a loop.
 */
static void search_only(struct search *search)
{
	static const char *const parts[] = {"", ".resume", ".resume.cold"};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts) && !search->is_out_of_memory; i++) {
		const struct function_entry *part = part_of(search, parts[i]);

		search->is_ramp = i == 0;
		if (part)
			take_all(search, part);
	}
}

bool points_read(struct code *code, struct code_function *function)
{
	struct search search = {.code = code,
		.function = function,
		.debug = code->modules->at[function->module].debug};

	arena_init(&search.scratch);
	if (function->shape.index_bytes == 0) {
		search_only(&search);
		arena_fini(&search.scratch);
		join_awaiters(function);
		return !search.is_out_of_memory;
	}
	search_code(&search, function->resume, function->resume_bytes, false);
	search_part(&search, function->is_gcc ? ".actor.cold" : ".resume.cold", false);
	if (!function->is_gcc)
		search_part(&search, "", true);
	arena_fini(&search.scratch);
	add_initial(&search);
	join_awaiters(function);
	return !search.is_out_of_memory;
}
