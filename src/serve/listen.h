/* SPDX-License-Identifier: MIT */
/*
 * Where the server listens.
 */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"

#define SERVE_NAME_BYTES 256

struct serve_address {
	char name[SERVE_NAME_BYTES]; /* as it was given, without brackets */
	uint16_t port;               /* where it listens, or shall */
	bool is_default_port;        /* another one will do */
	bool has_moved;              /* another one it is */
	bool is_open_to_others;      /* beyond the loopback interface */
	bool is_version_6;
};

/* serve_listen_read: what "ADDRESS:PORT" asks for (ct_serve_options.listen). NULL: the default. */
enum ct_status serve_listen_read(
	const char *text, struct serve_address *ret_address, struct ct_error *reterr);

/*
 * serve_listen_open: a socket that listens there, which does not block, and is the caller's; the address is completed.
 * -1: none, as *reterr says.
 */
int serve_listen_open(struct serve_address *address, struct ct_error *reterr);

#endif
