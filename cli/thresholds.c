/* SPDX-License-Identifier: MIT */
/*
 * From options to thresholds, and from the library's table to words.
 */
#include "thresholds.h"

#include <stdio.h>
#include <string.h>

#include "say.h"
#include "wrap.h"

#define VALUE_BYTES 32

static enum ct_status take(
	struct ct_thresholds *thresholds, const struct given *given, struct ct_error *reterr)
{
	switch (given->option) {
	case OPTION_JUDGE_THRESHOLDS:
		return ct_thresholds_read(thresholds, given->value, reterr);
	case OPTION_JUDGE_THRESHOLD:
		return ct_thresholds_set(thresholds, given->value, reterr);
	case OPTION_JUDGE_ALLOW_SITE:
		return ct_thresholds_allow(thresholds, given->value, reterr);
	default:
		return CT_OK;
	}
}

bool thresholds_are_given(const struct arguments *arguments)
{
	return arguments->value[OPTION_JUDGE_THRESHOLDS] ||
	       arguments->value[OPTION_JUDGE_THRESHOLD] ||
	       arguments->value[OPTION_JUDGE_ALLOW_SITE];
}

int thresholds_read(const struct arguments *arguments, struct ct_thresholds **ret_thresholds)
{
	enum ct_status status = CT_OK;
	struct ct_error error;
	int i;

	*ret_thresholds = NULL;
	if (thresholds_are_given(arguments))
		status = ct_thresholds_new(ret_thresholds, &error);
	for (i = 0; i < arguments->nr_given && *ret_thresholds && !status; i++)
		status = take(*ret_thresholds, &arguments->given[i], &error);
	if (!status)
		return 0;
	ct_thresholds_free(*ret_thresholds);
	*ret_thresholds = NULL;
	return say_failure(status, &error);
}

/* ---------------------------------------------------------------- help */

static void print_standard(unsigned threshold, char text[VALUE_BYTES])
{
	const struct ct_threshold_about *about = ct_threshold_about(threshold);

	ct_threshold_text((enum ct_threshold)threshold, about->standard, text, VALUE_BYTES);
}

void thresholds_help(void)
{
	const struct ct_threshold_about *about;
	char standard[VALUE_BYTES];
	unsigned i;

	puts("Thresholds: from when on something is worth a finding\n");
	puts("  --threshold NAME=VALUE   set one");
	puts("  --thresholds FILE        set those in FILE, one a line: NAME = VALUE, or");
	puts("                           allow-site = PATTERN; what follows a '#' at the");
	puts("                           beginning or after a blank is a comment");
	puts("  --allow-site PATTERN     say nothing of a place\n");
	puts("Each with its default, and the rules that use it:");
	for (i = 0; (about = ct_threshold_about(i)); i++) {
		print_standard(i, standard);
		printf("\n  %s = %s\n      ", about->name, standard);
		print_wrapped(about->rules, 6, 6);
		fputs("      ", stdout);
		print_wrapped(about->meaning, 6, 6);
		fputs("      why:", stdout);
		print_wrapped(about->why, 10, 6);
	}
}
