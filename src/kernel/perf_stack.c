/* SPDX-License-Identifier: MIT */
/*
 * Takes stacks of threads (perf_stack.h).
 *
 * P1: the kernel publishes data_head after the records below it (pairs with the acquire in read_all). Nothing is given
 * back: the ring has room for all that is wanted, and the kernel leaves out what comes later.
 */
#include "kernel/perf_stack.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)

#include <asm/perf_regs.h>

#define DATA_BYTES ((size_t)1 << 18)
#define PERIOD_NS 1000000
#define WORD sizeof(uint64_t)

/* What DWARF numbers 0, 1, 2, ... */
static const uint8_t registers_of[PERF_STACK_REGISTERS] = {PERF_REG_X86_AX, PERF_REG_X86_DX,
	PERF_REG_X86_CX, PERF_REG_X86_BX, PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_BP,
	PERF_REG_X86_SP, PERF_REG_X86_R8, PERF_REG_X86_R9, PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15, PERF_REG_X86_IP};

static uint64_t mask_of_registers(void)
{
	uint64_t mask = 0;
	size_t i;

	for (i = 0; i < PERF_STACK_REGISTERS; i++)
		mask |= UINT64_C(1) << registers_of[i];
	return mask;
}

static int open_event(pid_t tid)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = mask_of_registers(),
		.sample_stack_user = PERF_STACK_BYTES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1, /* nobody waits for it */
		.wakeup_watermark = UINT32_MAX,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Registers come in the order of the kernel's numbers. */
static void take_registers(const uint64_t *words, struct perf_stack *stack)
{
	uint64_t mask = mask_of_registers();
	size_t i;

	for (i = 0; i < PERF_STACK_REGISTERS; i++) {
		uint64_t below = mask & ((UINT64_C(1) << registers_of[i]) - 1);

		stack->registers[i] = words[__builtin_popcountll(below)];
		stack->known |= UINT32_C(1) << i;
	}
}

/* "form of the registers, the registers, size, bytes, how many of these were copied" */
static int take_sample(const uint8_t *at, size_t nr_bytes, struct perf_stack *stack)
{
	const size_t head = (1 + PERF_STACK_REGISTERS + 1) * WORD;
	uint64_t words[1 + PERF_STACK_REGISTERS + 1], size, copied;

	if (nr_bytes < head)
		return 0;
	memcpy(words, at, head);
	size = words[1 + PERF_STACK_REGISTERS];
	if (words[0] != PERF_SAMPLE_REGS_ABI_64 || size > PERF_STACK_BYTES ||
		nr_bytes - head < size + WORD)
		return 0;
	memset(stack, 0, sizeof(*stack));
	take_registers(words + 1, stack);
	memcpy(&copied, at + head + size, WORD);
	stack->nr_bytes = (uint32_t)(copied < size ? copied : size);
	memcpy(stack->bytes, at + head, stack->nr_bytes);
	return 1;
}

static size_t read_all(
	const struct perf_event_mmap_page *page, struct perf_stack *stacks, size_t nr_wanted)
{
	const uint8_t *data = (const uint8_t *)page + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = 0;
	struct perf_event_header header;
	size_t count = 0;

	if (head > DATA_BYTES)
		return 0;
	while (count < nr_wanted && head - at >= sizeof(header)) {
		memcpy(&header, data + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - at)
			return count;
		if (header.type == PERF_RECORD_SAMPLE)
			count += (size_t)take_sample(data + at + sizeof(header),
				header.size - sizeof(header), &stacks[count]);
		at += header.size;
	}
	return count;
}

size_t perf_stack_take(pid_t tid, struct perf_stack *stacks, size_t nr_wanted, unsigned longest_ms)
{
	const struct timespec moment = {.tv_nsec = PERIOD_NS};
	size_t nr_bytes = DATA_BYTES + (size_t)sysconf(_SC_PAGESIZE), count = 0;
	int descriptor = open_event(tid);
	void *pages;

	if (descriptor < 0)
		return 0;
	pages = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	close(descriptor);
	if (pages == MAP_FAILED)
		return 0;
	while (count < nr_wanted && longest_ms-- > 0) {
		nanosleep(&moment, NULL);
		count = read_all(pages, stacks, nr_wanted);
	}
	munmap(pages, nr_bytes);
	return count;
}

#else

size_t perf_stack_take(pid_t tid, struct perf_stack *stacks, size_t nr_wanted, unsigned longest_ms)
{
	(void)tid, (void)stacks, (void)nr_wanted, (void)longest_ms;
	return 0;
}

#endif
