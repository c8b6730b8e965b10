/* SPDX-License-Identifier: MIT */
/* Makes sentences of looks into memory (memory_words.h). */
#include <inttypes.h>

#include "session/memory_words.h"

#define AT_ONCE_NS UINT64_C(100000000) /* what ends moves a little before the end */

/* Without a probe, only the ledger tells that a program goes on. */
void memory_words_still(const struct memory_reading *look, uint64_t now_ns, struct text *words)
{
	const struct collect_still *still = &look->still;

	text_format(words,
		"process %lld was looked into %.1f s before the recording ended, when %s for %.1f "
		"s",
		(long long)still->pid, (double)(now_ns - look->begun_ns) / 1e9,
		still->has_probe ? "its coroutines had not moved"
				 : "nothing of it had been recorded",
		(double)(look->started_ns - still->since_ns) / 1e9);
	if (look->moved_ns && now_ns - look->moved_ns >= AT_ONCE_NS)
		text_format(words, "; the program went on %.1f s before the recording ended",
			(double)(now_ns - look->moved_ns) / 1e9);
}

void memory_words_moving(
	const struct memory_reading *look, uint64_t nr_dropped, uint64_t now_ns, struct text *words)
{
	if (look->is_left_out) {
		text_format(
			words, "process %lld was to be looked into", (long long)look->still.pid);
		return;
	}
	text_format(words, "process %lld was looked into %.1f s before the recording ended, while",
		(long long)look->still.pid, (double)(now_ns - look->begun_ns) / 1e9);
	if (!look->still.has_probe) {
		text_format(words,
			" it went on: what is said was the same at two looks, %.1f s apart, and no "
			"event tells what has been since",
			(double)MEMORY_BETWEEN_NS / 1e9);
		return;
	}
	text_add(words, " other coroutines went on: those of which something is said have not "
			"moved since");
	if (nr_dropped)
		text_format(words, "; %" PRIu64 " sight%s of others left out, as those have",
			nr_dropped, nr_dropped == 1 ? " is" : "s are");
}
