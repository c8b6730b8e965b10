/* SPDX-License-Identifier: MIT */
/*
 * The source over a growing Go trace: the events of a generation are handed out when the whole generation is there. The
 * first generation's events wait until all events about the state before the trace are known, so that the reader gets
 * the same events as from the finished file.
 */

#include "gotrace/mapping.h"
#include "gotrace/source.h"

#define ROOM_EVENTS 256u

struct gotrace_follow {
	struct ct_source source;
	struct ct_tables tables;
	struct input *input;
	struct gotrace_reader *reader;
	struct gotrace_mapping mapping;
	char *note;
	size_t nr_carried; /* number handed out */
	size_t nr_handed;  /* number of the mapping's events handed out */
	uint64_t sequence;
	int64_t last_time;
	bool is_first_over;
	enum ct_status ended; /* CT_OK: the trace has not ended */
	struct ct_error failure;
	struct gotrace_event room[ROOM_EVENTS];
};

/* ------------------------------------------------------------------- its end */

/* Counts and reports the bytes behind the last complete generation, and ends the trace. */
static enum ct_status end_damaged(struct gotrace_follow *follow, const struct ct_error *failure)
{
	struct ct_note note = {.count = 1, .offset = gotrace_reader_offset(follow->reader)};

	follow->note = gotrace_source_note(follow->reader, follow->input->nr_bytes - note.offset,
		follow->tables.observed_until, failure);
	note.text = follow->note;
	if (!follow->note || !vec_push(&follow->mapping.lists.notes, note))
		return ct_fail_memory(&follow->failure);
	return CT_END;
}

static void end(
	struct gotrace_follow *follow, enum ct_status status, const struct ct_error *failure)
{
	bool is_whole = status == CT_END;

	if (status == CT_ERR_CORRUPT && follow->is_first_over) {
		status = end_damaged(follow, failure);
	} else if (status < 0) {
		follow->failure = *failure;
		input_fail(follow->input, status, &follow->failure);
	}
	follow->ended = status;
	follow->tables.is_complete = is_whole;
}

/* ------------------------------------------------------------- new events */

static enum ct_status take(struct gotrace_follow *follow, struct ct_error *reterr)
{
	struct gotrace_mapping *mapping = &follow->mapping;
	enum ct_status status;
	size_t count, i;

	status = gotrace_reader_next(follow->reader, follow->room, ROOM_EVENTS, &count, reterr);
	if (status)
		return status;
	for (i = 0; i < count; i++)
		gotrace_mapping_apply(mapping, follow->reader, &follow->room[i]);
	follow->last_time = follow->room[count - 1].time;
	if (mapping->nr_syncs > 1)
		follow->is_first_over = true;
	return mapping->is_out_of_memory ? ct_fail_memory(reterr) : CT_OK;
}

/*
 * Takes what the file holds by now; CT_AGAIN: no further generation. Ask for writers first: whatever they leave is then
 * in the file.
 */
static enum ct_status take_more(struct gotrace_follow *follow, struct ct_error *reterr)
{
	bool is_written = input_is_written(follow->input);
	enum ct_status status = input_look(follow->input, reterr);

	if (status == CT_OK)
		status = take(follow, reterr);
	if (status != CT_AGAIN)
		return status;
	input_give_back(follow->input, gotrace_reader_offset(follow->reader));
	if (is_written)
		return CT_AGAIN;
	gotrace_reader_set_growing(follow->reader, false);
	return take(follow, reterr);
}

static void publish(struct gotrace_follow *follow)
{
	lists_publish(&follow->mapping.lists, &follow->tables);
	follow->tables.nr_events = follow->sequence;
	follow->tables.epoch_monotonic_ns = follow->mapping.start;
	follow->tables.observed_until = follow->last_time - follow->mapping.start;
}

/* Reads until an event can be handed out. CT_AGAIN: none at present. CT_END: none any more. */
static enum ct_status refill(struct gotrace_follow *follow)
{
	struct gotrace_mapping *mapping = &follow->mapping;
	struct ct_error failure = {0};
	enum ct_status status = CT_OK;

	mapping->events.count = follow->nr_handed = 0;
	while (status == CT_OK && !follow->ended &&
		(!follow->is_first_over || !mapping->events.count))
		status = take_more(follow, &failure);
	if (status == CT_AGAIN || status == CT_END)
		follow->is_first_over |= mapping->nr_syncs > 0;
	if (status && status != CT_AGAIN)
		end(follow, status, &failure);
	publish(follow);
	if (mapping->events.count || follow->nr_carried < mapping->carried.count)
		return CT_OK;
	return status ? status == CT_AGAIN ? CT_AGAIN : follow->ended : CT_OK;
}

/* -------------------------------------------------------------------- source */

/* False: all events of this list were handed out already. */
static bool lend(struct gotrace_follow *follow, struct ct_events *events, struct ct_event *from,
	size_t count, size_t *nr_handed)
{
	struct ct_events run = {.at = from, .count = count, .are_carried = events->are_carried};
	size_t first = *nr_handed, i;

	if (first == count)
		return false;
	source_lend(&run, nr_handed, events);
	for (i = first; i < *nr_handed; i++)
		from[i].sequence = follow->sequence++;
	return true;
}

static enum ct_status follow_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct gotrace_follow *follow = (struct gotrace_follow *)source;
	struct gotrace_mapping *mapping = &follow->mapping;
	enum ct_status status = CT_OK;

	if (follow->nr_handed == mapping->events.count)
		status = follow->ended ? follow->ended : refill(follow);
	if (status < 0 && reterr)
		*reterr = follow->failure;
	if (status)
		return status;
	events->are_carried = true;
	if (lend(follow, events, mapping->carried.at, mapping->carried.count, &follow->nr_carried))
		return CT_OK;
	events->are_carried = false;
	lend(follow, events, mapping->events.at, mapping->events.count, &follow->nr_handed);
	return CT_OK;
}

static enum ct_status follow_reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)source;
	return ct_fail(reterr, CT_ERR_USAGE, "a trace that is followed cannot be read again");
}

static void follow_close(struct ct_source *source)
{
	struct gotrace_follow *follow = (struct gotrace_follow *)source;

	gotrace_reader_close(follow->reader);
	gotrace_mapping_fini(&follow->mapping);
	input_close(follow->input);
	free(follow->note);
	free(follow);
}

static const struct ct_source_ops follow_ops = {
	.next = follow_next,
	.reset = follow_reset,
	.close = follow_close,
};

enum ct_status gotrace_follow_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct gotrace_follow *follow = calloc(1, sizeof(*follow));
	enum ct_status status;

	if (!follow) {
		input_close(input);
		return ct_fail_memory(reterr);
	}
	follow->source.ops = &follow_ops;
	follow->source.tables = &follow->tables;
	follow->input = input;
	follow->tables.host = follow->tables.reason = "";
	follow->tables.clock = "CLOCK_MONOTONIC";
	status = gotrace_mapping_init(&follow->mapping) ? CT_OK : ct_fail_memory(reterr);
	if (status == CT_OK)
		status = gotrace_reader_open(input, &follow->reader, reterr);
	if (status) {
		input_fail(input, status, reterr);
		follow_close(&follow->source);
		return status;
	}
	gotrace_reader_set_growing(follow->reader, true);
	publish(follow);
	*ret_source = &follow->source;
	return CT_OK;
}
