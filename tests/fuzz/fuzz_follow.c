/* SPDX-License-Identifier: MIT */
/*
 * Any memory of a program, and any coroutines in it: who could still be woken is asked, who has what others await, and
 * who holds a lock. The input is a list of words; the first ones make the coroutines and what belongs to them, all are
 * memory: chunks of malloc, pools of Python and a stack of a thread. The highest byte says what each word becomes.
 * Reading has to end, what is concluded has to be about a coroutine that waits, and texts have to end.
 */
#include <string.h>

#include "corotracer/ctp.h"
#include "frames/follow.h"
#include "frames/rust_tasks.h"
#include "memory_file.h"

#define WORD sizeof(uint64_t)
#define CHUNKS UINT64_C(0x10000000)
#define POOLS UINT64_C(0x20000000)
#define STACK UINT64_C(0x30000000)
#define REGION_BYTES 0x8000u
#define REGION_WORDS (REGION_BYTES / WORD)
#define REGIONS 3u
#define PAGE UINT64_C(4096)
#define POOL 16384u
#define COROUTINES 8u
#define PARTS 16u
#define VARIABLES 12u
#define RECORD_WORDS 4u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static const uint64_t starts[REGIONS] = {CHUNKS, POOLS, STACK};

struct made_memory {
	struct image image;
	uint64_t words[REGIONS][REGION_WORDS];
};

/* The words of the input, one after the other; behind the last one it begins again. */
struct words {
	const uint8_t *bytes;
	size_t count;
	size_t at;
};

static struct made_memory made;
static uint64_t sum; /* over all that is told */

static size_t read_made(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	size_t i;

	(void)image;
	for (i = 0; i < REGIONS; i++)
		if (region->start == starts[i])
			memcpy(bytes, (const uint8_t *)made.words[i] + (address - starts[i]),
				nr_bytes);
	return nr_bytes;
}

static void close_nothing(struct image *image)
{
	(void)image;
}

static void open_once(void)
{
	static const struct image_ops ops = {.read = read_made, .close = close_nothing};
	size_t i;

	image_init(&made.image, &ops);
	made.image.program = made.image.command_line = "";
	for (i = 0; i < REGIONS; i++) {
		struct image_region region = {.start = starts[i],
			.end = starts[i] + REGION_BYTES,
			.path = "",
			.is_writable = true,
			.core_bytes = REGION_BYTES};

		require(image_add_region(&made.image, &region));
	}
}

static uint64_t raw_word(struct words *words)
{
	uint64_t word;

	memcpy(&word, words->bytes + words->at * WORD, WORD);
	words->at = (words->at + 1) % words->count;
	return word;
}

/* An address in a region, mostly at a word; or small, or as it is. */
static uint64_t next_word(struct words *words)
{
	uint64_t raw = raw_word(words), offset = raw % REGION_BYTES;

	switch (raw >> 56 & 7) {
	case 0:
	case 1:
		return starts[raw >> 32 & 1] + (offset & ~UINT64_C(7));
	case 2:
		return starts[(raw >> 32) % REGIONS] + offset;
	case 3:
		return raw & 0xffff;
	case 4:
		return CHUNKS + (offset & ~(PAGE - 1)) + 16;
	default:
		return raw;
	}
}

/* Chunks that mmap(2) made, one behind the other, and pools of small objects. */
static void set_heads(unsigned form)
{
	size_t at;

	for (at = 0; at < REGION_WORDS; at += PAGE / WORD) {
		made.words[0][at] = 0;
		made.words[0][at + 1] = PAGE | 2;
	}
	for (at = 0; at < REGION_WORDS; at += POOL / WORD) {
		uint32_t size = form % 32, numbers[] = {0, size, POOL, POOL - (size + 1) * 16};

		made.words[1][at] = 1;
		memcpy(&made.words[1][at + 4], numbers, sizeof(numbers));
	}
}

static void add_coroutine(struct found *found, struct words *words)
{
	uint64_t form = raw_word(words);
	struct found_coroutine coroutine = {.name = "", .thread = FOUND_NO_THREAD};

	coroutine.address = next_word(words);
	coroutine.state = form % 4;
	coroutine.knot = form >> 2 & 3;
	coroutine.is_initial = (form >> 4 & 7) == 7;
	coroutine.bytes = form >> 8 & 0x1ff;
	if (form >> 20 & 1)
		coroutine.object = CTP_HANDLE(CTP_RESOURCE_LOCK, next_word(words) & 0xffffffff);
	found_coroutine(found, &coroutine);
}

static uint64_t any_coroutine(const struct found *found, uint64_t number)
{
	return found->coroutines.at[number % found->coroutines.count].address;
}

static void add_variable(struct found *found, struct words *words)
{
	static const char *const names[] = {"", "guard", "pending"};
	static const char *const types[] = {"MutexGuard<u32>", "Sleep", "Write", "Notified"};
	uint64_t form = raw_word(words);
	struct found_variable variable = {.coroutine = any_coroutine(found, form >> 16),
		.name = names[form % 3],
		.type = types[form >> 2 & 3],
		.bytes = form >> 4 & 0xfff};

	variable.address = next_word(words);
	require(vec_push(&found->variables, variable));
}

static void add_all(struct found *found, struct words *words)
{
	size_t i;

	for (i = 0; i < COROUTINES; i++)
		add_coroutine(found, words);
	for (i = 0; i < PARTS; i++) {
		struct found_part part = {.coroutine = any_coroutine(found, raw_word(words))};

		part.address = next_word(words);
		require(i % 2 ? vec_push(&found->parts, part) : vec_push(&found->knots, part));
	}
	for (i = 0; i < VARIABLES; i++)
		add_variable(found, words);
	require(map_put(&found->waker_tables, next_word(words), 0));
}

/* An interpreter whose types are any addresses, of each kind one. */
static void add_python(struct found *found, struct words *words)
{
	uint64_t form = raw_word(words);
	struct found_python_stack stack = {.thread = FOUND_NO_THREAD};
	uint32_t kind;

	if (form & 1)
		return;
	for (kind = FOUND_OTHER; kind <= FOUND_COROUTINE; kind++)
		require(map_put(&found->python.types, next_word(words) | 1 << 3, kind));
	found->python.state = 67;
	found->python.frame = 72;
	found->python.height = 64;
	found->python.has_address = form & 2;
	found->python.locals = 80;
	stack.start = next_word(words);
	stack.top = next_word(words);
	stack.end = stack.top + (form >> 8 & 0xffff);
	require(vec_push(&found->python.stacks, stack));
}

static void set_threads(struct words *words)
{
	struct image_thread thread = {.tid = 1};

	made.image.threads.count = 0;
	thread.stack_pointer = STACK + (raw_word(words) % REGION_BYTES & ~UINT64_C(7));
	require(vec_push(&made.image.threads, thread));
	made.image.held.count = 0;
	require(vec_push(&made.image.held, next_word(words)));
}

static void check(const struct found *found)
{
	size_t i;

	for (i = 0; i < found->coroutines.count; i++)
		require(!found->coroutines.at[i].is_unreached ||
			found->coroutines.at[i].state == FRAME_WAITS);
	for (i = 0; i < found->holdings.count; i++)
		require(found->holdings.at[i].coroutine < found->coroutines.count);
	for (i = 0; i < found->sights.count; i++)
		sum += strlen(found->sights.at[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct words words = {.bytes = bytes, .count = nr_bytes / WORD};
	struct arena arena;
	struct found found;
	size_t i;

	if (words.count == 0)
		return 0;
	if (made.image.regions.count == 0)
		open_once();
	arena_init(&arena);
	found_init(&found, &arena);
	add_all(&found, &words);
	add_python(&found, &words);
	set_threads(&words);
	for (i = 0; i < REGIONS * REGION_WORDS; i++)
		made.words[i % REGIONS][i / REGIONS] = next_word(&words);
	set_heads((unsigned)raw_word(&words));
	rust_holds_link(&found, &made.image);
	require(follow_judge(&found, &made.image));
	check(&found);
	found_fini(&found);
	arena_fini(&arena);
	return 0;
}
