/* SPDX-License-Identifier: MIT */
/*
 * Orders to probes, from the options: their clock, the memory of their rings, and what a full one does.
 */
#ifndef CLI_ORDERS_H
#define CLI_ORDERS_H

#include <stdbool.h>

#include "corotracer/ct.h"
#include "options.h"

/* orders_read: false: `complaint` is one sentence. */
bool orders_read(const struct arguments *arguments, struct ct_orders *ret_orders,
	char complaint[COMPLAINT_BYTES]);

#endif
