/* SPDX-License-Identifier: MIT */
/*
 * Addresses of MySQL and MariaDB, for which the client library has no form:
 * mysql://USER:PASSWORD@HOST:PORT/DATABASE?socket=PATH, of which each part may be missing. Private to src/export.
 */
#ifndef EXPORT_MYSQL_ADDRESS_H
#define EXPORT_MYSQL_ADDRESS_H

#include "corotracer/error.h"

/* Each part is NULL where the address has none. */
struct mysql_address {
	char *user;
	char *password;
	char *host;
	char *database;
	char *socket;
	unsigned port; /* 0: not said */
};

/*
 * mysql_address_read: takes an address apart; "" has no part. CT_ERR_USAGE: it is none; the message has nothing of
 * it. mysql_address_fini: frees the parts, also after a failure.
 */
enum ct_status mysql_address_read(
	struct mysql_address *address, const char *text, struct ct_error *reterr);
void mysql_address_fini(struct mysql_address *address);

#endif
