/* SPDX-License-Identifier: MIT */
/*
 * corotracer export: a trace for a spreadsheet, a data frame, or SQL.
 */
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "handing_on.h"
#include "say.h"
#include "thresholds.h"

int command_export(const struct arguments *arguments)
{
	const char *format = arguments->value[OPTION_EXPORT_FORMAT];
	struct handing_on handing_on = {
		.input = one_operand(arguments),
		.format = format ? format : "csv",
		.output = arguments->value[OPTION_EXPORT_OUTPUT],
		.table = arguments->value[OPTION_EXPORT_TABLE],
	};
	struct ct_thresholds *thresholds;
	int exit_status;

	if (!handing_on.input)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (handing_on.output && !*handing_on.output)
		return say_usage("export", "option '--output' needs the name of a file");
	if (handing_on.table && !*handing_on.table)
		return say_usage("export", "option '--table' needs a name");
	if (strcmp(handing_on.format, "sqlite") != 0 && thresholds_are_given(arguments))
		return say_usage("export",
			"only '--format sqlite' holds findings: the others take no thresholds");
	exit_status = thresholds_read(arguments, &thresholds);
	if (exit_status)
		return exit_status;
	handing_on.thresholds = thresholds;
	exit_status = hand_on(&handing_on);
	ct_thresholds_free(thresholds);
	return exit_status;
}
