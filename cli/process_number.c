/* SPDX-License-Identifier: MIT */
/*
 * Processes as operands (process_number.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "process_number.h"
#include "say.h"
#include "signals.h"

int64_t process_read(const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);

	return end != text && *end == '\0' && pid > 0 && pid <= INT32_MAX ? pid : 0;
}

bool process_is_meant(const char *operand)
{
	return *operand && operand[strspn(operand, "0123456789")] == '\0';
}

static int say_no_process(const char *operand, enum ct_status status, const struct ct_error *error)
{
	if (status == CT_ERR_NOT_FOUND && access(operand, F_OK) == 0)
		say_sentence("'%s' is taken for the number of a process; the file is './%s'",
			operand, operand);
	return say_failure(status, error);
}

int process_judge(const char *command, const char *operand, const char *duration, bool no_symbols,
	const struct ct_analyze_options *options, struct judgement *ret_judgement)
{
	struct ct_live_options live = {
		.size = sizeof(live), .pid = process_read(operand), .no_symbols = no_symbols};
	struct ct_error error;
	enum ct_status status;

	if (!live.pid)
		return say_usage(
			command, "PID is the number of a process, as ps and pidof print it");
	if (duration && !ct_duration_read(duration, &live.duration_ns))
		return say_usage(command, "'--duration' needs a time: 500ms, 10s, 2min");
	if (!signals_catch()) {
		say_sentence("can not prepare for signals: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	live.wake_descriptor = signals_descriptor();
	status = judgement_open_live(&live, options, ret_judgement, &error);
	signals_release();
	return status ? say_no_process(operand, status, &error) : 0;
}
