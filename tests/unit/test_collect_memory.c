/* SPDX-License-Identifier: MIT */
/*
 * The collector's loop allocates no memory while events flow: memory was allocated when the process, thread or ring
 * appeared. Every allocation of this program is counted here.
 *
 * argv[1] is tests/targets/collect_target.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "collect/collect.h"
#include "stream/stream.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#ifndef IS_SANITIZED
void *__libc_malloc(size_t nr_bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *before, size_t nr_bytes);

static uint64_t nr_allocations;

void *malloc(size_t nr_bytes)
{
	nr_allocations++;
	return __libc_malloc(nr_bytes);
}

void *calloc(size_t count, size_t size)
{
	nr_allocations++;
	return __libc_calloc(count, size);
}

void *realloc(void *before, size_t nr_bytes)
{
	nr_allocations++;
	return __libc_realloc(before, nr_bytes);
}

static uint64_t nr_records;
static uint64_t nr_definitions;

static enum ct_status count_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	(void)sink, (void)reterr;
	nr_records += batch->nr_records;
	return CT_OK;
}

static enum ct_status count_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	(void)sink, (void)definition, (void)reterr;
	nr_definitions++;
	return CT_OK;
}

static enum ct_status count_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	(void)sink, (void)reterr;
	return CT_OK;
}

static void step_until(struct collect *collect, uint64_t wanted)
{
	while (nr_records < wanted)
		if (collect_step(collect, 100, NULL) != CT_OK)
			break;
	CHECK(nr_records >= wanted);
}

int main(int argc, char **argv)
{
	static const struct ct_sink_ops ops = {
		.put = count_put, .define = count_define, .flush = count_flush};
	char path[] = "/tmp/corotracer-test-XXXXXX";
	struct ct_sink sink = {.ops = &ops};
	const char *command[] = {argc > 1 ? argv[1] : NULL, "flood", path, NULL};
	struct ct_record_options options = {
		.size = sizeof(options), .command = (char *const *)(uintptr_t)command};
	struct collect *collect;
	uint64_t before;
	int descriptor;

	if (argc < 2)
		SKIP("the target's path is the first argument");
	descriptor = mkstemp(path);
	if (descriptor < 0 || ftruncate(descriptor, 8) ||
		collect_open(&options, &sink, &collect, NULL))
		return 1;
	step_until(collect, 1000000); /* by then, everything has been defined */
	before = nr_allocations;
	/* long enough for everything that is done only now and then */
	step_until(collect, 40000000);
	CHECK_EQUAL(nr_allocations - before, 0);
	CHECK_EQUAL(collect_signal(collect, SIGKILL, false, NULL), CT_OK);
	while (collect_step(collect, 100, NULL) == CT_OK)
		;
	CHECK_EQUAL(collect_finish(collect, NULL), CT_OK);
	collect_close(collect);
	close(descriptor);
	unlink(path);
	if (before == 0)
		SKIP("another allocator stands in front of this one");
	return check_result();
}
#else
int main(void)
{
	SKIP("a sanitizer has an allocator of its own");
}
#endif
