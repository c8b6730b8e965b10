/* SPDX-License-Identifier: MIT */
/*
 * Thresholds: the table is complete; settings from options and files are accepted, or refused with the place of the
 * error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "corotracer/ct.h"
#include "event/places.h"
#include "analyze/thresholds.h"

static bool is_rule(const char *name, size_t length)
{
	unsigned rule;

	for (rule = CT_RULE_NONE + 1; rule < CT_NR_RULES; rule++)
		if (strlen(ct_rule_name((enum ct_rule)rule)) == length &&
			strncmp(ct_rule_name((enum ct_rule)rule), name, length) == 0)
			return true;
	return false;
}

static void test_table(void)
{
	struct ct_thresholds *thresholds;
	unsigned i;

	CHECK_EQUAL(ct_thresholds_new(&thresholds, NULL), CT_OK);
	for (i = 0; i < CT_NR_THRESHOLDS; i++) {
		const struct ct_threshold_about *about = ct_threshold_about(i);
		const char *rules = about->rules;
		char setting[200], value[32];

		CHECK(about->least <= about->standard && about->standard <= about->most);
		for (; *rules;
			rules += strcspn(rules, ",") + strspn(rules + strcspn(rules, ","), ", "))
			CHECK(is_rule(rules, strcspn(rules, ",")));
		/* A printed value can be read again. */
		ct_threshold_text((enum ct_threshold)i, about->most, value, sizeof(value));
		snprintf(setting, sizeof(setting), " %s = %s ", about->name, value);
		CHECK_EQUAL(ct_thresholds_value(thresholds, (enum ct_threshold)i), about->standard);
		CHECK_EQUAL(ct_thresholds_set(thresholds, setting, NULL), CT_OK);
		CHECK_EQUAL(ct_thresholds_value(thresholds, (enum ct_threshold)i), about->most);
		CHECK_EQUAL(ct_thresholds_value(NULL, (enum ct_threshold)i), about->standard);
	}
	CHECK(ct_threshold_about(CT_NR_THRESHOLDS) == NULL);
	ct_thresholds_free(thresholds);
}

static void test_refused(void)
{
	static const struct {
		const char *setting;
		const char *said;
	} cases[] = {
		{"wait-limit", "a threshold is set by NAME=VALUE, not by 'wait-limit'"},
		{"waits=1s",
			"there is no threshold 'waits'; 'corotracer help thresholds' lists them"},
		{"wait-limit=10", "threshold 'wait-limit' takes a time with its unit (ns, us, ms, "
				  "s, min or h) from "
				  "1ns to 1000h, not '10'"},
		{"wait-limit=0s", "threshold 'wait-limit' takes a time with its unit (ns, us, ms, "
				  "s, min or h) from "
				  "1ns to 1000h, not '0s'"},
		{"worker-hog.factor=0", "threshold 'worker-hog.factor' takes a whole number from 1 "
					"to 1000000, not '0'"},
		{"worker-hog.factor=1000001", "threshold 'worker-hog.factor' takes a whole number "
					      "from 1 to 1000000, not '1000001'"},
		{"worker-hog.factor=7x", "threshold 'worker-hog.factor' takes a whole number from "
					 "1 to 1000000, not '7x'"},
		{"worker-hog.factor=", "threshold 'worker-hog.factor' takes a whole number from 1 "
				       "to 1000000, not ''"},
	};
	struct ct_thresholds *thresholds;
	struct ct_error error;
	size_t i;

	CHECK_EQUAL(ct_thresholds_new(&thresholds, NULL), CT_OK);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQUAL(ct_thresholds_set(thresholds, cases[i].setting, &error), CT_ERR_USAGE);
		CHECK_TEXT(error.text, cases[i].said);
	}
	CHECK_EQUAL(ct_thresholds_allow(thresholds, "", &error), CT_ERR_USAGE);
	ct_thresholds_free(thresholds);
}

/* Reads a file with this content; the error's text comes without the file's name. */
static enum ct_status read_file(
	struct ct_thresholds *thresholds, const char *content, size_t nr_bytes, char said[256])
{
	char path[] = "/tmp/thresholds-XXXXXX";
	int descriptor = mkstemp(path);
	struct ct_error error = {.text = ""};
	enum ct_status status;
	const char *at;

	CHECK(descriptor >= 0 && write(descriptor, content, nr_bytes) == (ssize_t)nr_bytes);
	close(descriptor);
	status = ct_thresholds_read(thresholds, path, &error);
	unlink(path);
	at = strstr(error.text, path);
	snprintf(said, 256, "%.255s", at ? at + strlen(path) : error.text);
	return status;
}

static void test_file(void)
{
	static const char good[] = "# ours\n\n  grace = 5s  # slow disks\r\nallow-site = "
				   "src/*.c\nallow-site=accept?r\n"
				   "worker-hog.factor=3";
	static const char bad[] = "grace = 7s\nallow-site = main\nwait-limit\n";
	static const char worse[] = "grace = 7s\n\nwait-limit = soon\n";
	struct ct_site site = {
		.file = "/x/a.c", .function = "acceptor", .reason = "", .line = 3, .callers = ""};
	struct ct_thresholds *thresholds;
	char said[256];

	CHECK_EQUAL(ct_thresholds_new(&thresholds, NULL), CT_OK);
	CHECK_EQUAL(read_file(thresholds, good, sizeof(good) - 1, said), CT_OK);
	CHECK_EQUAL(ct_thresholds_value(thresholds, CT_THRESHOLD_GRACE), INT64_C(5000000000));
	CHECK_EQUAL(ct_thresholds_value(thresholds, CT_THRESHOLD_HOG_FACTOR), 3);
	CHECK_EQUAL(thresholds->allowed.count, 2);
	CHECK_TEXT(thresholds->allowed.at[0], "src/*.c");
	CHECK(place_matches(thresholds->allowed.at[1], &site));
	site.function = "other";
	CHECK(!place_matches(thresholds->allowed.at[1], &site));
	CHECK_EQUAL(read_file(thresholds, bad, sizeof(bad) - 1, said), CT_ERR_USAGE);
	CHECK_TEXT(said, ":3: this is no NAME = VALUE: 'wait-limit'");
	CHECK_EQUAL(read_file(thresholds, worse, sizeof(worse) - 1, said), CT_ERR_USAGE);
	CHECK_TEXT(said, ":3: threshold 'wait-limit' takes a time with its unit (ns, us, ms, s, "
			 "min or h) from 1ns to "
			 "1000h, not 'soon'");
	CHECK_EQUAL(read_file(thresholds, "a\0b", 3, said), CT_ERR_FORMAT);
	CHECK_EQUAL(ct_thresholds_read(thresholds, "/nowhere/file", NULL), CT_ERR_NOT_FOUND);
	ct_thresholds_free(thresholds);
}

/* A '#' within a word is part of the word; a pattern is taken whole, or refused. */
static void test_words(void)
{
	static const char names[] = "allow-site = mycrate::work::{closure#0}\t# a comment\n"
				    "\t#allow-site = b\n#allow-site = c\nallow-site=d#e #f#g\n";
	struct ct_thresholds *thresholds;
	char said[256], line[1400];

	CHECK_EQUAL(ct_thresholds_new(&thresholds, NULL), CT_OK);
	CHECK_EQUAL(read_file(thresholds, names, sizeof(names) - 1, said), CT_OK);
	CHECK_EQUAL(thresholds->allowed.count, 2);
	CHECK_TEXT(thresholds->allowed.at[0], "mycrate::work::{closure#0}");
	CHECK_TEXT(thresholds->allowed.at[1], "d#e");
	snprintf(line, sizeof(line), "allow-site = %01278d", 0);
	CHECK_EQUAL(read_file(thresholds, line, strlen(line), said), CT_OK);
	CHECK_EQUAL(strlen(thresholds->allowed.at[2]), 1278);
	snprintf(line, sizeof(line), "allow-site = %01279d", 0);
	CHECK_EQUAL(read_file(thresholds, line, strlen(line), said), CT_ERR_USAGE);
	CHECK_TEXT(said, ":1: the value of 'allow-site' has 1279 bytes or more");
	ct_thresholds_free(thresholds);
}

static void test_places(void)
{
	static const char *const right[] = {"a.c", "a.c:3", "main", "rece*", "src/a.c",
		"engine/src/a.c:3", "/x/engine/src/a.c", "*/a.c", "*/a.c:3", "/x/*", "serve",
		"src/b.h:70", "on_*"};
	static const char *const wrong[] = {"b.c", "a.c:4", "[!m]ain", "rc/a.c", "src", "*/a.c:4",
		"", "engine/a.c", "b.h:71", "serv"};
	struct ct_site site = {.file = "/x/engine/src/a.c",
		.function = "main",
		.reason = "receive",
		.line = 3,
		.callers = "serve\tengine/src/b.h\t70\non_request\t\t0\n"};
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		CHECK(place_matches(right[i], &site));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!place_matches(wrong[i], &site));
	site.file = site.function = site.reason = site.callers = "";
	CHECK(!place_matches("*", &site));
}

/* A pattern means a function by its name without parameters and result, or by any end of that name. */
static void test_functions(void)
{
	static const char *const right[] = {"demo::Server<a::b>::serve", "Server<a::b>::serve",
		"serve", "ser*", "demo::*", "demo::Task demo::*"};
	static const char *const wrong[] = {
		"b>::serve", "Server", "Task", "erve", "demo::Server", "Reactor"};
	struct ct_site site = {.file = "",
		.function = "demo::Task demo::Server<a::b>::serve(Reactor&, int) [clone .actor]",
		.reason = "",
		.callers = "void net::accept(int)\t\t0\n"};
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		CHECK(place_matches(right[i], &site));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!place_matches(wrong[i], &site));
	CHECK(place_matches("accept", &site));
}

int main(void)
{
	test_table();
	test_refused();
	test_file();
	test_words();
	test_places();
	test_functions();
	return check_result();
}
