/* SPDX-License-Identifier: MIT */
/*
 * real_NAME for every function in wrapped.def: libc's own, found once, called through its address.
 *
 * Includes the headers that declare them. No function may be called by its plain name: that would lead back into the
 * ledger.
 */
#ifndef PRELOAD_FORWARD_H
#define PRELOAD_FORWARD_H

#include "ledger.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

/* Entry points of libc for programs built with _FORTIFY_SOURCE; libc's headers declare them only there. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
ssize_t __read_chk(int fd, void *buffer, size_t nr_bytes, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t nr_bytes, size_t room, int flags);
int __poll_chk(struct pollfd *fds, nfds_t nr_fds, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t nr_fds, const struct timespec *timeout,
	const sigset_t *mask, size_t room);
ssize_t __recvfrom_chk(int fd, void *buffer, size_t nr_bytes, size_t room, int flags,
	__SOCKADDR_ARG address, socklen_t *length);

#define X(type, name, parameters, arguments, raw)                                          \
	__attribute__((unused)) static inline type real_##name parameters                  \
	{                                                                                  \
		void *found = ctp_load_relaxed(&ledger_functions[LEDGER_FUNCTION_##name]); \
                                                                                           \
		if (CTP_UNLIKELY(!found))                                                  \
			found = ledger_find(LEDGER_FUNCTION_##name);                       \
		if (CTP_UNLIKELY(!found))                                                  \
			return (type)(raw);                                                \
		return ((__typeof__(&name))found)arguments;                                \
	}
#include "wrapped.def"
#undef X

#endif
