/* SPDX-License-Identifier: MIT */
/*
 * Orders to a recording, in words (corotracer/def/orders.def). Words come from outside.
 */
#ifndef SESSION_STEERING_ORDER_H
#define SESSION_STEERING_ORDER_H

#include <stdint.h>

#include "base/failure.h"

#define STEERING_ORDER_BYTES 4096u /* the longest order */

enum order_verb {
#define X(name, word, value, meaning) ORDER_##name,
#include "corotracer/def/orders.def"
#undef X
	NR_ORDERS,
};

struct steering_order {
	enum order_verb verb;
	uint32_t number;       /* the categories that are off, the N of a SHARE */
	const char **patterns; /* NULL-terminated; NULL: none */
	char *words;           /* in which they lie */
};

/* steering_order_read: what the words ask for; steering_order_fini gives it back. CT_ERR_USAGE: nothing. */
enum ct_status steering_order_read(
	const char *text, struct steering_order *ret_order, struct ct_error *reterr);
void steering_order_fini(struct steering_order *order);

#endif
