/* SPDX-License-Identifier: MIT */
/*
 * The address at which the server listens.
 */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"

#define SERVE_NAME_BYTES 256

struct serve_address {
	char name[SERVE_NAME_BYTES]; /* as the user gave it, without brackets */
	uint16_t port;               /* the port at which the server listens, or shall listen */
	bool is_default_port;        /* no port was given: another port will do */
	bool has_moved;              /* another port was taken */
	bool is_open_to_others;      /* reachable from beyond the loopback interface */
	bool is_version_6;
};

/* serve_listen_read: reads "ADDRESS:PORT" (ct_serve_options.listen). NULL: the default address. */
enum ct_status serve_listen_read(
	const char *text, struct serve_address *ret_address, struct ct_error *reterr);

/*
 * serve_listen_open: opens a non-blocking socket that listens at the address; the socket is the caller's. The address
 * is completed. -1: failed, and *reterr says why.
 */
int serve_listen_open(struct serve_address *address, struct ct_error *reterr);

#endif
