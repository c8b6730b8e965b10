/* SPDX-License-Identifier: MIT */
/* The flags of epoll(7) that reports mention. */
#ifndef WASM_SYS_EPOLL_H
#define WASM_SYS_EPOLL_H

#define EPOLLERR 0x008
#define EPOLLHUP 0x010
#define EPOLLONESHOT (1u << 30)

#endif
