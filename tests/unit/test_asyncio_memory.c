/* SPDX-License-Identifier: MIT */
/* Tests the reader of asyncio on a small interpreter in memory, also while that memory changes. */
#include "check.h"
#include "corotracer/ctp.h"
#include "made_python.h"

struct looked {
	struct made_python made;
	struct arena arena;
	struct found found;
	bool is_refused;
	char words[256];
};

static void begin(struct looked *looked, const struct python_layout *layout)
{
	made_python(&looked->made, layout);
	arena_init(&looked->arena);
	found_init(&looked->found, &looked->arena);
}

static void look(struct looked *looked)
{
	struct image *image = &looked->made.image;
	struct found_reader *reader;

	CHECK_EQUAL(found_python.open(image, NULL, &reader, NULL), CT_OK);
	CHECK_EQUAL(found_python.look(reader, image, &looked->found, NULL), CT_OK);
	looked->is_refused = found_python.why_not(reader, looked->words, sizeof(looked->words));
	found_python.close(reader);
}

static void end(struct looked *looked)
{
	found_fini(&looked->found);
	arena_fini(&looked->arena);
	vec_fini(&looked->made.image.regions);
	arena_fini(&looked->made.image.arena);
	free(looked->made.memory);
}

static const struct found_coroutine *at(const struct looked *looked, uint64_t address)
{
	static const struct found_coroutine none = {.name = ""};
	uint32_t index;

	return map_get(&looked->found.by_address, address, &index)
		       ? &looked->found.coroutines.at[index]
		       : &none;
}

static const struct found_place *place_of(
	const struct looked *looked, const struct found_coroutine *coroutine)
{
	return &looked->found.places.at[coroutine->place];
}

static void check_tasks(const struct looked *looked)
{
	const struct found_coroutine *parent = at(looked, looked->made.parent);
	const struct found_coroutine *child = at(looked, looked->made.child);

	CHECK_EQUAL(looked->found.coroutines.count, 2);
	CHECK_TEXT(parent->name, "parent");
	CHECK_TEXT(place_of(looked, parent)->file, "/app.py");
	CHECK_EQUAL(place_of(looked, parent)->line, 12);
	CHECK_EQUAL(parent->awaited, looked->made.child);
	CHECK_TEXT(child->name, "child");
	CHECK_TEXT(place_of(looked, child)->function, "child");
	CHECK_EQUAL(place_of(looked, child)->line, 22);
	CHECK_EQUAL(child->object, CTP_HANDLE(CTP_RESOURCE_LOCK, looked->made.lock));
	CHECK_EQUAL(child->state, FRAME_WAITS);
}

/* The place is the program's, and the stack begins in asyncio. */
static void check_stack(const struct looked *looked)
{
	const struct found_place *place = place_of(looked, at(looked, looked->made.child));
	const struct ct_stack *inner = &looked->found.calls.at[place->stack];

	CHECK_TEXT(looked->found.places.at[inner->site].function, "Lock.acquire");
	CHECK_EQUAL(looked->found.places.at[inner->site].line, 101);
	CHECK_TEXT(looked->found.places.at[looked->found.calls.at[inner->caller].site].function,
		"child");
}

static void test_versions(void)
{
	struct looked looked;
	size_t i;

	for (i = 0; i < MADE_LAYOUTS; i++) {
		begin(&looked, &made_layouts[i]);
		look(&looked);
		check_tasks(&looked);
		check_stack(&looked);
		end(&looked);
	}
}

/* Sizes that belong to no version: the tasks are refused. */
static void test_unknown_version(void)
{
	struct looked looked;

	begin(&looked, &made_layouts[0]);
	made_word(&looked.made, looked.made.types[PYTHON_COROUTINE], 32, 160);
	look(&looked);
	CHECK_EQUAL(looked.found.coroutines.count, 0);
	CHECK(looked.is_refused && strstr(looked.words, "3.11"));
	end(&looked);
}

/* What a freed task leaves: no references. */
static void test_freed(void)
{
	struct looked looked;

	begin(&looked, &made_layouts[0]);
	made_word(&looked.made, looked.made.parent, 0, 0);
	look(&looked);
	CHECK_EQUAL(looked.found.coroutines.count, 1);
	CHECK_EQUAL(at(&looked, looked.made.child)->address, looked.made.child);
	end(&looked);
}

/* One after the other, each task is freed after each number of readings: the other one stays as it is. */
static void test_changing(void)
{
	uint32_t nr_reads, after;
	struct looked looked;

	begin(&looked, &made_layouts[0]);
	look(&looked);
	nr_reads = looked.made.memory->nr_reads;
	end(&looked);
	for (after = 0; after < nr_reads; after++) {
		begin(&looked, &made_layouts[0]);
		looked.made.memory->stores[0] =
			(struct made_store){after, (uint32_t)(looked.made.parent - MADE_START), 0};
		looked.made.memory->stores[1] = (struct made_store){after,
			(uint32_t)(looked.made.parent - MADE_START) +
				looked.made.layout->task_coroutine,
			UINT64_C(0xdead)};
		looked.made.memory->nr_stores = 2;
		look(&looked);
		CHECK_EQUAL(place_of(&looked, at(&looked, looked.made.child))->line, 22);
		CHECK(looked.found.coroutines.count <= 2);
		end(&looked);
	}
}

static void test_lines(void)
{
	/* one line further; 3 lines back, of two instructions; no line, of one; far, of one */
	static const uint8_t table[] = {0x80 | 11 << 3, 0, 0, 0x80 | 13 << 3 | 1, 7, 0x80 | 15 << 3,
		0x80 | 14 << 3, 0x40, 0x1f, 0, 0, 0};

	CHECK_EQUAL(python_code_line(table, sizeof(table), 10, 0), 11);
	CHECK_EQUAL(python_code_line(table, sizeof(table), 10, 2), 8);
	CHECK_EQUAL(python_code_line(table, sizeof(table), 10, 5), 8);
	CHECK_EQUAL(python_code_line(table, sizeof(table), 10, 6), 8);
	CHECK_EQUAL(python_code_line(table, sizeof(table), 10, 8), 8 + 992);
	/* before the first instruction, and behind the last one */
	CHECK_EQUAL(python_code_line(table, sizeof(table), 10, UINT64_MAX), 10);
	CHECK_EQUAL(python_code_line(table, 0, 10, 0), 10);
}

int main(void)
{
	test_versions();
	test_unknown_version();
	test_freed();
	test_changing();
	test_lines();
	return check_result();
}
