/* SPDX-License-Identifier: MIT */
/*
 * Reads the layout of frames from debug information (shape.h).
 *
 * GCC describes the frame as a structure to which the parameter `frame_ptr` of the actor function points. Clang
 * describes it as the structure __coro_frame_ty, the type of a variable of the resume function; members without a name
 * of the program's own are called after their types: struct_AsyncRead_0.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frames/awaited.h"
#include "frames/debug_types.h"
#include "frames/given.h"
#include "frames/locals.h"
#include "frames/points.h"
#include "frames/shape.h"
#include "frames/stores.h"
#include "symbol/debug_entry.h"

#define MEMBERS_MAX 4096u
#define DEPTH_MAX 4
#define PROMISE_OFFSET 16u /* behind the two pointers, unless it is aligned to more */

struct reading {
	struct code *code;
	struct code_function *function;
	Dwarf_Die entry; /* of the function that resumes */
	/* members that were looked at: a hostile file can refer to a type again and again */
	uint32_t nr_members;
	uint32_t nr_awaited; /* those of what may be awaited */
};

/* ---------------------------------------------------------------- descriptors */

/* What programs call a descriptor, without the marks of a member around it. */
static bool is_descriptor_name(const char *name)
{
	static const char *const names[] = {"fd", "sock", "socket", "sockfd", "descriptor",
		"filedes", "file_descriptor", "socket_fd", "native_handle", "handle"};
	char plain[32];
	size_t length, i;

	if (strncmp(name, "m_", 2) == 0)
		name += 2;
	name += strspn(name, "_");
	length = strlen(name);
	while (length > 0 && name[length - 1] == '_')
		length--;
	if (length == 0 || length >= sizeof(plain))
		return false;
	memcpy(plain, name, length);
	plain[length] = '\0';
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(plain, names[i]) == 0)
			return true;
	return length > 3 && strcmp(plain + length - 3, "_fd") == 0;
}

static bool is_descriptor(Dwarf_Die *member, Dwarf_Die *type)
{
	const char *name = dwarf_diename(member);

	return name && dwarf_tag(type) == DW_TAG_base_type && debug_bytes(type) == 4 &&
	       is_descriptor_name(name);
}

static bool find_descriptor(uint32_t *nr_members, Dwarf_Die *type, uint32_t base, bool may_follow,
	int depth, struct code_path *ret_path);

static bool find_behind(uint32_t *nr_members, Dwarf_Die *pointer, uint32_t at, int depth,
	struct code_path *ret_path)
{
	struct code_path path;
	Dwarf_Die type;

	if (!debug_type(pointer, &type) || !debug_is_class(&type) ||
		!find_descriptor(nr_members, &type, 0, false, depth + 1, &path))
		return false;
	ret_path->offset = at;
	ret_path->behind = path.offset;
	return true;
}

/* Finds the first member that is a descriptor, in the type, in its members and bases, or behind a pointer. */
static bool find_descriptor(uint32_t *nr_members, Dwarf_Die *type, uint32_t base, bool may_follow,
	int depth, struct code_path *ret_path)
{
	Dwarf_Die member, its_type;
	uint32_t offset;
	bool is_there = depth < DEPTH_MAX && dwarf_child(type, &member) == 0;

	for (; is_there && *nr_members < MEMBERS_MAX;
		is_there = dwarf_siblingof(&member, &member) == 0) {
		int tag = dwarf_tag(&member);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
			!debug_offset(&member, &offset) || !debug_type(&member, &its_type))
			continue;
		(*nr_members)++;
		if (is_descriptor(&member, &its_type)) {
			*ret_path = (struct code_path){base + offset, CODE_NO_OFFSET};
			return true;
		}
		if (debug_is_class(&its_type) &&
			find_descriptor(nr_members, &its_type, base + offset, may_follow, depth + 1,
				ret_path))
			return true;
		if (may_follow &&
			(dwarf_tag(&its_type) == DW_TAG_pointer_type ||
				dwarf_tag(&its_type) == DW_TAG_reference_type) &&
			find_behind(nr_members, &its_type, base + offset, depth, ret_path))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- the frame */

static void take_index(struct code_shape *shape, Dwarf_Die *member, uint32_t offset)
{
	uint64_t bits = 0;
	Dwarf_Die type;

	if (!debug_type(member, &type))
		return;
	shape->index_offset = offset;
	shape->index_bytes = debug_bytes(&type);
	if (debug_number(member, DW_AT_byte_size, &bits) && bits <= 8)
		shape->index_bytes = (uint32_t)bits;
	if (shape->index_bytes > 8)
		shape->index_bytes = 0;
	bits = 8 * shape->index_bytes;
	/* Clang's index takes only some bits of its bytes, the lowest ones; others hold something else. */
	debug_number(member, DW_AT_bit_size, &bits);
	shape->index_mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Does the promise, or a class that it derives from, return std::suspend_never for the initial suspend? */
static bool is_eager(Dwarf_Die *promise, int depth)
{
	Dwarf_Die member, type;
	bool is_there = depth < DEPTH_MAX && dwarf_child(promise, &member) == 0;

	for (; is_there; is_there = dwarf_siblingof(&member, &member) == 0) {
		int tag = dwarf_tag(&member);

		if (tag == DW_TAG_subprogram && debug_is_called(&member, "initial_suspend"))
			return debug_type(&member, &type) &&
			       debug_is_called(&type, "suspend_never");
		if (tag == DW_TAG_inheritance && debug_type(&member, &type) &&
			is_eager(&type, depth + 1))
			return true;
	}
	return false;
}

static bool find_identity(
	Dwarf_Die *type, uint32_t base, uint32_t *nr_members, int depth, uint32_t *ret_offset);

/* The member that holds the probe's number, if this is what the probe keeps of a coroutine. */
static bool is_identity(Dwarf_Die *type, Dwarf_Die *member)
{
	return debug_is_called(member, "id_") && debug_is_called(type, "coroutine_state");
}

static bool look_for_identity(Dwarf_Die *type, Dwarf_Die *member, uint32_t base,
	uint32_t *nr_members, int depth, uint32_t *ret_offset)
{
	Dwarf_Die its_type;
	uint32_t offset;
	int tag = dwarf_tag(member);

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !debug_offset(member, &offset) ||
		!debug_type(member, &its_type))
		return false;
	*ret_offset = base + offset;
	return is_identity(type, member) ||
	       (debug_is_class(&its_type) &&
		       find_identity(&its_type, base + offset, nr_members, depth + 1, ret_offset));
}

/* Finds the number that the probe of C++ (cpp_wait.h) gave the coroutine, in a promise or a class below it. */
static bool find_identity(
	Dwarf_Die *type, uint32_t base, uint32_t *nr_members, int depth, uint32_t *ret_offset)
{
	Dwarf_Die member;
	bool is_there = depth < DEPTH_MAX && dwarf_child(type, &member) == 0;

	for (; is_there && ++*nr_members < MEMBERS_MAX;
		is_there = dwarf_siblingof(&member, &member) == 0)
		if (look_for_identity(type, &member, base, nr_members, depth, ret_offset))
			return true;
	return false;
}

static void take_promise(struct code_shape *shape, Dwarf_Die *member, uint32_t offset)
{
	uint32_t nr_members = 0;
	Dwarf_Die type;

	if (!debug_type(member, &type))
		return;
	shape->promise_offset = offset;
	shape->promise_bytes = debug_bytes(&type);
	shape->is_eager = is_eager(&type, 0);
	if (!find_identity(&type, offset, &nr_members, 0, &shape->identity_offset))
		shape->identity_offset = 0;
}

/* GCC's "Aw1_3_5", clang's "struct_AsyncRead_0". */
static bool is_awaiter(const struct code_function *function, Dwarf_Die *member, Dwarf_Die *type)
{
	const char *name = dwarf_diename(member);

	if (!name || !debug_is_class(type))
		return false;
	if (function->is_gcc)
		return strncmp(name, "Aw", 2) == 0 && name[2] >= '0' && name[2] <= '9';
	return strncmp(name, "struct_", 7) == 0 || strncmp(name, "class_", 6) == 0;
}

static const char *member_name(struct reading *reading, Dwarf_Die *member)
{
	const char *name = dwarf_diename(member);

	return arena_text(&reading->code->image->arena, name ? name : "", name ? strlen(name) : 0);
}

static bool take_awaiter(
	struct reading *reading, Dwarf_Die *member, Dwarf_Die *type, uint32_t offset)
{
	struct code_shape *shape = &reading->function->shape;
	struct code_awaiter awaiter = {
		.offset = offset, .bytes = debug_bytes(type), .way = {.offset = offset}};

	if (reading->function->is_gcc)
		awaiter.number = (uint32_t)strtoul(dwarf_diename(member) + 2, NULL, 10);
	awaiter.type = reading->function->is_gcc ? debug_class_name(&reading->code->names, type)
						 : member_name(reading, member);
	awaiter.has_descriptor =
		reading->function->is_gcc &&
		find_descriptor(&reading->nr_members, type, offset, true, 0, &awaiter.descriptor);
	if (reading->function->is_gcc &&
		!awaited_take(&reading->code->names, &awaiter, type, &reading->nr_awaited))
		return false;
	return awaiter.type && vec_push(&shape->awaiters, awaiter);
}

static bool take_elsewhere(struct reading *reading, Dwarf_Die *type, const struct code_way *way)
{
	struct code_awaiter awaiter = {.number = CODE_NO_OFFSET, .way = *way};

	if (!awaited_can_be(type, &reading->nr_awaited))
		return true;
	awaiter.type = debug_class_name(&reading->code->names, type);
	awaiter.object_type = awaiter.type;
	awaiter.object = *way;
	return awaiter.type &&
	       awaited_take(&reading->code->names, &awaiter, type, &reading->nr_awaited) &&
	       vec_push(&reading->function->shape.awaiters, awaiter);
}

/*
 * GCC makes no awaiter of its own of what is an object already: `co_await gate`, where a variable, an argument, or a
 * member of one is called so.
 */
static bool take_awaited_variable(struct reading *reading, Dwarf_Die *type, uint32_t offset)
{
	struct code_way way = {.offset = offset}, at;
	Dwarf_Die target = *type, member, its_type;
	uint32_t within;
	bool is_there;

	if (debug_is_pointer(type)) {
		way = (struct code_way){.steps = {offset}, .nr_steps = 1};
		if (!debug_type(type, &target))
			return true;
	}
	if (!debug_is_class(&target))
		return true;
	if (!take_elsewhere(reading, &target, &way))
		return false;
	is_there = dwarf_child(&target, &member) == 0;
	for (; is_there && reading->nr_awaited < MEMBERS_MAX;
		is_there = dwarf_siblingof(&member, &member) == 0) {
		if (dwarf_tag(&member) != DW_TAG_member || !debug_offset(&member, &within) ||
			!debug_type(&member, &its_type))
			continue;
		reading->nr_awaited++;
		at = way;
		at.offset += within;
		if (!take_elsewhere(reading, &its_type, &at))
			return false;
	}
	return true;
}

/* A variable or an argument of the function. GCC puts the numbers of its block behind a name: "guard_2_5". */
static bool take_variable(struct reading *reading, Dwarf_Die *member, uint32_t offset)
{
	struct arena *arena = &reading->code->image->arena;
	struct code_variable variable = {.offset = offset};
	const char *name = dwarf_diename(member);
	Dwarf_Die type;

	if (!name || name[0] == '_' || !debug_type(member, &type))
		return true;
	variable.bytes = debug_bytes(&type);
	if (debug_is_class(&type) && variable.bytes > 0) {
		variable.name = arena_text(arena, name, given_name_length(name));
		variable.type = debug_class_name(&reading->code->names, &type);
		if (!variable.name || !variable.type ||
			!vec_push(&reading->function->shape.variables, variable))
			return false;
	}
	return !reading->function->is_gcc || take_awaited_variable(reading, &type, offset);
}

static bool take_member(struct reading *reading, Dwarf_Die *member)
{
	struct code_shape *shape = &reading->function->shape;
	Dwarf_Die type;
	uint32_t offset;

	if (dwarf_tag(member) != DW_TAG_member || !debug_offset(member, &offset))
		return true;
	if (debug_is_called(member, "_Coro_resume_index") ||
		debug_is_called(member, "__coro_index"))
		take_index(shape, member, offset);
	else if (debug_is_called(member, "_Coro_self_handle"))
		shape->handle_offset = offset;
	else if (debug_is_called(member, "_Coro_promise") || debug_is_called(member, "__promise"))
		take_promise(shape, member, offset);
	else if (debug_type(member, &type) && is_awaiter(reading->function, member, &type))
		return take_awaiter(reading, member, &type, offset);
	else
		return take_variable(reading, member, offset) &&
		       given_take(
			       reading->code, reading->function, &reading->entry, member, offset);
	return true;
}

static bool take_frame(struct reading *reading, Dwarf_Die *frame)
{
	struct code_shape *shape = &reading->function->shape;
	Dwarf_Die member;
	uint32_t nr_members = 0;
	bool is_there = dwarf_child(frame, &member) == 0;

	shape->bytes = debug_bytes(frame);
	for (; is_there && nr_members < MEMBERS_MAX; nr_members++) {
		if (!take_member(reading, &member))
			return false;
		is_there = dwarf_siblingof(&member, &member) == 0;
	}
	return true;
}

static bool take_declaration(struct reading *reading, Dwarf_Die *entry)
{
	struct code_function *function = reading->function;
	struct arena *arena = &reading->code->image->arena;
	struct symbol_place place = {.function = "", .file = "", .remark = ""};
	uint64_t line = 0;

	if (!symbol_debug_info_find(reading->code->modules->at[function->module].debug, arena,
		    function->resume, true, &place))
		return false;
	function->file = place.file;
	function->line = place.line;
	/* GCC gives its own part of a function another line of declaration. */
	if ((!place.line || !function->is_gcc) && debug_number(entry, DW_AT_decl_line, &line) &&
		line && line <= UINT32_MAX)
		function->line = (uint32_t)line;
	return true;
}

static void find_promise(struct code_shape *shape, Dwarf_Die *entry, int depth)
{
	Dwarf_Die child;
	bool is_there = depth < DEPTH_MAX && dwarf_child(entry, &child) == 0;

	for (; is_there && !shape->promise_bytes; is_there = dwarf_siblingof(&child, &child) == 0) {
		if (dwarf_tag(&child) == DW_TAG_lexical_block)
			find_promise(shape, &child, depth + 1);
		else if (debug_is_called(&child, "__promise"))
			take_promise(shape, &child, PROMISE_OFFSET);
	}
}

/*
 * Clang 19 leaves out the frame's type. The code tells two things of it: the index is what decides where the function
 * goes first, and the frame is at least as large as what the function uses of it.
 */
static bool read_without_frame(struct reading *reading, Dwarf_Die *entry)
{
	struct code_function *function = reading->function;
	size_t available = 0;
	const uint8_t *code = symbol_debug_info_code(
		reading->code->modules->at[function->module].debug, function->resume, &available);
	struct stores stores;

	if (!code || function->is_gcc)
		return true;
	if (!stores_find(code,
		    function->resume_bytes < available ? (size_t)function->resume_bytes : available,
		    function->resume, STORES_NO_DISPATCH, 1, false, &stores))
		return false;
	free(stores.steps);
	function->shape.bytes = stores.nr_in_use;
	find_promise(&function->shape, entry, 0);
	if (stores.dispatch == STORES_NO_DISPATCH)
		return points_read(reading->code, function);
	function->shape.index_offset = stores.dispatch;
	function->shape.index_bytes = 1;
	function->shape.index_mask = UINT8_MAX;
	return points_read(reading->code, function);
}

bool shape_read(struct code *code, struct code_function *function)
{
	struct reading reading = {.code = code, .function = function};
	struct debug_info *debug = code->modules->at[function->module].debug;
	Dwarf_Die scopes[SCOPES_MAX], frame;
	int nr_scopes;

	if (!symbol_debug_info_scopes(debug, function->resume, scopes, &nr_scopes))
		return false;
	if (nr_scopes == 0)
		return true;
	if (!take_declaration(&reading, &scopes[nr_scopes - 1]))
		return false;
	if (!symbol_coroutine_frame(&scopes[nr_scopes - 1], &frame))
		return read_without_frame(&reading, &scopes[nr_scopes - 1]);
	reading.entry = scopes[nr_scopes - 1];
	return take_frame(&reading, &frame) && points_read(code, function) &&
	       locals_take(code, function, &reading.entry, &frame);
}

/*
 * Does the name of a member of clang's frame, "struct_std____n4861__suspend_always_1", stand for the class
 * "std::suspend_always"? The end of the name is compared, in which no version of a library stands.
 */
static bool stands_for(const char *member, const char *class_name)
{
	const char *last = strrchr(class_name, ':'), *number = strrchr(member, '_');
	size_t nr_bytes;

	last = last ? last + 1 : class_name;
	nr_bytes = strlen(last);
	return nr_bytes > 0 && number && (size_t)(number - member) > nr_bytes && number[1] &&
	       strspn(number + 1, "0123456789") == strlen(number + 1) &&
	       strncmp(number - nr_bytes, last, nr_bytes) == 0 &&
	       number[-(ptrdiff_t)nr_bytes - 1] == '_';
}

/* Is this the awaiter of a place, by what the compiler calls it? */
static bool is_of_point(const struct code_function *function, const struct code_awaiter *awaiter,
	const struct code_point *point)
{
	if (!function->is_gcc)
		return stands_for(awaiter->type, point->awaiter);
	return awaiter->number == CODE_NO_OFFSET ? strcmp(awaiter->type, point->awaiter) == 0
						 : 2 * (awaiter->number + 2) == point->index;
}

/* The only awaiter of a place, of those that have a number, or of those that have none. */
static uint32_t only_one(
	const struct code_function *function, const struct code_point *point, bool has_number)
{
	const struct code_shape *shape = &function->shape;
	uint32_t found = CODE_NO_OFFSET, i;

	for (i = 0; i < shape->awaiters.count; i++) {
		const struct code_awaiter *awaiter = &shape->awaiters.at[i];

		if ((awaiter->number != CODE_NO_OFFSET) != has_number ||
			!is_of_point(function, awaiter, point))
			continue;
		if (found != CODE_NO_OFFSET)
			return CODE_NO_OFFSET;
		found = i;
	}
	return found;
}

uint32_t shape_awaiter_of_point(
	const struct code_function *function, const struct code_point *point)
{
	uint32_t numbered = only_one(function, point, true);

	return numbered != CODE_NO_OFFSET ? numbered : only_one(function, point, false);
}

bool shape_take_class(struct code *code, struct code_function *function, const char *class_name,
	Dwarf_Die *class_entry)
{
	struct code_shape *shape = &function->shape;
	uint32_t nr_members = 0, nr_awaited = 0;
	size_t i;

	for (i = 0; i < shape->awaiters.count && !function->is_gcc; i++) {
		struct code_awaiter *awaiter = &shape->awaiters.at[i];

		if (!stands_for(awaiter->type, class_name) || awaiter->fields)
			continue;
		awaiter->has_descriptor = find_descriptor(
			&nr_members, class_entry, awaiter->offset, true, 0, &awaiter->descriptor);
		if (!awaited_take(&code->names, awaiter, class_entry, &nr_awaited))
			return false;
	}
	return true;
}
