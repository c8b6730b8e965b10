/* SPDX-License-Identifier: MIT */
/*
 * Bytes from an untrusted server: only a Go trace gets into the file, and only as many bytes as were allowed.
 */
#include "fetch/fetch.h"
#include "gotrace/source.h"

bool fetch_answer_is_trace(const struct fetch_answer *answer)
{
	return answer->nr_bytes >= FETCH_FIRST_BYTES && !answer->is_other;
}

void fetch_answer_hear(struct fetch_answer *answer, const char *bytes, size_t nr_bytes)
{
	size_t i;

	for (i = 0; i < nr_bytes && answer->nr_said + 1 < sizeof(answer->said); i++) {
		if (answer->nr_said && (bytes[i] == '\n' || bytes[i] == '\r'))
			break;
		if (bytes[i] >= ' ' && bytes[i] <= '~')
			answer->said[answer->nr_said++] = bytes[i];
	}
	answer->said[answer->nr_said] = '\0';
}

static bool put(struct fetch_answer *answer, const void *bytes, size_t nr_bytes)
{
	answer->status = io_output_write(&answer->output, bytes, nr_bytes, &answer->error);
	return answer->status == CT_OK;
}

/*
 * *ret_nr_taken: how many of these bytes belong to the first ones. False: they are not those of a trace, or cannot be
 * written.
 */
static bool take_first(
	struct fetch_answer *answer, const char *bytes, size_t nr_bytes, size_t *ret_nr_taken)
{
	size_t nr_missing = FETCH_FIRST_BYTES - (size_t)answer->nr_bytes;

	*ret_nr_taken = nr_bytes < nr_missing ? nr_bytes : nr_missing;
	memcpy(answer->first + answer->nr_bytes, bytes, *ret_nr_taken);
	answer->nr_bytes += *ret_nr_taken;
	if (answer->nr_bytes < FETCH_FIRST_BYTES)
		return true;
	answer->is_other = !gotrace_source_is_ours(answer->first, FETCH_FIRST_BYTES);
	return !answer->is_other && put(answer, answer->first, FETCH_FIRST_BYTES);
}

bool fetch_answer_take(struct fetch_answer *answer, const char *bytes, size_t nr_bytes)
{
	uint64_t room;
	size_t taken = 0;

	if (answer->nr_bytes < FETCH_FIRST_BYTES && !take_first(answer, bytes, nr_bytes, &taken))
		return false;
	bytes += taken;
	nr_bytes -= taken;
	room = answer->limit_bytes > answer->nr_bytes ? answer->limit_bytes - answer->nr_bytes : 0;
	if (nr_bytes > room) {
		nr_bytes = (size_t)room;
		answer->has_reached_limit = true;
	}
	if (nr_bytes && !put(answer, bytes, nr_bytes))
		return false;
	answer->nr_bytes += nr_bytes;
	return !answer->has_reached_limit;
}
