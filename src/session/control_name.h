/* SPDX-License-Identifier: MIT */
/*
 * The name of the socket on which a recording takes orders. The socket is an abstract Unix socket, which leaves no
 * file, however the engine ends. Process ids are those of one namespace, so the namespace's number is part of the name.
 */
#ifndef SESSION_CONTROL_NAME_H
#define SESSION_CONTROL_NAME_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

/* control_name_of: fills in the address, and returns its length. */
socklen_t control_name_of(int64_t pid, struct sockaddr_un *ret_address);

#endif
