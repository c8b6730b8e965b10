/* SPDX-License-Identifier: MIT */
/* Takes a look into a process's memory (look.h). */
#include <errno.h>
#include <string.h>

#include "corotracer/ct.h"
#include "exits.h"
#include "look.h"
#include "output.h"
#include "say.h"
#include "signals.h"
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

void look_end(const struct subject *subject, struct private_folder *folder)
{
	private_folder_remove(folder);
	subject_settle(subject);
}

/* Writes the trace; returns the exit status. */
static int write_look(struct ct_trace *trace, const struct private_folder *folder)
{
	struct ct_export_options options = {.size = sizeof(options), .format = CT_EXPORT_CTRACE};
	struct ct_error error;
	enum ct_status status = ct_export(trace, &options, folder->file, &error);
	bool was_delivered;
	int number;

	progress_end();
	if (status)
		return say_failure(status, &error);
	number = signals_take(0, &was_delivered);
	return number ? EXIT_SIGNALED + number : 0;
}

int look_take(const struct arguments *arguments, const struct subject *subject,
	struct private_folder *folder)
{
	struct ct_trace *trace;
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
	exit_status = write_look(trace, folder);
	ct_trace_close(trace);
	if (exit_status) {
		look_end(subject, folder);
		return exit_status;
	}
	say_sentence("process %s has no probe: shown is what was found in its memory just now",
		subject->operand);
	return 0;
}
