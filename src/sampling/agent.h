/* SPDX-License-Identifier: MIT */
/* An agent without its HTTP: the configuration, the sampling that it describes, and the look for programs. */
#ifndef SAMPLING_AGENT_H
#define SAMPLING_AGENT_H

#include "sampling/config.h"

struct agent;

typedef void agent_tell(void *context, const struct ct_sampling_event *event);

/* What ct_agent_open and the other functions of sampling.h do; agent_config is lent until the next reload. */
enum ct_status agent_open(const char *configuration, agent_tell *tell, void *context,
	struct agent **ret_agent, struct ct_error *reterr);
const struct config *agent_config(const struct agent *agent);
void agent_step(struct agent *agent);
enum ct_status agent_reload(struct agent *agent, struct ct_error *reterr);
void agent_stop(struct agent *agent);
bool agent_settle(struct agent *agent, int64_t longest_ns);
void agent_close(struct agent *agent);

/* agent_counts: any thread may call this, also during a reload. */
void agent_counts(struct agent *agent, struct ct_sampling_counts *ret_counts);

#endif
