/* SPDX-License-Identifier: MIT */
/*
 * Reads local variables of coroutines (locals.h). A variable's entry says its name, the line of its declaration, and by
 * the block in which it stands where it is in scope. Where it lies in the frame is said by its location, as long as
 * code is not optimised; else by the frame's members, which GCC calls after the variables, in the order in which they
 * are declared, with the numbers of their blocks behind. Where several have one name, the first has the first member.
 *
 * A place is in a block if the code is there that calls await_suspend, and that which stores the place's index.
 */
#include <dwarf.h>
#include <string.h>

#include "frames/debug_types.h"
#include "frames/given.h"
#include "frames/locals.h"
#include "frames/value.h"
#include "symbol/debug_entry.h"

#define CANDIDATES_MAX 256u /* variables, and members of frames, that are looked at */
#define ENTRIES_MAX 16384u  /* of the function and of its frame */
#define DEPTH_MAX 16

struct variable {
	Dwarf_Die entry;
	Dwarf_Die block; /* the function itself if has_block is not set */
	bool has_block;
	const char *name;
	uint64_t line;
};

struct member {
	Dwarf_Die entry;
	const char *name;
	size_t name_length; /* without the numbers of its block */
	uint32_t offset;
};

struct looking {
	struct code *code;
	struct code_function *function;
	struct variable variables[CANDIDATES_MAX];
	uint32_t nr_variables;
	struct member members[CANDIDATES_MAX];
	uint32_t nr_members;
	uint32_t nr_entries;
	bool is_too_much; /* then the order says nothing */
};

/* ---------------------------------------------------------------- what is there */

static void look_at_block(
	struct looking *looking, Dwarf_Die *entry, const Dwarf_Die *block, int depth);

static void look_at_variable(struct looking *looking, Dwarf_Die *entry, const Dwarf_Die *block)
{
	struct variable variable = {.entry = *entry, .has_block = block != NULL};

	variable.name = dwarf_diename(entry);
	if (!variable.name || variable.name[0] == '_' ||
		!debug_number(entry, DW_AT_decl_line, &variable.line))
		return;
	if (block)
		variable.block = *block;
	if (looking->nr_variables < CANDIDATES_MAX)
		looking->variables[looking->nr_variables++] = variable;
	else
		looking->is_too_much = true;
}

/* Functions that are inlined have variables of their own, which are not the coroutine's. */
static void look_at_block(
	struct looking *looking, Dwarf_Die *entry, const Dwarf_Die *block, int depth)
{
	Dwarf_Die child;
	bool is_there = dwarf_child(entry, &child) == 0;

	looking->is_too_much |= depth == DEPTH_MAX;
	for (; is_there && !looking->is_too_much; is_there = dwarf_siblingof(&child, &child) == 0) {
		looking->is_too_much = looking->nr_entries++ == ENTRIES_MAX;
		if (dwarf_tag(&child) == DW_TAG_variable)
			look_at_variable(looking, &child, block);
		else if (dwarf_tag(&child) == DW_TAG_lexical_block)
			look_at_block(looking, &child, &child, depth + 1);
	}
}

static void look_at_frame(struct looking *looking, Dwarf_Die *frame)
{
	Dwarf_Die child;
	bool is_there = dwarf_child(frame, &child) == 0;

	for (; is_there && looking->nr_entries < ENTRIES_MAX;
		is_there = dwarf_siblingof(&child, &child) == 0, looking->nr_entries++) {
		struct member member = {.entry = child, .name = dwarf_diename(&child)};

		if (!member.name || member.name[0] == '_' || dwarf_tag(&child) != DW_TAG_member ||
			!debug_offset(&child, &member.offset))
			continue;
		member.name_length = looking->function->is_gcc ? given_name_length(member.name)
							       : strlen(member.name);
		/* GCC: arguments have no numbers behind. */
		if (looking->function->is_gcc && !member.name[member.name_length])
			continue;
		if (looking->nr_members < CANDIDATES_MAX)
			looking->members[looking->nr_members++] = member;
		else
			looking->is_too_much = true;
	}
}

/* ---------------------------------------------------------------- which is which */

static bool is_called(const struct member *member, const char *name)
{
	return strlen(name) == member->name_length &&
	       strncmp(member->name, name, member->name_length) == 0;
}

/* The variable's offset in the frame, if its location is "what the frame's pointer leads to, and so many bytes on". */
static bool offset_of(Dwarf_Die *entry, uint32_t *ret_offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *steps;
	size_t nr_steps;

	if (!dwarf_attr(entry, DW_AT_location, &attribute) ||
		dwarf_getlocation(&attribute, &steps, &nr_steps) != 0 || nr_steps != 3 ||
		steps[0].atom != DW_OP_fbreg || steps[1].atom != DW_OP_deref ||
		steps[2].atom != DW_OP_plus_uconst || steps[2].number > UINT32_MAX)
		return false;
	*ret_offset = (uint32_t)steps[2].number;
	return true;
}

static const struct member *member_at(
	const struct looking *looking, const char *name, uint32_t offset)
{
	uint32_t i;

	for (i = 0; i < looking->nr_members; i++)
		if (looking->members[i].offset == offset && is_called(&looking->members[i], name))
			return &looking->members[i];
	return NULL;
}

/* How many variables of this name there are, and how many before this one. */
static uint32_t count_variables(
	const struct looking *looking, const struct variable *variable, uint32_t *ret_before)
{
	uint32_t count = 0, i;

	for (i = 0; i < looking->nr_variables; i++) {
		if (&looking->variables[i] == variable)
			*ret_before = count;
		count += strcmp(looking->variables[i].name, variable->name) == 0;
	}
	return count;
}

/* The member of the same number, if there are as many of them as variables. */
static const struct member *member_by_order(
	const struct looking *looking, const struct variable *variable)
{
	uint32_t before = 0, nr_variables = count_variables(looking, variable, &before);
	uint32_t count = 0, i;
	const struct member *found = NULL;

	for (i = 0; i < looking->nr_members; i++) {
		if (!is_called(&looking->members[i], variable->name))
			continue;
		if (count++ == before)
			found = &looking->members[i];
	}
	return count == nr_variables ? found : NULL;
}

static bool are_of_one_type(Dwarf_Die *left, Dwarf_Die *right)
{
	Dwarf_Die a, b;

	return debug_type(left, &a) && debug_type(right, &b) && a.addr == b.addr;
}

static const struct member *member_of(struct looking *looking, struct variable *variable)
{
	const struct member *member;
	struct member copy;
	uint32_t offset;

	if (offset_of(&variable->entry, &offset))
		member = member_at(looking, variable->name, offset);
	else
		member = looking->function->is_gcc ? member_by_order(looking, variable) : NULL;
	if (!member)
		return NULL;
	copy = *member;
	return are_of_one_type(&variable->entry, &copy.entry) ? member : NULL;
}

/* ---------------------------------------------------------------- where they are in use */

static uint64_t bias_of(const struct looking *looking)
{
	return symbol_debug_info_bias(looking->code->modules->at[looking->function->module].debug);
}

static bool is_in_use(
	const struct looking *looking, struct variable *variable, const struct code_point *point)
{
	uint64_t bias = bias_of(looking);

	if (point->is_initial || !point->await || point->others[0] || variable->line >= point->line)
		return false;
	return !variable->has_block ||
	       (symbol_entry_covers(&variable->block, point->await - bias) &&
		       symbol_entry_covers(&variable->block, point->store - bias));
}

/* No declaration is within another one's value. */
static bool has_declared_between(const struct looking *looking, const struct variable *variable,
	const struct code_point *point)
{
	uint32_t i;

	for (i = 0; i < looking->nr_variables; i++)
		if (looking->variables[i].line > variable->line &&
			looking->variables[i].line < point->line)
			return true;
	return false;
}

/* Where a variable is made, as far as code says that. */
struct making {
	bool is_by_order;      /* the code is not optimised: its order says so */
	Dwarf_Addr first_code; /* of the variable's line */
};

static struct making making_of(const struct looking *looking, struct variable *variable)
{
	Dwarf_Addr from = looking->function->resume - bias_of(looking);
	struct making making = {0};
	uint32_t offset;

	making.is_by_order = offset_of(&variable->entry, &offset);
	if (making.is_by_order)
		making.first_code =
			symbol_entry_first_code(&variable->entry, (int)variable->line, from);
	return making;
}

/*
 * What an await gives may be what a variable on the line before is made of. A number is only wrong then; a text would
 * be read from wherever the memory led to before. Code of the variable's line has to come first; optimised code says
 * nothing by its order.
 */
static bool is_made_before(const struct looking *looking, const struct variable *variable,
	const struct making *making, const struct code_point *point)
{
	return making->is_by_order ? making->first_code < point->await - bias_of(looking)
				   : has_declared_between(looking, variable, point);
}

static bool take(struct looking *looking, struct variable *variable)
{
	struct code_shape *shape = &looking->function->shape;
	struct arena *arena = &looking->code->image->arena;
	const struct member *member = member_of(looking, variable);
	struct code_value local = {0};
	struct making making = {0};
	Dwarf_Die type;
	uint64_t places = 0;
	size_t i;

	if (!member || shape->locals.count == CODE_LOCALS_MAX ||
		!debug_type(&variable->entry, &type))
		return true;
	local.offset = member->offset;
	if (!value_take(arena, &type, &local))
		return false;
	value_take_text(&type, &local);
	if (local.bytes == 0)
		return true;
	if (value_is_text(&local))
		making = making_of(looking, variable);
	for (i = 0; i < shape->points.count; i++)
		if (is_in_use(looking, variable, &shape->points.at[i]) &&
			(!value_is_text(&local) ||
				is_made_before(looking, variable, &making, &shape->points.at[i]))) {
			shape->points.at[i].locals |= UINT64_C(1) << shape->locals.count;
			places++;
		}
	if (!places)
		return true;
	local.name = arena_text(arena, variable->name, strlen(variable->name));
	return local.name && vec_push(&shape->locals, local);
}

bool locals_take(
	struct code *code, struct code_function *function, Dwarf_Die *entry, Dwarf_Die *frame)
{
	struct looking looking = {.code = code, .function = function};
	uint32_t i;

	look_at_frame(&looking, frame);
	look_at_block(&looking, entry, NULL, 0);
	for (i = 0; i < looking.nr_variables && !looking.is_too_much; i++)
		if (!take(&looking, &looking.variables[i]))
			return false;
	return true;
}

void locals_tell(const struct code_function *function, const struct code_point *point,
	const struct image *image, uint64_t frame, struct text *text)
{
	uint32_t nr_told = 0, i;

	for (i = 0; point && i < function->shape.locals.count && nr_told < VALUE_TOLD_MAX &&
		    text->length < VALUE_WORDS_MAX_BYTES;
		i++) {
		const struct code_value *local = &function->shape.locals.at[i];
		size_t nr_before = text->length;

		if (!(point->locals >> i & 1))
			continue;
		value_tell(text,
			nr_told        ? ", "
			: text->length ? "; locals: "
				       : "locals: ",
			image, frame, local);
		nr_told += text->length > nr_before;
	}
}
