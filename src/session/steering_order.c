/* SPDX-License-Identifier: MIT */
/* Parses one word, and the value after its '='. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "corotracer/ctp.h"
#include "corotracer/event.h"
#include "session/steering_order.h"

#define SCHEDULING (UINT32_C(1) << CTP_CATEGORY_SCHEDULING)

static const uint32_t all_categories = 0
#define X(name, number, text, is_evidence, meaning) | UINT32_C(1) << (number)
#include "corotracer/def/categories.def"
#undef X
	;

enum form {
	FORM_NONE,
	FORM_LIST,
	FORM_PATTERNS,
	FORM_SHARE,
};

static const struct {
	const char *word;
	enum form form;
} verbs[NR_ORDERS] = {
#define X(name, word, value, meaning) [ORDER_##name] = {word, FORM_##value},
#include "corotracer/def/orders.def"
#undef X
};

static enum ct_status refuse(const char *what, const char *why, struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_USAGE, "'%.60s' %s", what, why);
}

/* ---------------------------------------------------------------- values */

static enum ct_status read_list(
	const char *at, struct steering_order *order, struct ct_error *reterr)
{
	uint32_t listed = 0;
	unsigned category;
	size_t length;

	for (; at && *at; at = at[length] ? at + length + 1 : NULL) {
		length = strcspn(at, ",");
		if (!ct_category_find(at, length, &category))
			return refuse(at, "is no category", reterr);
		listed |= UINT32_C(1) << category;
	}
	if (order->verb == ORDER_CATEGORIES)
		listed = all_categories & ~listed & ~SCHEDULING;
	if (listed & SCHEDULING)
		return ct_fail(reterr, CT_ERR_USAGE,
			"scheduling cannot be left out: without it there are no coroutines");
	order->number = listed;
	return CT_OK;
}

static enum ct_status read_share(
	const char *at, struct steering_order *order, struct ct_error *reterr)
{
	const char *digits = strncmp(at, "1/", 2) == 0 ? at + 2 : at;
	size_t length = strlen(digits);
	unsigned long long number = strtoull(digits, NULL, 10);

	if (length == 0 || length > 10 || strspn(digits, "0123456789") != length || number == 0 ||
		number > UINT32_MAX)
		return refuse(at, "is no share: one in ten is 1/10", reterr);
	order->number = (uint32_t)number;
	return CT_OK;
}

/* Splits the patterns in place, in `order->words`; empty ones are ignored. */
static enum ct_status read_patterns(char *at, struct steering_order *order, struct ct_error *reterr)
{
	size_t most = 2, count = 0, i;
	char *behind;

	for (i = 0; at[i]; i++)
		most += at[i] == ',';
	order->patterns = calloc(most, sizeof(*order->patterns));
	if (!order->patterns)
		return ct_fail_memory(reterr);
	for (; at; at = behind) {
		behind = strchr(at, ',');
		if (behind)
			*behind++ = '\0';
		if (*at)
			order->patterns[count++] = at;
	}
	return CT_OK;
}

static enum ct_status read_value(
	enum form form, char *value, struct steering_order *order, struct ct_error *reterr)
{
	switch (form) {
	case FORM_LIST:
		return read_list(value, order, reterr);
	case FORM_SHARE:
		return read_share(value, order, reterr);
	case FORM_PATTERNS:
		return read_patterns(value, order, reterr);
	case FORM_NONE:
		break;
	}
	return CT_OK;
}

/* ---------------------------------------------------------------- orders */

static enum ct_status find_verb(
	const char *text, size_t length, enum order_verb *ret_verb, struct ct_error *reterr)
{
	unsigned i;

	for (i = 0; i < NR_ORDERS; i++) {
		if (strlen(verbs[i].word) != length || memcmp(verbs[i].word, text, length) != 0)
			continue;
		*ret_verb = (enum order_verb)i;
		return CT_OK;
	}
	return refuse(text, "is nothing that a recording can be asked for", reterr);
}

enum ct_status steering_order_read(
	const char *text, struct steering_order *ret_order, struct ct_error *reterr)
{
	size_t length = strcspn(text, "=");
	struct steering_order order = {.patterns = NULL};
	enum ct_status status = find_verb(text, length, &order.verb, reterr);
	bool has_value = text[length] == '=';

	if (status)
		return status;
	if (has_value != (verbs[order.verb].form != FORM_NONE))
		return refuse(
			text, has_value ? "takes no value" : "lacks its value, behind '='", reterr);
	if (strlen(text) > STEERING_ORDER_BYTES)
		return refuse(text, "has a value that is too long", reterr);
	order.words = strdup(text);
	if (!order.words)
		return ct_fail_memory(reterr);
	if (has_value)
		status = read_value(
			verbs[order.verb].form, order.words + length + 1, &order, reterr);
	if (status)
		steering_order_fini(&order);
	else
		*ret_order = order;
	return status;
}

void steering_order_fini(struct steering_order *order)
{
	free(order->patterns);
	free(order->words);
	*order = (struct steering_order){.patterns = NULL};
}
