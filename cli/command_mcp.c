/* SPDX-License-Identifier: MIT */
/*
 * corotracer mcp: answers an assistant's questions about traces over standard input and output.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "mcp/server.h"
#include "say.h"
#include "signals.h"

int command_mcp(const struct arguments *arguments)
{
	struct mcp_options options = {
		.input = STDIN_FILENO,
		.output = STDOUT_FILENO,
		.root = arguments->value[OPTION_MCP_ROOT],
		.allows_run = arguments->value[OPTION_MCP_ALLOW_RUN] != NULL,
	};
	struct ct_error error;
	enum ct_status status;

	if (arguments->nr_operands)
		return say_usage("mcp", "traces are opened by requests: no operand is taken");
	if (isatty(STDIN_FILENO))
		say_sentence(
			"waiting for requests of an assistant on standard input; Ctrl-D ends it");
	if (!signals_catch()) {
		say_sentence("cannot prepare for signals: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	options.stop_descriptor = signals_descriptor();
	status = mcp_serve(&options, &error);
	signals_release();
	return status ? say_failure(status, &error) : 0;
}
