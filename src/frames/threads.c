/* SPDX-License-Identifier: MIT */
/* What the threads of a program are in, by their registers (found.h). */
#include <stdlib.h>
#include <string.h>

#include "frames/found.h"

#define THREADS_MAX 1024u /* that are followed */

static void follow(
	const struct calling *calling, const struct image_thread *from, struct found_thread *thread)
{
	struct unwind registers = {.known = from->known};

	memcpy(registers.at, from->registers, sizeof(registers.at));
	thread->first = registers.at[UNWIND_RSP];
	calls_follow(calling, &registers, &thread->calls);
	if (thread->calls.count > 0)
		thread->place = calls_place(calling->found, &thread->calls);
}

static void find(struct found *found, const struct image *image, const struct modules *modules)
{
	const uint32_t needed = UINT32_C(1) << UNWIND_RSP | UINT32_C(1) << UNWIND_RIP;
	const struct calling calling = {image, modules, found};
	size_t i;

	for (i = 0; i < image->threads.count && i < THREADS_MAX; i++) {
		const struct image_thread *from = &image->threads.at[i];
		struct found_thread thread = {0};

		if ((from->known & needed) == needed)
			follow(&calling, from, &thread);
		if (!vec_push(&found->threads, thread))
			found->is_out_of_memory = true;
	}
}

const struct found_thread *found_thread_at(const struct found *found, uint32_t thread)
{
	return thread < found->threads.count && found->threads.at[thread].calls.count > 0
		       ? &found->threads.at[thread]
		       : NULL;
}

bool found_thread_is_in(
	const struct found_thread *thread, uint64_t start, uint64_t bytes, uint64_t word_at)
{
	size_t i;

	for (i = 0; i < thread->calls.nr_functions; i++)
		if (thread->calls.addresses[i] - start < bytes && word_at < thread->calls.ends[i])
			return true;
	return false;
}

/* ---------------------------------------------------------------- as a reader */

struct found_reader {
	const struct modules *modules;
};

static enum ct_status open_reader(struct image *image, const struct modules *modules,
	struct found_reader **ret_reader, struct ct_error *reterr)
{
	struct found_reader *reader = calloc(1, sizeof(*reader));

	(void)image;
	if (!reader)
		return ct_fail_memory(reterr);
	reader->modules = modules;
	*ret_reader = reader;
	return CT_OK;
}

static enum ct_status look(struct found_reader *reader, struct image *image, struct found *found,
	struct ct_error *reterr)
{
	(void)reterr;
	find(found, image, reader->modules);
	return CT_OK;
}

static enum ct_status why_not(const struct found_reader *reader, char *words, size_t nr_bytes)
{
	(void)reader, (void)words, (void)nr_bytes;
	return CT_OK;
}

static void close_reader(struct found_reader *reader)
{
	free(reader);
}

const struct found_reader_ops found_threads = {open_reader, look, why_not, close_reader};
