/* SPDX-License-Identifier: MIT */
/*
 * Reading the options that go to the probes.
 */
#include <stdio.h>
#include <string.h>

#include "orders.h"
#include "quantity.h"

#define COARSE_STEP_NS 100000
#define COARSE_STEP_LEAST_NS 10000
#define COARSE_STEP_MOST_NS 1000000000

static bool complain(char complaint[COMPLAINT_BYTES], const char *text)
{
	snprintf(complaint, COMPLAINT_BYTES, "%s", text);
	return false;
}

/* "counter", "coarse", or "coarse=100us". */
static bool read_clock(const char *text, struct ct_orders *orders, char complaint[COMPLAINT_BYTES])
{
	static const char coarse[] = "coarse";
	size_t length = sizeof(coarse) - 1;

	if (!text || strcmp(text, "counter") == 0)
		return true;
	orders->coarse_step_ns = COARSE_STEP_NS;
	if (strcmp(text, coarse) == 0)
		return true;
	if (strncmp(text, coarse, length) == 0 && text[length] == '=' &&
		quantity_time(
			text + length + 1, strlen(text) - length - 1, &orders->coarse_step_ns) &&
		orders->coarse_step_ns >= COARSE_STEP_LEAST_NS &&
		orders->coarse_step_ns <= COARSE_STEP_MOST_NS)
		return true;
	return complain(complaint, "option '--clock' takes counter, coarse, or a step of 10us to "
				   "1s as in coarse=100us");
}

static bool read_ring(const char *text, struct ct_orders *orders, char complaint[COMPLAINT_BYTES])
{
	if (!text)
		return true;
	if (quantity_bytes(text, strlen(text), &orders->ring_bytes) &&
		orders->ring_bytes >= CT_RING_BYTES_LEAST &&
		orders->ring_bytes <= CT_RING_BYTES_MOST)
		return true;
	return complain(
		complaint, "option '--ring-budget' takes a size from 128KiB to 16MiB, as in 1MiB");
}

bool orders_read(const struct arguments *arguments, struct ct_orders *ret_orders,
	char complaint[COMPLAINT_BYTES])
{
	const char *when_full = arguments->value[OPTION_RECORD_WHEN_FULL];

	*ret_orders = (struct ct_orders){.size = sizeof(*ret_orders)};
	ret_orders->overwrites = when_full && strcmp(when_full, "overwrite") == 0;
	return read_clock(arguments->value[OPTION_RUN_CLOCK], ret_orders, complaint) &&
	       read_ring(arguments->value[OPTION_RECORD_RING_BUDGET], ret_orders, complaint);
}
