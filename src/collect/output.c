/* SPDX-License-Identifier: MIT */
/* Counting what goes to the sink. */
#include "base/count.h"
#include "base/failure.h"
#include "collect/output.h"

void collect_output_init(struct output *output, struct ct_sink *sink)
{
	*output = (struct output){.sink = sink};
}

/* A status above zero is not a failure: a sink does not report flow. */
static bool is_taken(struct output *output, enum ct_status status)
{
	if (status >= 0)
		return true;
	if (!output->is_broken)
		output->trouble.status = status;
	output->is_broken = true;
	return false;
}

/* Returns where the sink puts its failure: only the first one is kept. */
static struct ct_error *trouble_of(struct output *output)
{
	return output->is_broken ? NULL : &output->trouble;
}

void collect_output_count_lost(struct output *output, uint64_t count)
{
	count_add(&output->nr_lost, count);
}

void collect_output_put(struct output *output, const struct ct_batch *batch, uint64_t nr_events)
{
	if (batch->nr_records == 0)
		return;
	if (is_taken(output, sink_put(output->sink, batch, trouble_of(output))))
		output->nr_events += nr_events;
	else
		collect_output_count_lost(output, nr_events);
}

void collect_output_define(struct output *output, const struct ct_definition *definition)
{
	is_taken(output, sink_define(output->sink, definition, trouble_of(output)));
}

void collect_output_lose(struct output *output, const struct ct_define_loss *loss)
{
	struct ct_definition definition = {.type = CT_DEFINE_LOSS, .loss = *loss};

	if (loss->count == 0)
		return;
	collect_output_count_lost(output, loss->count);
	collect_output_define(output, &definition);
}

void collect_output_flush(struct output *output)
{
	if (!output->is_broken)
		is_taken(output, sink_flush(output->sink, &output->trouble));
}
