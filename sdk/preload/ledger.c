/* SPDX-License-Identifier: MIT */
/*
 * The ledger's core: the table of generations, the writing of events, and the access to libc's own functions. A
 * function that the ledger wraps must never be called by its plain name.
 *
 * The order of events keeps the table correct. A close is recorded before the call, an open after it; the kernel gives
 * a number out again only between the two, so that another thread's new descriptor cannot be mistaken for the old one.
 */
#include "forward.h"

#include <dlfcn.h>
#include <errno.h>

uint32_t ledger_table[LEDGER_DESCRIPTORS];
_Thread_local uint32_t ledger_is_lent;
void *ledger_functions[LEDGER_FUNCTIONS];

static _Thread_local bool is_finding;
static bool is_complete; /* every function was looked for: a missing one stays missing */

static const char *const function_names[LEDGER_FUNCTIONS] = {
#define X(type, name, parameters, arguments, raw) #name,
#include "wrapped.def"
#undef X
};

void *ledger_find(enum ledger_function function)
{
	int kept = errno;
	void *found;

	if (is_finding || __atomic_load_n(&is_complete, __ATOMIC_RELAXED))
		return NULL;
	is_finding = true;
	CTP_SIGNAL_FENCE();
	found = dlsym(RTLD_NEXT, function_names[function]);
	CTP_SIGNAL_FENCE();
	is_finding = false;
	ctp_store_relaxed(&ledger_functions[function], found);
	errno = kept;
	return found;
}

long ledger_missing(void)
{
	errno = ENOSYS;
	return -1;
}

static uint32_t next_generation(uint32_t entry)
{
	uint32_t next = (entry + 1) & LEDGER_GENERATION;

	return next ? next : 1;
}

/* Files are not streams, because their transfers would flood the trace; interest lists have no transfers. */
static bool is_stream(unsigned type)
{
	return type != CTP_DESCRIPTOR_TYPE_UNTOLD && type != CTP_DESCRIPTOR_TYPE_FILE &&
	       type != CTP_DESCRIPTOR_TYPE_MEMORY && type != CTP_DESCRIPTOR_TYPE_POLL;
}

uint64_t ledger_take(int fd, unsigned type)
{
	uint32_t bits = LEDGER_IS_OPEN | (is_stream(type) ? LEDGER_IS_STREAM : 0) | type << 26;
	uint32_t before, after;

	if ((unsigned)fd >= LEDGER_DESCRIPTORS)
		return CTP_DESCRIPTOR(fd, 0);
	before = ctp_load_relaxed(&ledger_table[fd]);
	do {
		after = next_generation(before) | bits;
	} while (!__atomic_compare_exchange_n(
		&ledger_table[fd], &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return CTP_DESCRIPTOR(fd, after & LEDGER_GENERATION);
}

uint64_t ledger_drop(int fd)
{
	uint32_t entry;

	if ((unsigned)fd >= LEDGER_DESCRIPTORS)
		return CTP_DESCRIPTOR(fd, 0);
	entry = __atomic_fetch_and(&ledger_table[fd], LEDGER_GENERATION, __ATOMIC_RELAXED);
	return CTP_DESCRIPTOR(fd, entry & LEDGER_IS_OPEN ? entry & LEDGER_GENERATION : 0);
}

void ledger_restore(int fd, uint32_t entry)
{
	uint32_t closed = entry & LEDGER_GENERATION;

	/* Unless another thread has got the number meanwhile. */
	__atomic_compare_exchange_n(
		&ledger_table[fd], &closed, entry, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void ledger_note(const void *caller, enum ctp_kind kind, uint64_t object, uint64_t coro,
	unsigned argument, unsigned flags)
{
	bool is_call = kind == CTP_KIND_BLOCK_BEGIN || kind == CTP_KIND_BLOCK_END;

	/* A detail of the ledger always follows an event of a descriptor, and belongs to the same category. */
	ctp_emit_of(is_call ? CTP_CATEGORY_SCHEDULING : CTP_CATEGORY_DESCRIPTORS, coro, object,
		CTP_TAIL(ctp_site_address(caller, CTP_SITE_ADDRESS), kind, argument, flags));
}

void ledger_transferred(
	const void *caller, uint64_t handle, enum ledger_transfer transfer, ssize_t result)
{
	int64_t told = result < 0 ? -(int64_t)errno : (int64_t)result;

	ledger_note(caller, CTP_KIND_DESCRIPTOR_IO, handle, (uint64_t)told, transfer, 0);
}

int ledger_opened(const void *caller, int fd, unsigned flags)
{
	if (fd >= 0 && ledger_is_watching())
		ledger_note(caller, CTP_KIND_DESCRIPTOR_OPEN,
			ledger_take(fd, CTP_DESCRIPTOR_TYPE(flags)), 0, 0, flags);
	return fd;
}

/*
 * Looks up everything before main(), so that no look-up happens in a signal handler, and attaches if an engine asked
 * for it.
 */
__attribute__((constructor)) static void ledger_start(void)
{
	unsigned function;

	for (function = 0; function < LEDGER_FUNCTIONS; function++)
		ledger_find((enum ledger_function)function);
	__atomic_store_n(&is_complete, true, __ATOMIC_RELAXED);
	if (ctp_attach_as(CTP_ROLE_LEDGER))
		ledger_crash_init();
}
