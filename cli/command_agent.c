/* SPDX-License-Identifier: MIT */
/*
 * corotracer agent: samples all programs of a machine. What happens is one line of JSON each on standard error.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "say.h"
#include "signals.h"

#define LINE_BYTES 2048
#define SETTLE_NS INT64_C(10000000000)
#define SLICE_NS INT64_C(100000000)
#define NS_PER_MS INT64_C(1000000)

/* Calls come one at a time; one write makes a line. */
static void tell(void *context, const struct ct_sampling_event *event)
{
	char line[LINE_BYTES];
	size_t length = ct_sampling_event_write(event, line, sizeof(line));

	(void)context;
	if (length < sizeof(line))
		fprintf(stderr, "%s\n", line);
}

static void tell_of(enum ct_sampling_event_kind kind, const char *text)
{
	struct ct_sampling_event event = {.size = sizeof(event), .kind = kind, .text = text};

	tell(NULL, &event);
}

static void reload(struct ct_agent *agent)
{
	struct ct_error error;

	if (ct_agent_reload(agent, &error))
		tell_of(CT_SAMPLING_REFUSED, error.text);
}

/* HUP reads the configuration again; returns whether another signal asks to end. */
static bool hear_signals(struct ct_agent *agent)
{
	bool was_delivered, is_to_end = false;
	int number;

	while ((number = signals_take(0, &was_delivered))) {
		if (number == SIGHUP)
			reload(agent);
		else
			is_to_end |= number != SIGUSR1 && number != SIGUSR2;
	}
	return is_to_end;
}

static void run_on(struct ct_agent *agent)
{
	struct pollfd news = {.fd = signals_descriptor(), .events = POLLIN};

	do {
		ct_agent_step(agent);
		(void)poll(&news, 1, (int)(ct_agent_pause_ns(agent) / NS_PER_MS));
	} while (!hear_signals(agent));
}

/* A second signal ends the waiting, too. */
static void settle(struct ct_agent *agent)
{
	int64_t waited_ns = 0;
	bool was_delivered;

	while (waited_ns < SETTLE_NS && !ct_agent_settle(agent, SLICE_NS) &&
		!signals_take(0, &was_delivered))
		waited_ns += SLICE_NS;
}

int command_agent(const struct arguments *arguments)
{
	const char *configuration = arguments->value[OPTION_AGENT_CONFIG];
	struct ct_agent *agent;
	struct ct_error error;
	enum ct_status status;

	if (!configuration || arguments->nr_operands)
		return say_usage("agent", configuration
						  ? "the configuration names all programs"
						  : "which configuration? --config FILE names it");
	if (!signals_catch()) {
		say_sentence("cannot prepare for signals: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	status = ct_agent_open(configuration, tell, NULL, &agent, &error);
	if (status == CT_OK) {
		if (*ct_agent_url(agent))
			tell_of(CT_SAMPLING_STARTED, ct_agent_url(agent));
		run_on(agent);
		ct_agent_stop(agent);
		settle(agent);
		ct_agent_close(agent);
	}
	signals_release();
	return status ? say_failure(status, &error) : 0;
}
