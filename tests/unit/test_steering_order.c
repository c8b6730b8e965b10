/* SPDX-License-Identifier: MIT */
/*
 * Orders to a recording, as words: the meaning of each, and words without a meaning.
 */
#include "check.h"
#include "corotracer/ctp.h"
#include "session/steering_order.h"

static struct steering_order understand(const char *text)
{
	struct steering_order order = {.patterns = NULL};
	struct ct_error error = {0};

	if (steering_order_read(text, &order, &error))
		fprintf(stderr, "%s\n", error.text);
	CHECK_EQUAL(error.status, CT_OK);
	return order;
}

/* The categories that may be left out: all but scheduling. */
static const uint32_t all = (0
#define X(name, number, ...) | 1u << (number)
#include "corotracer/def/categories.def"
#undef X
				    ) &
			    ~(1u << CTP_CATEGORY_SCHEDULING);

static void test_values(void)
{
	struct steering_order order = understand("no-category=logs,counters");

	CHECK_EQUAL(order.verb, ORDER_NO_CATEGORY);
	CHECK_EQUAL(order.number, 1u << CTP_CATEGORY_LOGS | 1u << CTP_CATEGORY_COUNTERS);
	steering_order_fini(&order);
	order = understand("no-category=");
	CHECK_EQUAL(order.number, 0);
	steering_order_fini(&order);
	order = understand("categories=logs,scheduling");
	CHECK_EQUAL(order.number, all & ~(1u << CTP_CATEGORY_LOGS));
	steering_order_fini(&order);
	order = understand("categories=");
	CHECK_EQUAL(order.number, all);
	steering_order_fini(&order);
	order = understand("sample=1/20");
	CHECK_EQUAL(order.number, 20);
	steering_order_fini(&order);
	order = understand("sample=4294967295");
	CHECK_EQUAL(order.number, UINT32_MAX);
	steering_order_fini(&order);
}

static void test_patterns(void)
{
	struct steering_order order = understand("leave-out-site=a*,,b.c:12,");

	CHECK_EQUAL(order.verb, ORDER_LEAVE_OUT_SITE);
	CHECK_TEXT(order.patterns[0], "a*");
	CHECK_TEXT(order.patterns[1], "b.c:12");
	CHECK(!order.patterns[2]);
	steering_order_fini(&order);
	order = understand("leave-out-task=");
	CHECK(!order.patterns[0]);
	steering_order_fini(&order);
}

static void test_nothing(void)
{
	static const char *const bad[] = {"", "=", "halt", "start=", "start ", "Start", "sample",
		"sample=", "sample=0", "sample=-1", "sample=1/0", "sample=4294967296",
		"sample=99999999999999999999", "no-category", "no-category=scheduling",
		"no-category=log", "no-category=logs,,counters", "dump=x"};
	struct steering_order order;
	struct ct_error error;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_EQUAL(steering_order_read(bad[i], &order, &error), CT_ERR_USAGE);
		CHECK(*error.text);
	}
	CHECK_EQUAL(steering_order_read("dump=x", &order, NULL), CT_ERR_USAGE);
}

int main(void)
{
	test_values();
	test_patterns();
	test_nothing();
	return check_result();
}
