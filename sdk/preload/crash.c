/* SPDX-License-Identifier: MIT */
/*
 * Writes the last event of a program that a signal ends: which signal, where, on which thread.
 *
 * A handler is installed for signals for which the program has none. The handler writes one CRASH event, restores the
 * kernel's default action and lets the signal happen again, so that exit status, core file and siginfo are as without
 * the ledger. A program that queries or sets a handler, or sets the default, sees the default action instead of our
 * handler.
 */
#include "forward.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

/* Flags of a signal that no instruction caused: no address applies. */
#define CRASH_IS_SENT 1u   /* another process sent it */
#define CRASH_IS_RAISED 2u /* the program itself sent it */

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

/*
 * The caller that called abort on this thread, failed an assertion, or threw an uncaught exception: the frames above it
 * are those of libc and the C++ runtime. NULL: there was none.
 */
static __thread const void *aborter;

static void (*libc_abort)(void);
/* The program's own unwinder; NULL: the program was started without one. */
static _Unwind_Reason_Code (*unwind_each)(_Unwind_Trace_Fn, void *);
static uintptr_t (*unwind_address)(struct _Unwind_Context *);
static void (*libc_assert_fail)(const char *, const char *, unsigned, const char *);

static bool is_crash_signal(int number)
{
	unsigned i;

	for (i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++) {
		if (crash_signals[i] == number)
			return true;
	}
	return false;
}

static const void *instruction(const void *context)
{
	const ucontext_t *machine = context;

#if defined(__x86_64__)
	return (const void *)machine->uc_mcontext.gregs[REG_RIP];
#else
	return (const void *)machine->uc_mcontext.pc;
#endif
}

/*
 * Returns whether the instruction itself raised the fault, which then comes again when the instruction runs again. A
 * memory error found by the kernel's scrubber (BUS_MCEERR_AO) belongs to no instruction.
 */
static bool is_raised_by_instruction(int number, const siginfo_t *info)
{
	return info->si_code > 0 && !(number == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

/*
 * Returns the return address of a call that jumped to an address without code, such as one from a freed frame; NULL:
 * there was no such jump, or its stack cannot be read. The kernel reads the stack for us, because it may be invalid.
 */
static const void *jumped_from(int number, const siginfo_t *info, const void *context)
{
	const ucontext_t *machine = context;
	const void *address = NULL;

	/* For a division by zero, or an invalid instruction, the kernel names the instruction, too. */
	if ((number != SIGSEGV && number != SIGBUS) || info->si_code <= 0 ||
		info->si_addr != instruction(context))
		return NULL;
#if defined(__x86_64__)
	struct iovec local = {&address, sizeof(address)};
	struct iovec top = {(void *)machine->uc_mcontext.gregs[REG_RSP], sizeof(address)};

	if (syscall(SYS_process_vm_readv, getpid(), &local, 1UL, &top, 1UL, 0UL) != sizeof(address))
		return NULL;
#else
	address = (const void *)machine->uc_mcontext.regs[30];
#endif
	return address;
}

static void caller_note(int number, const siginfo_t *info, const void *context)
{
	const void *caller = jumped_from(number, info, context);

	if (caller)
		ctp_emit(0, (uint64_t)(uintptr_t)caller,
			CTP_TAIL(ctp_site_address(caller, CTP_SITE_ADDRESS), CTP_KIND_DETAIL,
				CTP_DETAIL_CALLER, 0));
}

static uint32_t place_of(int number, unsigned flags, const void *context)
{
	if (number == SIGABRT && flags == CRASH_IS_RAISED && aborter)
		return ctp_site_address(aborter, CTP_SITE_ADDRESS);
	return ctp_site_address(instruction(context), CTP_SITE_INSTRUCTION);
}

static void crash_note(int number, const siginfo_t *info, const void *context)
{
	const void *address = info->si_code > 0 ? info->si_addr : NULL;
	unsigned flags = info->si_code > 0          ? 0
			 : info->si_pid != getpid() ? CRASH_IS_SENT
						    : CRASH_IS_RAISED;

	if (!ledger_is_watching())
		return;
	ctp_emit(0, (uint64_t)(uintptr_t)address,
		CTP_TAIL(place_of(number, flags, context), CTP_KIND_CRASH, number, flags));
	caller_note(number, info, context);
}

static void crash_handler(int number, siginfo_t *info, void *context)
{
	struct sigaction standard;
	int kept = errno;

	crash_note(number, info, context);
	memset(&standard, 0, sizeof(standard));
	standard.sa_handler = SIG_DFL;
	real_sigaction(number, &standard, NULL);
	/*
	 * A sent signal is not raised again by itself, so it is queued again as it was; it stays pending until we
	 * return.
	 */
	if (!is_raised_by_instruction(number, info))
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info);
	errno = kept;
}

static bool is_ours(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == crash_handler;
}

/* SA_ONSTACK: after a stack overflow only an alternate stack, if there is one, can be used. */
static int install(int number, struct sigaction *old)
{
	struct sigaction ours;

	memset(&ours, 0, sizeof(ours));
	ours.sa_sigaction = crash_handler;
	ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigfillset(&ours.sa_mask);
	return real_sigaction(number, &ours, old);
}

void ledger_crash_init(void)
{
	struct sigaction present;
	unsigned i;

	*(void **)&libc_abort = dlsym(RTLD_NEXT, "abort");
	*(void **)&unwind_each = dlsym(RTLD_DEFAULT, "_Unwind_Backtrace");
	*(void **)&unwind_address = dlsym(RTLD_DEFAULT, "_Unwind_GetIP");
	*(void **)&libc_assert_fail = dlsym(RTLD_NEXT, "__assert_fail");
	for (i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++) {
		if (real_sigaction(crash_signals[i], NULL, &present) == 0 &&
			!(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_DFL)
			install(crash_signals[i], NULL);
	}
}

/* ---------------------------------------------------------------- the code that caused an abort */

/* Returns whether the code lies in a library between std::terminate, or an exception, and the program. */
static bool is_in_runtime(const void *address)
{
	static const char *const libraries[] = {
		"libstdc++.so", "libc++.so", "libc++abi.so", "libgcc_s.so", "libunwind.so"};
	Dl_info found;
	const char *name;
	unsigned i;

	if (!dladdr(address, &found) || !found.dli_fname)
		return false;
	name = strrchr(found.dli_fname, '/');
	name = name ? name + 1 : found.dli_fname;
	for (i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
			return true;
	return false;
}

/* Searches for the program's own call above the runtime's. */
struct climb {
	uintptr_t (*address_of)(struct _Unwind_Context *);
	const void *found; /* NULL: not found yet */
	bool is_within;    /* a frame of the runtime was passed */
};

static _Unwind_Reason_Code climb_on(struct _Unwind_Context *context, void *argument)
{
	struct climb *climb = argument;
	const void *address = (const void *)climb->address_of(context);

	if (is_in_runtime(address)) {
		climb->is_within = true;
		return _URC_NO_REASON;
	}
	if (!climb->is_within)
		return _URC_NO_REASON;
	climb->found = address;
	return _URC_END_OF_STACK;
}

/*
 * An uncaught exception, and a noexcept function that an exception leaves, end in abort, called by the runtime: the
 * throwing function is further up, because nothing was unwound. Clang's noexcept functions unwind first: then the place
 * is clang's own `__clang_call_terminate`. A program with exceptions has an unwinder; the ledger does not bring one.
 */
static const void *thrower(const void *caller)
{
	struct climb climb = {0};

	/* For a program without exceptions the loader is not asked: another thread may hold the loader's lock. */
	if (!unwind_each || !unwind_address || !is_in_runtime(caller))
		return caller;
	climb.address_of = unwind_address;
	unwind_each(climb_on, &climb);
	return climb.found ? climb.found : caller;
}

static __attribute__((noreturn)) void die(void)
{
	if (libc_abort)
		libc_abort();
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGABRT);
	_exit(127);
}

LEDGER_EXPORT __attribute__((noreturn)) void abort(void)
{
	aborter = thrower(LEDGER_CALLER);
	die();
}

LEDGER_EXPORT __attribute__((noreturn)) void __assert_fail(
	const char *claim, const char *file, unsigned line, const char *function)
{
	aborter = LEDGER_CALLER;
	if (libc_assert_fail)
		libc_assert_fail(claim, file, line, function);
	die();
}

LEDGER_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	bool is_default =
		action && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
	int result;

	if (!is_crash_signal(number))
		return real_sigaction(number, action, old);
	if (is_default && ledger_is_watching())
		result = install(number, old);
	else
		result = real_sigaction(number, action, old);
	if (result == 0 && old && is_ours(old)) {
		memset(old, 0, sizeof(*old));
		old->sa_handler = SIG_DFL;
	}
	return result;
}

LEDGER_EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	__sighandler_t old = real_signal(number, handler);

	if (!is_crash_signal(number) || old == SIG_ERR)
		return old;
	if (handler == SIG_DFL && ledger_is_watching())
		install(number, NULL);
	return (void *)old == (void *)crash_handler ? SIG_DFL : old;
}
