/* SPDX-License-Identifier: MIT */
/*
 * The sampling is replaced when the configuration is read again: the spool hands over what waits. The lock is for the
 * thread that asks for counts meanwhile.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/failure.h"
#include "corotracer/control.h"
#include "sampling/agent.h"

#define MILLIONTHS_A_PERCENT 10000u

struct agent {
	char *path;
	struct config config;
	agent_tell *tell;
	void *context;
	pthread_rwlock_t replacing;
	struct ct_sampling *sampling;   /* NULL: it could not be opened */
	struct ct_sampling_counts last; /* if there is none */
};

static void tell(const struct agent *agent, enum ct_sampling_event_kind kind, const char *text)
{
	struct ct_sampling_event event = {.size = sizeof(event), .kind = kind, .text = text};

	if (agent->tell)
		agent->tell(agent->context, &event);
}

/* ---------------------------------------------------------------- the sampling */

static struct ct_sampled sampled_by(const struct config *config)
{
	return (struct ct_sampled){
		.size = sizeof(struct ct_sampled),
		.every_ns = config->every_ns,
		.for_ns = config->for_ns,
		.has_jitter = config->has_jitter,
		.pack_level = (int)config->pack_level,
	};
}

static void add_addresses(struct agent *agent)
{
	size_t i;

	for (i = 0; i < agent->config.addresses.count; i++) {
		struct ct_sampled sampled = sampled_by(&agent->config);
		struct ct_error error;

		sampled.service = agent->config.addresses.at[i].name;
		sampled.address = agent->config.addresses.at[i].pattern;
		if (ct_sampling_add(agent->sampling, &sampled, &error))
			tell(agent, CT_SAMPLING_FAILED, error.text);
	}
}

static enum ct_status begin(struct agent *agent, struct ct_error *reterr)
{
	const struct config *config = &agent->config;
	struct ct_sampling_options options = {
		.size = sizeof(options),
		.store = config->store,
		.spool = config->spool,
		.host = *config->host ? config->host : NULL,
		.spool_bytes = config->spool_bytes,
		.bytes_an_hour = config->bytes_an_hour,
		.processor_millionths = (uint32_t)config->processor,
		.load_percent = (uint32_t)(config->load / MILLIONTHS_A_PERCENT),
		.most_at_once = (uint32_t)config->most_at_once,
		.tell = agent->tell,
		.context = agent->context,
	};
	struct ct_sampling *sampling;
	enum ct_status status = ct_sampling_open(&options, &sampling, reterr);

	if (status)
		return status;
	pthread_rwlock_wrlock(&agent->replacing);
	agent->sampling = sampling;
	pthread_rwlock_unlock(&agent->replacing);
	tell(agent, CT_SAMPLING_STARTED, agent->path);
	add_addresses(agent);
	return CT_OK;
}

static void end(struct agent *agent)
{
	struct ct_sampling *sampling = agent->sampling;

	if (!sampling)
		return;
	ct_sampling_stop(sampling);
	pthread_rwlock_wrlock(&agent->replacing);
	ct_sampling_counts(sampling, &agent->last);
	agent->sampling = NULL;
	pthread_rwlock_unlock(&agent->replacing);
	ct_sampling_close(sampling);
}

/* ---------------------------------------------------------------- programs */

/* Not the agent itself, and nothing that is sampled already. */
static void look_at(struct agent *agent, const struct ct_traceable *found)
{
	struct ct_sampled sampled = sampled_by(&agent->config);
	const char *service = config_service(&agent->config, found->command);
	struct ct_error error;
	enum ct_status status;

	if (!service || found->pid == getpid() || ct_sampling_has(agent->sampling, found->pid))
		return;
	sampled.pid = found->pid;
	sampled.service = *service ? service : NULL;
	status = ct_sampling_add(agent->sampling, &sampled, &error);
	if (status && status != CT_ERR_NOT_FOUND)
		tell(agent, CT_SAMPLING_FAILED, error.text);
}

void agent_step(struct agent *agent)
{
	struct ct_traceable *found;
	struct ct_error error;
	size_t count, i;

	if (!agent->sampling)
		return;
	if (ct_traceables_find(&found, &count, &error)) {
		tell(agent, CT_SAMPLING_FAILED, error.text);
		return;
	}
	for (i = 0; i < count; i++)
		look_at(agent, &found[i]);
	ct_traceables_free(found);
}

/* ---------------------------------------------------------------- the agent */

enum ct_status agent_open(const char *configuration, agent_tell *tell_it, void *context,
	struct agent **ret_agent, struct ct_error *reterr)
{
	struct agent *agent = calloc(1, sizeof(*agent));
	enum ct_status status;

	if (!agent)
		return ct_fail_memory(reterr);
	agent->tell = tell_it;
	agent->context = context;
	pthread_rwlock_init(&agent->replacing, NULL);
	agent->path = strdup(configuration);
	status = agent->path ? config_read(configuration, &agent->config, reterr)
			     : ct_fail_memory(reterr);
	if (status == CT_OK)
		status = begin(agent, reterr);
	if (status)
		agent_close(agent);
	else
		*ret_agent = agent;
	return status;
}

const struct config *agent_config(const struct agent *agent)
{
	return &agent->config;
}

/* Whatever waits goes with the configuration under which it was recorded, if that has another store. */
enum ct_status agent_reload(struct agent *agent, struct ct_error *reterr)
{
	struct config before = agent->config, now;
	enum ct_status status = config_read(agent->path, &now, reterr);

	if (status)
		return status;
	end(agent);
	agent->config = now;
	status = begin(agent, reterr);
	if (status == CT_OK) {
		config_fini(&before);
		return CT_OK;
	}
	config_fini(&agent->config);
	agent->config = before;
	begin(agent, NULL);
	return status;
}

void agent_stop(struct agent *agent)
{
	if (agent->sampling)
		ct_sampling_stop(agent->sampling);
}

bool agent_settle(struct agent *agent, int64_t longest_ns)
{
	return !agent->sampling || ct_sampling_settle(agent->sampling, longest_ns);
}

void agent_counts(struct agent *agent, struct ct_sampling_counts *ret_counts)
{
	pthread_rwlock_rdlock(&agent->replacing);
	if (agent->sampling)
		ct_sampling_counts(agent->sampling, ret_counts);
	else
		*ret_counts = agent->last;
	pthread_rwlock_unlock(&agent->replacing);
}

void agent_close(struct agent *agent)
{
	bool has_begun = agent && agent->sampling;

	if (!agent)
		return;
	end(agent);
	if (has_begun)
		tell(agent, CT_SAMPLING_ENDED, agent->path);
	config_fini(&agent->config);
	pthread_rwlock_destroy(&agent->replacing);
	free(agent->path);
	free(agent);
}
