/* SPDX-License-Identifier: MIT */
/* The public functions of an agent: what samples, and the server that says how that goes. */
#include <stdlib.h>
#include <string.h>

#include "corotracer/ct.h"
#include "base/failure.h"
#include "sampling/agent.h"
#include "serve/health.h"

#define METRICS_BYTES 16384
#define NOWHERE "none"

struct ct_agent {
	struct agent *agent;
	struct serve_health *health; /* NULL: nothing is served */
};

/* An agent that stores nothing of what it records is not well; one that has nothing to do is. */
static bool write_health(void *context, struct text *text)
{
	struct ct_sampling_counts counts;
	struct ct_agent *agent = context;
	bool is_well;

	agent_counts(agent->agent, &counts);
	is_well = !counts.nr_dropped &&
		  (!counts.nr_waiting || !counts.nr_refused || counts.nr_stored);
	text_format(text,
		"%s: %llu programs, %llu windows, %llu stored, %llu waiting, %llu dropped\n",
		is_well ? "ok" : "not well", (unsigned long long)counts.nr_programs,
		(unsigned long long)counts.nr_windows, (unsigned long long)counts.nr_stored,
		(unsigned long long)counts.nr_waiting, (unsigned long long)counts.nr_dropped);
	return is_well;
}

static void write_metrics(void *context, struct text *text)
{
	char buffer[METRICS_BYTES];
	struct ct_sampling_counts counts;
	struct ct_agent *agent = context;

	agent_counts(agent->agent, &counts);
	ct_sampling_write_counts(&counts, buffer, sizeof(buffer));
	text_add(text, buffer);
}

static enum ct_status serve(struct ct_agent *agent, struct ct_error *reterr)
{
	struct serve_health_options options = {
		.listen = agent_config(agent->agent)->listen,
		.write_health = write_health,
		.write_metrics = write_metrics,
		.context = agent,
	};

	if (strcmp(options.listen, NOWHERE) == 0)
		return CT_OK;
	return serve_health_open(&options, &agent->health, reterr);
}

enum ct_status ct_agent_open(const char *configuration,
	void (*tell)(void *context, const struct ct_sampling_event *event), void *context,
	struct ct_agent **ret_agent, struct ct_error *reterr)
{
	struct ct_agent *agent = calloc(1, sizeof(*agent));
	enum ct_status status;

	if (!agent)
		return ct_fail_memory(reterr);
	status = agent_open(configuration, tell, context, &agent->agent, reterr);
	if (status == CT_OK)
		status = serve(agent, reterr);
	if (status)
		ct_agent_close(agent);
	else
		*ret_agent = agent;
	return status;
}

void ct_agent_step(struct ct_agent *agent)
{
	agent_step(agent->agent);
}

int64_t ct_agent_pause_ns(const struct ct_agent *agent)
{
	return agent_config(agent->agent)->look_every_ns;
}

const char *ct_agent_url(const struct ct_agent *agent)
{
	return agent->health ? serve_health_url(agent->health) : "";
}

enum ct_status ct_agent_reload(struct ct_agent *agent, struct ct_error *reterr)
{
	return agent_reload(agent->agent, reterr);
}

void ct_agent_stop(struct ct_agent *agent)
{
	agent_stop(agent->agent);
}

bool ct_agent_settle(struct ct_agent *agent, int64_t longest_ns)
{
	return agent_settle(agent->agent, longest_ns);
}

void ct_agent_close(struct ct_agent *agent)
{
	if (!agent)
		return;
	serve_health_close(agent->health);
	agent_close(agent->agent);
	free(agent);
}
