/* SPDX-License-Identifier: MIT */
/*
 * Addresses of MySQL and MariaDB, whose client library has no address syntax:
 * mysql://USER:PASSWORD@HOST:PORT/DATABASE?socket=PATH. Each part may be missing. Private to src/export.
 */
#ifndef EXPORT_MYSQL_ADDRESS_H
#define EXPORT_MYSQL_ADDRESS_H

#include "corotracer/error.h"

/* A part that the address lacks is NULL. */
struct mysql_address {
	char *user;
	char *password;
	char *host;
	char *database;
	char *socket;
	unsigned port; /* 0: not given */
};

/*
 * mysql_address_read: splits an address into its parts; "" has no parts. CT_ERR_USAGE: not a valid address; the error
 * does not quote it. mysql_address_fini: frees the parts, also after a failure.
 */
enum ct_status mysql_address_read(
	struct mysql_address *address, const char *text, struct ct_error *reterr);
void mysql_address_fini(struct mysql_address *address);

#endif
