/* SPDX-License-Identifier: MIT */
/* The memory of a process that runs (image.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "frames/image.h"
#include "kernel/perf_stack.h"
#include "kernel/patience.h"
#include "kernel/procfs.h"
#include "kernel/procfs_maps.h"
#include "kernel/procfs_pages.h"
#include "symbol/symbol.h"

#define THREADS_MAX 65536u
#define REGIONS_MAX 1048576u
#define COMMAND_BYTES 4096
#define INTEREST_BYTES ((size_t)1 << 20) /* of an interest list, as text */
#define RUNNING_MAX 8u /* threads that run, of which stacks are taken, so many of each */
#define STACKS_MAX 12u
#define STACKS_LONGEST_MS 150u
#define STACKS_ATTEMPTS 8u                           /* as long as the thread gets no processor */
#define ATTEMPTS_MAX (RUNNING_MAX * STACKS_ATTEMPTS) /* of all threads */

#if defined(__x86_64__)
#define HAS_REGISTERS true
#else
#define HAS_REGISTERS false
#endif

struct process_image {
	struct image image;
	pid_t pid;
	int folder; /* from procfs_open */
	struct procfs_pages pages;
	uint32_t running[RUNNING_MAX]; /* threads of which there are stacks */
	size_t nr_running;
	uint32_t nr_attempts; /* to take stacks */
};

/* Stacks of threads that run change all the time: what is read of one is of the moment of its registers. */
static void show_stack(
	const struct image_thread *thread, uint64_t address, uint8_t *bytes, size_t nr_bytes)
{
	const struct image_stack *stack = &thread->stacks[thread->shown];
	uint64_t start = stack->start > address ? stack->start : address;
	uint64_t end = stack->start + stack->nr_bytes;

	if (end > address + nr_bytes)
		end = address + nr_bytes;
	if (start < end)
		memcpy(bytes + (start - address), stack->bytes + (start - stack->start),
			(size_t)(end - start));
}

static size_t process_read(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	const struct process_image *process = (const struct process_image *)image;
	struct iovec to = {.iov_base = bytes, .iov_len = nr_bytes};
	struct iovec from = {.iov_base = (void *)(uintptr_t)address, .iov_len = nr_bytes};
	ssize_t got = process_vm_readv(process->pid, &to, 1, &from, 1, 0);
	size_t i;

	(void)region;
	for (i = 0; got > 0 && i < process->nr_running; i++)
		show_stack(&image->threads.at[process->running[i]], address, bytes, (size_t)got);
	return got < 0 ? 0 : (size_t)got;
}

static bool process_next_used(
	const struct image *image, uint64_t *start, uint64_t end, uint64_t *ret_end)
{
	struct process_image *process = (struct process_image *)(uintptr_t)image;

	return procfs_pages_next(&process->pages, start, end, ret_end);
}

static void process_close(struct image *image)
{
	struct process_image *process = (struct process_image *)image;

	if (image->root >= 0)
		close(image->root);
	procfs_pages_close(&process->pages);
	if (process->folder >= 0)
		close(process->folder);
	free(process);
}

static const struct image_ops process_ops = {
	.read = process_read, .next_used = process_next_used, .close = process_close};

/* Device memory is never read: reading can have an effect, or never return. */
static bool is_of_a_device(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0 &&
	       strncmp(path, "/dev/zero", 9) != 0;
}

/*
 * Memory that the program shares with others is read only where the kernel says which pages are used: a page that is
 * read for the first time would take room.
 */
static bool take_region(struct image *image, const struct procfs_mapping *mapping)
{
	bool has_pages = ((const struct process_image *)image)->pages.is_open;
	struct image_region region = {
		.start = mapping->start,
		.end = mapping->end,
		.offset = mapping->offset,
		.is_writable = mapping->is_writable && mapping->is_readable &&
			       !is_of_a_device(mapping->path) && (has_pages || !mapping->is_shared),
		.is_sparse = has_pages && (mapping->is_shared || mapping->path[0] != '/'),
		.is_code = mapping->is_code,
	};

	region.path = arena_text(&image->arena, mapping->path, strlen(mapping->path));
	return region.path && image_add_region(image, &region);
}

static bool take_regions(struct image *image, pid_t pid, bool *ret_is_there)
{
	struct procfs_maps maps;
	struct procfs_mapping mapping;
	bool is_kept = true;

	*ret_is_there = procfs_maps_open(&maps, pid);
	if (!*ret_is_there)
		return true;
	while (is_kept && image->regions.count < REGIONS_MAX && procfs_maps_next(&maps, &mapping))
		is_kept = take_region(image, &mapping);
	procfs_maps_close(&maps);
	return is_kept;
}

static bool take_thread(void *context, int tid)
{
	struct process_image *process = context;
	struct image_thread thread = {.tid = (uint64_t)tid};
	uint64_t instruction, arguments[PROCFS_ARGUMENTS];
	struct procfs_stat stat;
	char name[64];
	size_t i;

	thread.stack_pointer = procfs_stack_pointer_at(process->folder, thread.tid, &instruction);
	if (HAS_REGISTERS && thread.stack_pointer) {
		thread.registers[7] = thread.stack_pointer;
		thread.registers[16] = instruction;
		thread.known = UINT32_C(1) << 7 | UINT32_C(1) << 16;
	}
	thread.call = procfs_call_at(process->folder, thread.tid, arguments);
	for (i = 0; thread.call >= 0 && i < PROCFS_ARGUMENTS; i++)
		if (!vec_push(&process->image.held, arguments[i]))
			return false;
	snprintf(name, sizeof(name), "task/%d/stat", tid);
	if (procfs_stat_at(process->folder, name, &stat))
		thread.state = stat.state;
	thread.is_timed = thread.state == 'S' && thread.call >= 0 &&
			  patience_of(thread.call, arguments) == PATIENCE_TIMED;
	thread.has_account = procfs_account(process->pid, thread.tid, &thread.account);
	procfs_thread_name(process->pid, thread.tid, thread.name, sizeof(thread.name));
	return process->image.threads.count < THREADS_MAX &&
	       vec_push(&process->image.threads, thread);
}

static bool keep_stacks(struct process_image *process, uint32_t thread,
	const struct perf_stack *taken, size_t count)
{
	struct image_thread *kept = &process->image.threads.at[thread];
	struct image_stack *stacks = arena_array(&process->image.arena, count, sizeof(*stacks));
	size_t i;

	for (i = 0; stacks && i < count; i++) {
		memcpy(stacks[i].registers, taken[i].registers, sizeof(stacks[i].registers));
		stacks[i].known = taken[i].known;
		stacks[i].start = taken[i].registers[7];
		stacks[i].nr_bytes = taken[i].nr_bytes;
		stacks[i].bytes = (const uint8_t *)arena_text(
			&process->image.arena, (const char *)taken[i].bytes, taken[i].nr_bytes);
		if (!stacks[i].bytes)
			return false;
	}
	if (!stacks)
		return false;
	kept->stacks = stacks;
	kept->nr_stacks = (uint32_t)count;
	kept->stack_pointer = stacks[0].start;
	kept->known = stacks[0].known;
	memcpy(kept->registers, stacks[0].registers, sizeof(kept->registers));
	process->running[process->nr_running++] = thread;
	return true;
}

static bool is_runnable(const struct process_image *process, uint64_t tid)
{
	struct procfs_stat stat;
	char name[64];

	snprintf(name, sizeof(name), "task/%" PRIu64 "/stat", tid);
	return procfs_stat_at(process->folder, name, &stat) && stat.state == 'R';
}

/*
 * On a busy machine a thread may have no processor for longer than one attempt takes. A program with hundreds of such
 * threads is not waited for again with each.
 */
static size_t take_stacks_of(struct process_image *process, uint64_t tid, struct perf_stack *taken)
{
	uint32_t attempts;
	size_t count = 0;

	for (attempts = 0; count == 0 && attempts < STACKS_ATTEMPTS; attempts++) {
		if (process->nr_attempts == ATTEMPTS_MAX ||
			(attempts > 0 && !is_runnable(process, tid)))
			return 0;
		process->nr_attempts++;
		count = perf_stack_take((pid_t)tid, taken, STACKS_MAX, STACKS_LONGEST_MS);
	}
	return count;
}

/* The kernel says of a thread that runs neither where its stack is nor what it does. */
static bool take_stacks(struct process_image *process)
{
	struct perf_stack *taken = malloc(STACKS_MAX * sizeof(*taken));
	bool is_well = taken != NULL;
	uint32_t i;

	for (i = 0; is_well && i < process->image.threads.count; i++) {
		const struct image_thread *thread = &process->image.threads.at[i];
		size_t count;

		if (thread->stack_pointer || thread->state != 'R' ||
			process->nr_running == RUNNING_MAX)
			continue;
		count = take_stacks_of(process, thread->tid, taken);
		if (count > 0)
			is_well = keep_stacks(process, i, taken, count);
	}
	free(taken);
	return is_well;
}

static bool take_interest_list(struct process_image *process, int descriptor)
{
	char name[32], *text = malloc(INTEREST_BYTES);
	const char *line;
	size_t nr_bytes;
	uint64_t data;
	bool is_well = text != NULL;

	snprintf(name, sizeof(name), "fdinfo/%d", descriptor);
	nr_bytes = text ? procfs_read_at(process->folder, name, text, INTEREST_BYTES) : 0;
	if (nr_bytes == 0 || nr_bytes == INTEREST_BYTES - 1)
		process->image.lacks_held = true;
	for (line = nr_bytes ? strstr(text, " data:") : NULL; is_well && line;
		line = strstr(line + 1, " data:"))
		if (sscanf(line, " data: %" SCNx64, &data) == 1)
			is_well = vec_push(&process->image.held, data);
	free(text);
	return is_well;
}

static bool take_held(void *context, int descriptor)
{
	struct process_image *process = context;
	char name[32], link[64];

	snprintf(name, sizeof(name), "fd/%d", descriptor);
	procfs_link_at(process->folder, name, link, sizeof(link));
	if (strcmp(link, "anon_inode:[io_uring]") == 0)
		process->image.lacks_held = true;
	return strcmp(link, "anon_inode:[eventpoll]") != 0 ||
	       take_interest_list(process, descriptor);
}

static bool take_names(struct process_image *process)
{
	struct image *image = &process->image;
	char text[COMMAND_BYTES];

	procfs_command_line(process->pid, text, sizeof(text));
	image->command_line = arena_text(&image->arena, text, strlen(text));
	procfs_link_at(process->folder, "exe", text, sizeof(text));
	image->program = arena_text(&image->arena, text, strlen(text));
	return image->command_line && image->program;
}

/* The first region that can be read says whether the kernel lets us. */
static bool may_read(const struct image *image)
{
	uint64_t word;
	size_t i;

	for (i = 0; i < image->regions.count; i++) {
		if (!image->regions.at[i].is_writable)
			continue;
		errno = 0;
		if (image_read_word(image, image->regions.at[i].start, &word))
			return true;
		if (errno == EPERM || errno == ENOSYS)
			return false;
	}
	return image->regions.count > 0;
}

static enum ct_status open_process(struct process_image *process, struct ct_error *reterr)
{
	struct image *image = &process->image;
	bool is_there;

	process->folder = procfs_open(process->pid);
	if (process->folder < 0)
		return ct_fail(
			reterr, CT_ERR_NOT_FOUND, "no process has the id %d", (int)process->pid);
	if (!procfs_has_our_root(process->pid)) {
		image->root = procfs_open_root(process->pid);
		if (image->root < 0)
			image->root = SYMBOL_NO_ROOT;
	}
	procfs_pages_open(&process->pages, process->folder);
	if (!take_names(process) || !take_regions(image, process->pid, &is_there))
		return ct_fail_memory(reterr);
	if (!is_there || !may_read(image))
		return ct_fail(reterr, CT_ERR_SYSTEM,
			"the memory of process %d may not be read: that takes its user or root, "
			"and kernel.yama.ptrace_scope 0, or CAP_SYS_PTRACE",
			(int)process->pid);
	procfs_numbers_at(process->folder, "task", take_thread, process);
	if (!procfs_numbers_at(process->folder, "fd", take_held, process))
		image->lacks_held = true;
	return take_stacks(process) ? CT_OK : ct_fail_memory(reterr);
}

enum ct_status image_open_process(pid_t pid, struct image **ret_image, struct ct_error *reterr)
{
	struct process_image *process = calloc(1, sizeof(*process));
	enum ct_status status;

	if (!process)
		return ct_fail_memory(reterr);
	image_init(&process->image, &process_ops);
	process->pid = pid;
	process->image.pid = (uint64_t)pid;
	process->image.is_moving = true;
	status = open_process(process, reterr);
	if (status) {
		image_close(&process->image);
		return status;
	}
	*ret_image = &process->image;
	return CT_OK;
}
