/* SPDX-License-Identifier: MIT */
/*
 * Orders of any bytes. An order that can be read has a value of its form; one that cannot be read gets an error of one
 * sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "memory_file.h"
#include "session/steering_order.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static void check_read(const struct steering_order *order)
{
	size_t i;

	require(order->verb < NR_ORDERS);
	require(order->verb != ORDER_SAMPLE || order->number > 0);
	require(order->verb != ORDER_NO_CATEGORY || (order->number & 1) == 0);
	for (i = 0; order->patterns && order->patterns[i]; i++)
		require(*order->patterns[i] && !strchr(order->patterns[i], ','));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	char *text = malloc(nr_bytes + 1);
	struct steering_order order;
	struct ct_error error;
	enum ct_status status;

	if (!text)
		return 0;
	memcpy(text, bytes, nr_bytes);
	text[nr_bytes] = '\0';
	status = steering_order_read(text, &order, &error);
	require(status == CT_OK || (status == CT_ERR_USAGE && *error.text));
	if (status == CT_OK) {
		check_read(&order);
		steering_order_fini(&order);
	}
	free(text);
	return 0;
}
