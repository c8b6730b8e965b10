/* SPDX-License-Identifier: MIT */
/* Takes a look into a process's memory (look.h). */
#include <errno.h>
#include <string.h>

#include "corotracer/ct.h"
#include "exits.h"
#include "look.h"
#include "say.h"
#include "value.h"

bool look_is_all(const struct subject *subject)
{
	int64_t pid = subject_is_process(subject) ? value_process(subject->operand) : 0;
	struct ct_traceable *found;
	size_t count, i;

	if (!pid || ct_traceables_find(&found, &count, NULL))
		return false;
	for (i = 0; i < count && found[i].pid != pid; i++)
		;
	ct_traceables_free(found);
	return i == count;
}

int look_take(const struct arguments *arguments, const struct subject *subject,
	struct private_folder *folder)
{
	struct ct_export_options options = {.size = sizeof(options), .format = CT_EXPORT_CTRACE};
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status;
	int exit_status;

	if (!private_folder_make(folder, "look.ctrace")) {
		say_sentence("cannot make a folder for what is found in the process: %s",
			strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	exit_status = subject_open(arguments, subject, &trace);
	if (exit_status) {
		private_folder_remove(folder);
		return exit_status;
	}
	status = ct_export(trace, &options, folder->file, &error);
	ct_trace_close(trace);
	subject_settle(subject);
	if (status) {
		private_folder_remove(folder);
		return say_failure(status, &error);
	}
	say_sentence("process %s has no probe: shown is what was found in its memory just now",
		subject->operand);
	return 0;
}
