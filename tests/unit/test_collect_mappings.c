/* SPDX-License-Identifier: MIT */
/*
 * The mappings of this process: each is defined once, and again when it has changed.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "keep_sink.h"
#include "collect/mappings.h"

#define PAGE 4096u
#define PROCESS 3u

struct fixture {
	struct keep_sink keep;
	struct output output;
	struct mappings mappings;
};

/* Reads the mappings; returns the number of new definitions. */
static size_t look(struct fixture *f)
{
	size_t nr_before = f->keep.definitions.count;

	CHECK(collect_mappings_read(&f->mappings, PROCESS, getpid(), &f->output));
	return f->keep.definitions.count - nr_before;
}

static void *map_code(void *at, size_t nr_bytes)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0);
	void *code = mmap(at, nr_bytes, PROT_READ | PROT_EXEC, flags, -1, 0);

	if (code == MAP_FAILED)
		abort();
	return code;
}

static bool is_covered(const struct fixture *f, const char *address)
{
	return collect_mappings_cover(&f->mappings, PROCESS, (uint64_t)(uintptr_t)address);
}

static void test_changes(struct fixture *f)
{
	/* Pages without rights on both sides, so that mappings are not joined with neighbours. */
	char *room = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *code = room + PAGE;
	const struct ct_define_mapping *newest;

	CHECK(look(f) > 0);
	CHECK_EQUAL(look(f), 0);
	CHECK(!is_covered(f, code));
	map_code(code, PAGE);
	CHECK_EQUAL(look(f), 1);
	CHECK(is_covered(f, code) && !is_covered(f, code + PAGE));
	map_code(code, 2 * PAGE);
	CHECK_EQUAL(look(f), 1);
	CHECK(is_covered(f, code + PAGE));
	CHECK_EQUAL(look(f), 0);
	newest = &f->keep.definitions.at[f->keep.definitions.count - 1].mapping;
	CHECK_EQUAL(newest->end - newest->start, 2 * PAGE);
	/* Going back to the state before the last change is a change, too. */
	mprotect(code + PAGE, PAGE, PROT_NONE);
	CHECK_EQUAL(look(f), 1);
	CHECK_EQUAL(f->mappings.nr_forgotten, 0);
	munmap(room, 4 * PAGE);
}

/* The addresses of one process say nothing about another process. */
static void test_other_process(struct fixture *f)
{
	CHECK(is_covered(f, (const char *)(uintptr_t)map_code));
	CHECK(!collect_mappings_cover(&f->mappings, PROCESS + 1, (uint64_t)(uintptr_t)map_code));
	CHECK(collect_mappings_read(&f->mappings, PROCESS + 1, getpid(), &f->output));
	CHECK(collect_mappings_cover(&f->mappings, PROCESS + 1, (uint64_t)(uintptr_t)map_code));
	CHECK(!collect_mappings_read(&f->mappings, PROCESS + 2, INT32_MAX, &f->output));
}

int main(void)
{
	struct fixture f = {0};

	keep_init(&f.keep);
	f.keep.is_order_ignored = true; /* the process is not defined */
	collect_output_init(&f.output, &f.keep.sink);
	test_changes(&f);
	test_other_process(&f);
	collect_mappings_fini(&f.mappings);
	keep_fini(&f.keep);
	return check_result();
}
