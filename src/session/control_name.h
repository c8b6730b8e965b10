/* SPDX-License-Identifier: MIT */
/*
 * The name under which a recording takes orders: of an abstract Unix socket, which leaves no file behind, whatever ends
 * the engine. Process ids are those of one namespace, so its number is part of the name.
 */
#ifndef SESSION_CONTROL_NAME_H
#define SESSION_CONTROL_NAME_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

/* control_name_of: the address, and its length. */
socklen_t control_name_of(int64_t pid, struct sockaddr_un *ret_address);

#endif
