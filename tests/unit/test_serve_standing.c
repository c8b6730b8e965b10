/* SPDX-License-Identifier: MIT */
/*
 * What the status strip says of a first look: that the whole is being read, but not for ever if that has failed.
 */
#include "check.h"
#include "corotracer/standing.h"
#include "serve/api.h"

static const struct ct_tables tables = {.nr_before = 900};

/* In place of the library's: the trace of this test is none. */
const struct ct_tables *ct_trace_tables(const struct ct_trace *trace)
{
	(void)trace;
	return &tables;
}

static bool says(bool is_first_look, bool has_trouble, const char *words)
{
	struct ct_report report = {.quality = {.nr_events = 100}};
	struct judged judged = {.report = &report, .is_first_look = is_first_look};
	struct text text = {0};
	struct json json;
	bool does;

	json_init(&json, &text, false);
	serve_standing_tell(&json, NULL, &judged, has_trouble);
	does = strstr(text_peek(&text), words) != NULL;
	text_fini(&text);
	return does;
}

int main(void)
{
	static const char reads[] = "; the whole trace is being read";

	CHECK(says(true, false, "the last 100 of 1,000 events; the whole trace is being read"));
	CHECK(says(true, true, "the last 100 of 1,000 events"));
	CHECK(!says(true, true, reads));
	CHECK(!says(false, false, reads));
	return check_result();
}
