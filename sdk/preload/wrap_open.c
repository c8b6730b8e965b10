/* SPDX-License-Identifier: MIT */
/*
 * Entry points that make, duplicate and close descriptors. Each calls libc's function exactly once with the caller's
 * arguments and returns its result.
 */
#include "forward.h"

#include <errno.h>
#include <stdarg.h>

/* ------------------------------------------------------------ files */

static bool takes_mode(int flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* Reads the mode, if the flags say that the caller passed one. */
#define LEDGER_MODE(ret_mode, flags)                       \
	do {                                               \
		va_list list;                              \
                                                           \
		(ret_mode) = 0;                            \
		if (takes_mode(flags)) {                   \
			va_start(list, flags);             \
			(ret_mode) = va_arg(list, mode_t); \
			va_end(list);                      \
		}                                          \
	} while (0)

LEDGER_EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode;

	LEDGER_MODE(mode, flags);
	return ledger_opened(LEDGER_CALLER, real_open(path, flags, mode), CTP_DESCRIPTOR_TYPE_FILE);
}

LEDGER_EXPORT int open64(const char *path, int flags, ...)
{
	mode_t mode;

	LEDGER_MODE(mode, flags);
	return ledger_opened(
		LEDGER_CALLER, real_open64(path, flags, mode), CTP_DESCRIPTOR_TYPE_FILE);
}

LEDGER_EXPORT int openat(int directory, const char *path, int flags, ...)
{
	mode_t mode;

	LEDGER_MODE(mode, flags);
	return ledger_opened(
		LEDGER_CALLER, real_openat(directory, path, flags, mode), CTP_DESCRIPTOR_TYPE_FILE);
}

LEDGER_EXPORT int openat64(int directory, const char *path, int flags, ...)
{
	mode_t mode;

	LEDGER_MODE(mode, flags);
	return ledger_opened(LEDGER_CALLER, real_openat64(directory, path, flags, mode),
		CTP_DESCRIPTOR_TYPE_FILE);
}

LEDGER_EXPORT int __open_2(const char *path, int flags)
{
	return ledger_opened(LEDGER_CALLER, real___open_2(path, flags), CTP_DESCRIPTOR_TYPE_FILE);
}

LEDGER_EXPORT int __open64_2(const char *path, int flags)
{
	return ledger_opened(LEDGER_CALLER, real___open64_2(path, flags), CTP_DESCRIPTOR_TYPE_FILE);
}

LEDGER_EXPORT int __openat_2(int directory, const char *path, int flags)
{
	return ledger_opened(
		LEDGER_CALLER, real___openat_2(directory, path, flags), CTP_DESCRIPTOR_TYPE_FILE);
}

LEDGER_EXPORT int __openat64_2(int directory, const char *path, int flags)
{
	return ledger_opened(
		LEDGER_CALLER, real___openat64_2(directory, path, flags), CTP_DESCRIPTOR_TYPE_FILE);
}

LEDGER_EXPORT int memfd_create(const char *name, unsigned flags)
{
	return ledger_opened(
		LEDGER_CALLER, real_memfd_create(name, flags), CTP_DESCRIPTOR_TYPE_MEMORY);
}

/* ------------------------------------------------------------ sockets, pipes, event sources */

static int opened_pair(const void *caller, int result, const int pair[2], unsigned type)
{
	if (result == 0) {
		ledger_opened(caller, pair[0], type);
		ledger_opened(caller, pair[1], type | CTP_DESCRIPTOR_IS_SECOND_END);
	}
	return result;
}

LEDGER_EXPORT int socket(int family, int type, int protocol)
{
	bool has_datagrams = (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_DGRAM;

	return ledger_opened(LEDGER_CALLER, real_socket(family, type, protocol),
		has_datagrams ? CTP_DESCRIPTOR_TYPE_DATAGRAM : CTP_DESCRIPTOR_TYPE_SOCKET);
}

LEDGER_EXPORT int socketpair(int family, int type, int protocol, int pair[2])
{
	return opened_pair(LEDGER_CALLER, real_socketpair(family, type, protocol, pair), pair,
		CTP_DESCRIPTOR_TYPE_SOCKET_PAIR);
}

LEDGER_EXPORT int pipe(int pair[2])
{
	return opened_pair(LEDGER_CALLER, real_pipe(pair), pair, CTP_DESCRIPTOR_TYPE_PIPE);
}

LEDGER_EXPORT int pipe2(int pair[2], int flags)
{
	return opened_pair(LEDGER_CALLER, real_pipe2(pair, flags), pair, CTP_DESCRIPTOR_TYPE_PIPE);
}

/* An accept uses up the listener's readiness, and makes a descriptor. */
static int accepted(const void *caller, uint64_t listener, int fd)
{
	uint64_t other_end = ledger_other_end(fd);

	ledger_opened(caller, fd, CTP_DESCRIPTOR_TYPE_CONNECTION);
	if (other_end)
		ledger_note(caller, CTP_KIND_DETAIL, other_end, 0, CTP_DETAIL_OTHER_END, 0);
	if (listener)
		ledger_transferred(caller, listener, LEDGER_ACCEPT, fd);
	return fd;
}

LEDGER_EXPORT int accept(int fd, __SOCKADDR_ARG address, socklen_t *length)
{
	uint64_t listener = ledger_stream(fd);

	return accepted(LEDGER_CALLER, listener, real_accept(fd, address, length));
}

LEDGER_EXPORT int accept4(int fd, __SOCKADDR_ARG address, socklen_t *length, int flags)
{
	uint64_t listener = ledger_stream(fd);

	return accepted(LEDGER_CALLER, listener, real_accept4(fd, address, length, flags));
}

LEDGER_EXPORT int eventfd(unsigned value, int flags)
{
	return ledger_opened(LEDGER_CALLER, real_eventfd(value, flags), CTP_DESCRIPTOR_TYPE_EVENT);
}

LEDGER_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	int result = real_signalfd(fd, set, flags);

	/* If a descriptor is passed, the call changes that descriptor's set and makes none. */
	return fd == -1 ? ledger_opened(LEDGER_CALLER, result, CTP_DESCRIPTOR_TYPE_SIGNAL) : result;
}

LEDGER_EXPORT int timerfd_create(clockid_t clock, int flags)
{
	return ledger_opened(
		LEDGER_CALLER, real_timerfd_create(clock, flags), CTP_DESCRIPTOR_TYPE_TIMER);
}

LEDGER_EXPORT int inotify_init(void)
{
	return ledger_opened(LEDGER_CALLER, real_inotify_init(), CTP_DESCRIPTOR_TYPE_NOTIFY);
}

LEDGER_EXPORT int inotify_init1(int flags)
{
	return ledger_opened(LEDGER_CALLER, real_inotify_init1(flags), CTP_DESCRIPTOR_TYPE_NOTIFY);
}

LEDGER_EXPORT int epoll_create(int size)
{
	return ledger_opened(LEDGER_CALLER, real_epoll_create(size), CTP_DESCRIPTOR_TYPE_POLL);
}

LEDGER_EXPORT int epoll_create1(int flags)
{
	return ledger_opened(LEDGER_CALLER, real_epoll_create1(flags), CTP_DESCRIPTOR_TYPE_POLL);
}

/* ------------------------------------------------------------ duplicating */

/* `original` and its entry were read before the call: the number may belong to another descriptor since. */
static int doubled(const void *caller, uint64_t original, uint32_t entry, int fd)
{
	if (fd < 0 || !ledger_is_watching())
		return fd;
	ledger_note(caller, CTP_KIND_DESCRIPTOR_DUP, ledger_take(fd, LEDGER_TYPE(entry)), 0, 0,
		LEDGER_TYPE(entry));
	ledger_note(caller, CTP_KIND_DETAIL, original, 0, CTP_DETAIL_RESOURCE, 0);
	return fd;
}

LEDGER_EXPORT int dup(int fd)
{
	uint64_t original = ledger_handle(fd);
	uint32_t entry = ledger_entry(fd);

	return doubled(LEDGER_CALLER, original, entry, real_dup(fd));
}

/*
 * Returns whether dup2 or dup3 will close `wanted`. Only descriptors that are known to be open count, and the original
 * is checked first: a close that does not take place must not be recorded.
 */
static bool will_replace(int fd, int wanted)
{
	int kept = errno;
	bool is_valid;

	if (fd == wanted || !(ledger_entry(wanted) & LEDGER_IS_OPEN) || !ledger_is_watching())
		return false;
	is_valid = real_fcntl(fd, F_GETFD, NULL) >= 0;
	errno = kept;
	return is_valid;
}

static int replaced(const void *caller, int fd, int wanted, int flags, bool is_dup3)
{
	uint64_t original = ledger_handle(fd);
	uint32_t entry = ledger_entry(fd);
	uint32_t replaced_entry = ledger_entry(wanted);
	bool is_replacing = will_replace(fd, wanted) && !(flags & ~O_CLOEXEC);
	int result;

	if (is_replacing)
		ledger_note(caller, CTP_KIND_DESCRIPTOR_CLOSE, ledger_drop(wanted), 0, 0, 0);
	result = is_dup3 ? real_dup3(fd, wanted, flags) : real_dup2(fd, wanted);
	if (result >= 0)
		return fd == wanted ? result : doubled(caller, original, entry, result);
	if (is_replacing) {
		/* The descriptor stayed open after all: the same generation, open again. */
		ledger_restore(wanted, replaced_entry);
		ledger_note(caller, CTP_KIND_DESCRIPTOR_OPEN, ledger_handle(wanted), 0, 0,
			LEDGER_TYPE(replaced_entry));
	}
	return result;
}

LEDGER_EXPORT int dup2(int fd, int wanted)
{
	return replaced(LEDGER_CALLER, fd, wanted, 0, false);
}

LEDGER_EXPORT int dup3(int fd, int wanted, int flags)
{
	return replaced(LEDGER_CALLER, fd, wanted, flags, true);
}

static int controlled(const void *caller, int fd, int command, void *argument)
{
	uint64_t original = ledger_handle(fd);
	uint32_t entry = ledger_entry(fd);
	int result = real_fcntl(fd, command, argument);

	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		return doubled(caller, original, entry, result);
	return result;
}

/* The command's argument, if any, is one word; libc itself passes it on in the same way. */
LEDGER_EXPORT int fcntl(int fd, int command, ...)
{
	va_list list;
	void *argument;

	va_start(list, command);
	argument = va_arg(list, void *);
	va_end(list);
	return controlled(LEDGER_CALLER, fd, command, argument);
}

LEDGER_EXPORT int fcntl64(int fd, int command, ...)
{
	va_list list;
	void *argument;

	va_start(list, command);
	argument = va_arg(list, void *);
	va_end(list);
	return controlled(LEDGER_CALLER, fd, command, argument);
}

/* ------------------------------------------------------------ closing */

LEDGER_EXPORT int close(int fd)
{
	if (fd >= 0 && ledger_is_watching())
		ledger_note(LEDGER_CALLER, CTP_KIND_DESCRIPTOR_CLOSE, ledger_drop(fd), 0, 0, 0);
	return real_close(fd);
}

LEDGER_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	unsigned fd;

	/* With flags the call only marks descriptors, or acts on a table of the caller's own. */
	if (flags == 0 && ledger_is_watching()) {
		for (fd = first; fd <= last && fd < LEDGER_DESCRIPTORS; fd++) {
			if (ledger_entry((int)fd) & LEDGER_IS_OPEN)
				ledger_note(LEDGER_CALLER, CTP_KIND_DESCRIPTOR_CLOSE,
					ledger_drop((int)fd), 0, 0, 0);
		}
	}
	return real_close_range(first, last, flags);
}

LEDGER_EXPORT int shutdown(int fd, int how)
{
	if (fd >= 0 && ledger_is_watching())
		ledger_note(LEDGER_CALLER, CTP_KIND_DESCRIPTOR_SHUTDOWN, ledger_handle(fd), 0,
			(unsigned)how, 0);
	return real_shutdown(fd, how);
}
