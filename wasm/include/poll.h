/* SPDX-License-Identifier: MIT */
/* The flags of poll(2) with Linux's values, which traces contain; wasi-libc has other values. */
#ifndef WASM_POLL_H
#define WASM_POLL_H

#define POLLIN 0x001
#define POLLPRI 0x002
#define POLLOUT 0x004
#define POLLERR 0x008
#define POLLHUP 0x010
#define POLLNVAL 0x020
#define POLLRDHUP 0x2000

struct pollfd {
	int fd;
	short events;
	short revents;
};

/* poll: a page cannot wait; always returns -1 with ENOTSUP. */
int poll(struct pollfd *waited, unsigned long count, int timeout_ms);

#endif
