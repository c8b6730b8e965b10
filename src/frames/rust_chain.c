/* SPDX-License-Identifier: MIT */
/* Follows the async functions of a task from its own future to what it waits for (rust_tasks.h). */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "corotracer/ctp.h"
#include "frames/rust_awaited.h"
#include "frames/rust_locals.h"
#include "frames/rust_tasks.h"
#include "frames/value.h"
#include "say/say.h"

#define STEPS_MAX 512
#define FUNCTIONS_MAX 128

struct call {
	struct rust_value function; /* the async function or block */
	struct rust_variant now;    /* where it is, and what it has there */
};

struct chain {
	struct found *found;
	const struct image *image;
	const struct modules *modules;
	struct call calls[FUNCTIONS_MAX];
	size_t count;
	bool is_initial;
	bool has_ended;
	struct rust_value last; /* what the innermost one awaits */
	bool has_last;
	uint64_t identity; /* by which a probe knows the task */
};

/* A future of a library (rust_waits.def). */
struct wait {
	const char *type;
	const char *member;
	unsigned resource;
};

/* ---------------------------------------------------------------- names */

/* "my::serve::{async_fn_env#0}<u32>" is told as "my::serve", and a block within it as "my::serve::{async_block#0}". */
static void add_scope(struct text *name, const char *scope)
{
	static const char mark[] = "_env#";
	const char *env = strstr(scope, mark);

	if (strncmp(scope, "{async_fn", 9) == 0)
		return;
	if (name->length > 0)
		text_add(name, "::");
	if (scope[0] != '{' || !env) {
		text_add(name, scope);
		return;
	}
	text_append(name, scope, (size_t)(env - scope));
	text_add(name, env + strlen("_env"));
}

static const char *function_name(struct found *found, const struct rust_value *function)
{
	Dwarf_Die type = function->type, *scopes = NULL;
	struct text name = {0};
	const char *kept, *own;
	int i = dwarf_getscopes_die(&type, &scopes);

	while (--i >= 0) {
		own = dwarf_tag(&scopes[i]) == DW_TAG_compile_unit ? NULL
								   : dwarf_diename(&scopes[i]);
		if (own)
			add_scope(&name, own);
	}
	free(scopes);
	kept = found_text(found, text_peek(&name));
	text_fini(&name);
	return kept;
}

/* ---------------------------------------------------------------- the row */

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* A trait object: its table says which function drops it, and that function's debug information of which type it is. */
static bool step_dynamic(const struct chain *chain, struct rust_value *value)
{
	struct rust_value pointer, table;
	uint64_t address, drop;

	if (!rust_member(value, "pointer", &pointer) || !rust_member(value, "vtable", &table) ||
		!image_read_word(chain->image, pointer.address, &address) ||
		!image_read_word(chain->image, table.address, &drop) ||
		!image_read_word(chain->image, drop, &drop) ||
		!rust_kinds_dropped(chain->image, chain->modules, drop, &value->type))
		return false;
	value->address = address;
	return true;
}

/* Does the type's name say that it is, or has in it, an async function, or a future of any type in a box? */
static bool is_future(const struct rust_value *value)
{
	const char *name = rust_type_name(value);

	return strstr(name, "{async_") ||
	       (begins(name, "Pin<") && strstr(name, "dyn core::future::future::Future<"));
}

/* Things around a future: a pin, a box, a pointer; and what gives it a time, or a span. */
static bool step_inside(struct chain *chain, struct rust_value *value)
{
	static const char *const inner[] = {"value", "inner", "future"};
	const char *name = rust_type_name(value);
	struct rust_value member;
	size_t i;

	if (rust_pointed(chain->image, value, &member)) {
		*value = member;
		return true;
	}
	if (step_dynamic(chain, value))
		return true;
	if (begins(name, "Pin<") || begins(name, "Box<") || begins(name, "Unique<") ||
		begins(name, "NonNull<") || begins(name, "alloc::boxed::Box<") ||
		begins(name, "ManuallyDrop<")) {
		if (!rust_only_member(value, &member))
			return false;
		*value = member;
		return true;
	}
	for (i = 0; i < sizeof(inner) / sizeof(*inner); i++) {
		if (!rust_member(value, inner[i], &member) || !is_future(&member))
			continue;
		*value = member;
		return true;
	}
	return false;
}

/* False: there is no further one. */
static bool step_async(struct chain *chain, struct rust_value *value)
{
	struct rust_variant variant;
	struct call *call;

	if (!rust_variant_now(chain->image, value, &variant) || chain->count == FUNCTIONS_MAX)
		return false;
	chain->is_initial = strcmp(variant.name, "Unresumed") == 0;
	chain->has_ended = !chain->is_initial && !begins(variant.name, "Suspend");
	if (chain->has_ended)
		return false;
	call = &chain->calls[chain->count++];
	*call = (struct call){.function = *value, .now = variant};
	return !chain->is_initial && rust_member(&variant.value, "__awaitee", value);
}

/* The probe of this project wraps a future in one that has the number (sdk/rust/src/future.rs); 0: this is none. */
static uint64_t identity_in(const struct chain *chain, const struct rust_value *value)
{
	struct rust_value member;
	uint64_t identity = 0;

	if (begins(rust_type_name(value), "TracedFuture<") &&
		rust_member(value, "trace", &member) && rust_member(&member, "told", &member) &&
		rust_member(&member, "coro", &member))
		image_read_word(chain->image, member.address, &identity);
	return identity;
}

/* A wrapped future within another one is a part of the task. */
static void follow(struct chain *chain, struct rust_value value)
{
	int steps;

	for (steps = 0; steps < STEPS_MAX; steps++) {
		uint64_t identity = identity_in(chain, &value);
		bool goes_on = rust_is_async(&value) ? step_async(chain, &value)
						     : step_inside(chain, &value);

		if (!chain->identity)
			chain->identity = identity;
		if (goes_on)
			continue;
		chain->last = value;
		chain->has_last = !rust_is_async(&value);
		return;
	}
}

/* ---------------------------------------------------------------- places */

static uint64_t key_of(uint64_t function, const struct call *call, uint32_t stack)
{
	uint64_t words[] = {
		function, call->now.line, stack, 0x72}; /* the last one: no other reader's key */

	return hash_bytes(HASH_START, words, sizeof(words));
}

static uint32_t place_of(struct found *found, const struct call *call, uint32_t stack)
{
	uint64_t key = key_of((uint64_t)(uintptr_t)call->function.type.addr, call, stack);
	struct found_place place = {.line = call->now.line, .reason = "", .stack = stack};
	uint32_t index;

	if (found_has_place(found, key, &index))
		return index;
	/* Several units of a program have the same type. */
	place.function = function_name(found, &call->function);
	place.file = found_text(found, call->now.file);
	index = found_place(found,
		key_of(hash_bytes(HASH_START, place.function, strlen(place.function)), call, stack),
		&place);
	if (!map_put(&found->by_key, key, index))
		found->is_out_of_memory = true;
	return index;
}

static const char *function_of(struct found *found, const struct call *call)
{
	return found->places.at[place_of(found, call, 0)].function;
}

/* The innermost place of the program itself, with the whole row as its stack. */
static uint32_t place_of_chain(struct chain *chain)
{
	const struct call *known = &chain->calls[0];
	uint32_t stack = 0;
	size_t i;

	for (i = 0; i < chain->count; i++) {
		stack = found_call(
			chain->found, place_of(chain->found, &chain->calls[i], 0), stack);
		if (!say_is_installed(chain->calls[i].now.file) ||
			say_is_installed(known->now.file))
			known = &chain->calls[i];
	}
	return place_of(chain->found, known, chain->count > 1 ? stack : 0);
}

/* ---------------------------------------------------------------- what is awaited */

/* A pointer within structures of one member, and within an Option. */
static uint64_t pointer_in(const struct image *image, struct rust_value value)
{
	struct rust_value member;
	struct rust_variant variant;
	uint64_t word = 0;
	int steps;

	for (steps = 0; steps < STEPS_MAX; steps++)
		if (rust_only_member(&value, &member))
			value = member;
		else if (rust_variant_now(image, &value, &variant))
			value = variant.value;
		else
			break;
	if (dwarf_tag(&value.type) == DW_TAG_pointer_type)
		image_read_word(image, value.address, &word);
	return word;
}

/* A lock of tokio is a semaphore, and who waits for it needs what its only holder, or its last reader, gives back. */
static bool is_in_lock(const struct chain *chain)
{
	size_t i;

	for (i = 0; i < chain->count; i++)
		if (strstr(chain->calls[i].now.file, "/sync/mutex.rs") ||
			strstr(chain->calls[i].now.file, "/sync/rwlock.rs"))
			return true;
	return false;
}

/* The member of the future, or of the only thing in it, and so on: crates put their futures into one another. */
static uint64_t member_in(const struct chain *chain, const char *name)
{
	struct rust_value value = chain->last, member;
	int steps;

	for (steps = 0; steps < STEPS_MAX; steps++) {
		if (rust_member(&value, name, &member))
			return pointer_in(chain->image, member);
		if (!rust_only_member(&value, &value))
			return 0;
	}
	return 0;
}

static void tell_wait(
	const struct chain *chain, const struct wait *wait, struct found_coroutine *coroutine)
{
	uint64_t address = wait->member[0] ? member_in(chain, wait->member) : chain->last.address;
	unsigned resource = wait->resource;

	if (!address)
		return;
	if (resource == CTP_RESOURCE_COROUTINE)
		coroutine->awaited = address;
	else if (resource == CTP_RESOURCE_SEMAPHORE && is_in_lock(chain))
		coroutine->object = CTP_HANDLE(CTP_RESOURCE_LOCK, address);
	else
		coroutine->object = CTP_HANDLE(resource, address);
}

/* A type with arguments ends with them. */
static bool is_type(const char *name, const char *type)
{
	size_t length = strlen(type);

	return type[length - 1] == '<' ? begins(name, type) : strcmp(name, type) == 0;
}

static void tell_awaited(const struct chain *chain, struct found_coroutine *coroutine)
{
	static const struct wait waits[] = {
#define X(type, member, resource) {type, member, CTP_RESOURCE_##resource},
#include "frames/rust_waits.def"
#undef X
	};
	const char *name = rust_type_name(&chain->last);
	size_t i;

	for (i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (is_type(name, waits[i].type)) {
			tell_wait(chain, &waits[i], coroutine);
			return;
		}
}

/* ---------------------------------------------------------------- the whole */

static uint64_t content_of(const struct chain *chain)
{
	uint64_t hash = HASH_START;
	size_t i;

	for (i = 0; i < chain->count; i++) {
		uint64_t words[] = {chain->calls[i].function.address, chain->calls[i].now.line};

		hash = hash_bytes(hash, words, sizeof(words));
	}
	return hash;
}

uint32_t rust_chain_function(struct found *found, const struct rust_value *future)
{
	struct call call = {.function = *future, .now = {.file = ""}};

	return place_of(found, &call, 0);
}

/* ---------------------------------------------------------------- variables */

struct taking {
	const struct chain *chain;
	uint64_t coroutine;
	uint32_t place;
};

/* "Arc<T, alloc::alloc::Global>" without what is said everywhere. */
static const char *short_type(struct found *found, const char *name)
{
	static const char usual[] = ", alloc::alloc::Global";
	const char *at;
	struct text text = {0};
	const char *kept;

	while ((at = strstr(name, usual)) != NULL) {
		text_append(&text, name, (size_t)(at - name));
		name = at + strlen(usual);
	}
	text_add(&text, name);
	kept = found_text(found, text_peek(&text));
	text_fini(&text);
	return kept;
}

static bool take_variable(void *context, const char *name, const struct rust_value *value)
{
	const struct taking *taking = context;
	struct found *found = taking->chain->found;
	struct found_variable variable = {.coroutine = taking->coroutine,
		.name = name,
		.address = value->address,
		.bytes = rust_bytes(value),
		.place = taking->place};

	if (begins(name, "__"))
		return true;
	variable.name = found_text(found, name);
	variable.type = short_type(found, rust_type_name(value));
	return vec_push(&found->variables, variable);
}

/* The variables of the async functions, and what the innermost one awaits. */
static void take_variables(const struct chain *chain, const struct found_coroutine *coroutine)
{
	struct taking taking = {.chain = chain, .coroutine = coroutine->address};
	bool is_well = true;
	size_t i;

	for (i = 0; i < chain->count && is_well; i++) {
		taking.place = place_of(chain->found, &chain->calls[i], 0);
		is_well = rust_each_member(&chain->calls[i].now.value, take_variable, &taking);
	}
	if (is_well && chain->has_last) {
		is_well = take_variable(&taking, "", &chain->last);
	}
	if (!is_well)
		chain->found->is_out_of_memory = true;
}

/* Values of variables in the program's own functions: "locals of serve: id = 3; of fetch: attempt = 0". */
static void say_locals(const struct chain *chain, struct found_coroutine *coroutine)
{
	const struct rust_reading reading = {chain->image, chain->found->arena};
	struct text words = {0}, values = {0};
	size_t i;

	if (coroutine->state != FRAME_WAITS || chain->found->coroutines.count >= FOUND_TOLD)
		return;
	for (i = 0; i < chain->count && words.length < VALUE_WORDS_MAX_BYTES; i++) {
		if (say_is_installed(chain->calls[i].now.file))
			continue;
		text_clear(&values);
		if (!rust_locals_say(
			    &reading, &chain->calls[i].function, &chain->calls[i].now, &values))
			chain->found->is_out_of_memory = true;
		found_locals_add(
			&words, function_of(chain->found, &chain->calls[i]), text_peek(&values));
	}
	text_fini(&values);
	coroutine->variables = found_words(chain->found, &words, 0);
}

/* An async function in a box lies elsewhere than the task. */
static void note_parts(const struct chain *chain, const struct found_coroutine *coroutine)
{
	size_t i;

	for (i = 0; i < chain->count; i++) {
		struct found_part part = {.coroutine = coroutine->address,
			.address = chain->calls[i].function.address};

		if (part.address - coroutine->address >= coroutine->bytes &&
			!vec_push(&chain->found->parts, part))
			chain->found->is_out_of_memory = true;
	}
}

/* ---------------------------------------------------------------- what is in what is awaited */

static void add_object(const struct chain *chain, const struct rust_reading *reading,
	const struct found_coroutine *coroutine, struct rust_objects *objects)
{
	struct rust_waiting waiting = {.place = coroutine->place};

	if (rust_awaited_object(reading, &chain->last, &waiting.object) &&
		(!vec_push(&objects->waiting, waiting) ||
			!object_counts_add(&objects->counts, waiting.object.address,
				objects->waiting.count - 1)))
		chain->found->is_out_of_memory = true;
}

/* Tasks, timers, locks and the like are told as what they are. */
static void say_awaited(
	const struct chain *chain, struct found_coroutine *coroutine, struct rust_objects *objects)
{
	const struct rust_reading reading = {chain->image, chain->found->arena};
	struct text words = {0};
	size_t nr_before;

	if (coroutine->awaited || coroutine->object || coroutine->state != FRAME_WAITS ||
		chain->found->coroutines.count >= FOUND_TOLD)
		return;
	text_add(&words, "awaits ");
	say_name(&words, short_type(chain->found, rust_type_name(&chain->last)));
	text_add(&words, ": ");
	nr_before = words.length;
	if (!rust_awaited_say(&reading, &chain->last, &words))
		chain->found->is_out_of_memory = true;
	coroutine->awaits = found_words(chain->found, &words, nr_before);
	add_object(chain, &reading, coroutine, objects);
}

void rust_chain_tell(struct found *found, const struct image *image, const struct modules *modules,
	const struct rust_value *future, struct found_coroutine *coroutine,
	struct rust_objects *objects)
{
	struct chain chain = {.found = found, .image = image, .modules = modules};

	follow(&chain, *future);
	coroutine->content = content_of(&chain);
	coroutine->identity = chain.identity;
	note_parts(&chain, coroutine);
	take_variables(&chain, coroutine);
	say_locals(&chain, coroutine);
	coroutine->is_initial = chain.is_initial && chain.count == 1;
	/* What was spawned may be a box around the first of them. */
	if (chain.count > 0)
		coroutine->function = rust_chain_function(found, &chain.calls[0].function);
	coroutine->place = chain.count ? place_of_chain(&chain) : coroutine->function;
	if (!chain.has_last)
		return;
	tell_awaited(&chain, coroutine);
	say_awaited(&chain, coroutine, objects);
}
