/* SPDX-License-Identifier: MIT */
/*
 * A file that was just created is empty: the format of the trace is known when its first bytes are there.
 */
#include <stdlib.h>

#include "gotrace/source.h"
#include "lib/followed.h"
#include "store/store.h"

#define FIRST_BYTES 16u

struct followed {
	struct ct_source source;
	struct input *input;     /* until the format is known */
	struct ct_source *inner; /* once the format is known */
	struct ct_tables tables; /* empty; used until the format is known */
};

/* CT_AGAIN: there are too few bytes, and more may come. */
static enum ct_status know_form(struct followed *followed, struct ct_error *reterr)
{
	struct input *input = followed->input;
	bool is_written = input_is_written(input);
	enum ct_status status = input_look(input, reterr);
	const uint8_t *first;

	if (status)
		return input_fail(input, status, reterr);
	if (input->nr_bytes < FIRST_BYTES && is_written)
		return CT_AGAIN;
	followed->input = NULL;
	status = input_peek(input, 0, FIRST_BYTES, &first, NULL);
	if (status == CT_OK && gotrace_source_is_ours(first, FIRST_BYTES))
		status = gotrace_follow_open(input, &followed->inner, reterr);
	else
		status = store_follow_open(input, &followed->inner, reterr);
	if (status == CT_OK)
		followed->source.tables = followed->inner->tables;
	return status;
}

static enum ct_status followed_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct followed *followed = (struct followed *)source;
	enum ct_status status = CT_OK;

	if (!followed->inner && !followed->input)
		return ct_fail(reterr, CT_ERR_FORMAT, "it could not be read before");
	if (!followed->inner)
		status = know_form(followed, reterr);
	return status ? status : followed->inner->ops->next(followed->inner, events, reterr);
}

static enum ct_status followed_reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)source;
	return ct_fail(reterr, CT_ERR_USAGE, "a trace that is followed cannot be read again");
}

static void followed_close(struct ct_source *source)
{
	struct followed *followed = (struct followed *)source;

	source_close(followed->inner);
	input_close(followed->input);
	free(followed);
}

static const struct ct_source_ops followed_ops = {
	.next = followed_next,
	.reset = followed_reset,
	.close = followed_close,
};

enum ct_status lib_followed_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct followed *followed = calloc(1, sizeof(*followed));
	enum ct_status status;

	if (!followed) {
		input_close(input);
		return ct_fail_memory(reterr);
	}
	followed->source.ops = &followed_ops;
	followed->source.tables = &followed->tables;
	followed->input = input;
	status = know_form(followed, reterr);
	if (status < 0) {
		followed_close(&followed->source);
		return status;
	}
	*ret_source = &followed->source;
	return CT_OK;
}
