/* SPDX-License-Identifier: MIT */
/*
 * Which pages of its memory a process has: in shared and private memory of this process, of which some pages were used.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "kernel/procfs.h"
#include "kernel/procfs_pages.h"

#define PAGE PROCFS_PAGE_BYTES
#define NR_PAGES (3 * PROCFS_PAGES_AT_ONCE)

static struct procfs_pages pages;

static void expect_row(uint64_t from, uint64_t end, uint64_t row_start, uint64_t row_end)
{
	uint64_t start = from, until = 0;

	CHECK(procfs_pages_next(&pages, &start, end, &until));
	CHECK_EQUAL(start, row_start);
	CHECK_EQUAL(until, row_end);
}

static void expect_none(uint64_t from, uint64_t end)
{
	uint64_t start = from, until = 0;

	CHECK(!procfs_pages_next(&pages, &start, end, &until));
}

/* Huge pages would make neighbours used as well. */
static void test_rows(int sharing)
{
	char *memory = mmap(NULL, (size_t)NR_PAGES * PAGE, PROT_READ | PROT_WRITE,
		sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t start = (uint64_t)(uintptr_t)memory, end = start + (uint64_t)NR_PAGES * PAGE;
	uint64_t used = start + (uint64_t)PROCFS_PAGES_AT_ONCE * PAGE;
	int folder = procfs_open(getpid());

	CHECK(memory != MAP_FAILED &&
		madvise(memory, (size_t)NR_PAGES * PAGE, MADV_NOHUGEPAGE) == 0);
	memory[used - start - 1] = memory[used - start] =
		1; /* on both sides of what is read at once */
	CHECK(procfs_pages_open(&pages, folder));
	expect_row(start, end, used - PAGE, used + PAGE);
	expect_row(used + 8, end, used + 8, used + PAGE);
	expect_row(start, used + 24, used - PAGE, used + 24);
	expect_none(used + PAGE, end);
	expect_none(start, used - PAGE);
	procfs_pages_close(&pages);
	CHECK(close(folder) == 0 && munmap(memory, (size_t)NR_PAGES * PAGE) == 0);
}

int main(void)
{
	test_rows(MAP_PRIVATE);
	test_rows(MAP_SHARED);
	procfs_pages_close(&pages);
	return check_result();
}
