/* SPDX-License-Identifier: MIT */
/* Orders to a recording, in words (corotracer/def/orders.def). The words come from outside, and are not trusted. */
#ifndef SESSION_STEERING_ORDER_H
#define SESSION_STEERING_ORDER_H

#include <stdint.h>

#include "base/failure.h"

#define STEERING_ORDER_BYTES 4096u /* length of the longest order */

enum order_verb {
#define X(name, word, value, meaning) ORDER_##name,
#include "corotracer/def/orders.def"
#undef X
	NR_ORDERS,
};

struct steering_order {
	enum order_verb verb;
	uint32_t number;       /* the categories that are off, or the N of a SHARE */
	const char **patterns; /* NULL-terminated; NULL: none */
	char *words;           /* memory of the patterns */
};

/* steering_order_read: parses an order; steering_order_fini frees it. CT_ERR_USAGE: the words are not an order. */
enum ct_status steering_order_read(
	const char *text, struct steering_order *ret_order, struct ct_error *reterr);
void steering_order_fini(struct steering_order *order);

#endif
