/* SPDX-License-Identifier: MIT */
/* What the threads of a program are in, by their registers (found.h). */
#include <stdlib.h>
#include <string.h>

#include "frames/found.h"

#define THREADS_MAX 1024u /* that are followed */

static bool follow(const struct calling *calling, const uint64_t *registers, uint32_t known,
	struct calls *ret_calls)
{
	const uint32_t needed = UINT32_C(1) << UNWIND_RSP | UINT32_C(1) << UNWIND_RIP;
	struct unwind unwind = {.known = known};

	memset(ret_calls, 0, sizeof(*ret_calls));
	if ((known & needed) != needed)
		return false;
	memcpy(unwind.at, registers, sizeof(unwind.at));
	calls_follow(calling, &unwind, ret_calls);
	return ret_calls->count > 0;
}

/*
 * The stacks of a thread that runs, each as its memory was then; the first that can be followed stands for the thread.
 */
static void follow_samples(
	const struct calling *calling, struct image_thread *from, struct found_thread *thread)
{
	struct calls calls;
	uint32_t i, main = from->nr_stacks;

	for (i = 0; i < from->nr_stacks && i < FOUND_SAMPLES; i++) {
		from->shown = i;
		if (!follow(calling, from->stacks[i].registers, from->stacks[i].known, &calls))
			continue;
		thread->samples[thread->nr_samples++] = calls_place(calling->found, &calls);
		if (main < from->nr_stacks)
			continue;
		main = i;
		thread->calls = calls;
	}
	from->shown = main < from->nr_stacks ? main : 0;
	from->stack_pointer = thread->first = from->stacks[from->shown].start;
	memcpy(from->registers, from->stacks[from->shown].registers, sizeof(from->registers));
}

static void follow_thread(
	const struct calling *calling, struct image_thread *from, struct found_thread *thread)
{
	if (from->nr_stacks > 0)
		follow_samples(calling, from, thread);
	else
		follow(calling, from->registers, from->known, &thread->calls);
	if (thread->calls.count > 0)
		thread->place = calls_place(calling->found, &thread->calls);
}

static void find(struct found *found, struct image *image, const struct modules *modules)
{
	const struct calling calling = {.image = image, .modules = modules, .found = found};
	size_t i;

	for (i = 0; i < image->threads.count && i < THREADS_MAX; i++) {
		struct image_thread *from = &image->threads.at[i];
		struct found_thread thread = {.tid = from->tid,
			.runs = from->state == 'R' && from->call == PROCFS_NO_CALL,
			.sleeps = from->state == 'S' || from->state == 'D',
			.has_account = from->has_account,
			.account = from->account,
			.first = from->stack_pointer};

		follow_thread(&calling, from, &thread);
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

static bool has_word(const struct image_stack *stack, uint64_t word)
{
	uint64_t at;
	size_t i;

	for (i = 0; i < IMAGE_REGISTERS; i++)
		if (stack->registers[i] == word)
			return true;
	for (i = 0; i + sizeof(at) <= stack->nr_bytes; i += sizeof(at)) {
		memcpy(&at, stack->bytes + i, sizeof(at));
		if (at == word)
			return true;
	}
	return false;
}

bool found_thread_holds(const struct image_thread *thread, uint64_t word)
{
	uint32_t i;

	for (i = 0; i < thread->nr_stacks; i++)
		if (!has_word(&thread->stacks[i], word))
			return false;
	return thread->nr_stacks > 1;
}

const struct found_thread *found_thread_by(const struct found *found, uint32_t index, uint64_t tid)
{
	size_t i;

	if (index < found->threads.count && found->threads.at[index].tid == tid)
		return &found->threads.at[index];
	for (i = 0; i < found->threads.count; i++)
		if (found->threads.at[i].tid == tid)
			return &found->threads.at[i];
	return NULL;
}

bool found_thread_runs(const struct found *found, uint32_t index, uint64_t tid)
{
	const struct found_thread *thread = found_thread_by(found, index, tid);

	return thread && thread->runs;
}

bool found_thread_rested(
	const struct found *before, uint32_t then, const struct found *found, uint32_t now)
{
	const struct found_thread *was, *is;

	if (then >= before->threads.count || now >= found->threads.count)
		return false;
	was = &before->threads.at[then];
	is = &found->threads.at[now];
	/* One that gets no processor has not run either, but it could. */
	return was->tid == is->tid && was->sleeps && is->sleeps && was->has_account &&
	       is->has_account && was->account.ran_ns == is->account.ran_ns;
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
