/* SPDX-License-Identifier: MIT */
/* What a recording lacks besides events: printed when the recording ends, and kept in the trace. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/collector.h"
#include "collect/memory.h"

static void add(struct collect *collect, uint64_t count, const char *text)
{
	if (count > 0)
		collect->notes[collect->nr_notes++] =
			(struct ct_note){.text = text, .count = count, .offset = CT_NO_OFFSET};
}

/* The kernel says no for good reasons, or has no perf events; what it says of one thread, it says of all. */
static void add_samples(struct collect *collect)
{
	const struct samples *samples = &collect->samples;
	bool is_forbidden = samples->trouble == EACCES || samples->trouble == EPERM;

	snprintf(collect->samples_note, sizeof(collect->samples_note),
		"a thread has no samples of where it ran, since the kernel %s%s",
		is_forbidden ? "does not allow perf events here (kernel.perf_event_paranoid, or "
			       "the container's rules)"
			     : "refused a perf event: ",
		is_forbidden ? "" : strerror(samples->trouble));
	add(collect, samples->nr_unwatched, collect->samples_note);
	add(collect, samples->nr_lost,
		"a sample of where a thread ran is missing, since its ring was full");
	add(collect, samples->nr_hasty,
		"a thread was not sampled while it got a processor more than 2,500 times a second, "
		"since that would have slowed it down");
	add(collect, samples->is_blind,
		"samples have no time that threads spent in the kernel, since it does not let "
		"this user look (kernel.perf_event_paranoid)");
}

const struct ct_note *collect_notes(struct collect *collect, uint32_t *ret_count)
{
	const char *absence =
		collect->has_probe || collect->has_ledger ? NULL : collect_memory_absence();

	collect->nr_notes = 0;
	snprintf(collect->refusal_note, sizeof(collect->refusal_note),
		"a peer was turned away, and nothing of it is recorded; the last one: %s",
		collect->refusal.text);
	add(collect, collect->nr_refused, collect->refusal_note);
	add(collect, absence != NULL, absence);
	add(collect, collect->service.memory_note[0] != '\0', collect->service.memory_note);
	add(collect, collect->service.socket_note[0] != '\0', collect->service.socket_note);
	add(collect, collect->service.stations.nr_untraced, collect->service.room_note);
	add(collect, collect->service.was_cut,
		"the file of version 1 was shortened while it was in use: what its coroutines did "
		"from then on is not known");
	add(collect, collect->nr_sites_refused,
		"an event names no place, since its segment had no room for a further site");
	add(collect, collect->nr_stopped_clocks,
		"a process's clock stood still, since the thread that advances it could not be "
		"started");
	add(collect, collect->nr_unmapped,
		"a process was gone before its mappings could be read: its addresses have no "
		"names");
	add(collect, collect->nr_sites_forgotten + collect->mappings.nr_forgotten,
		"a site or a mapping was one too many to remember: its addresses may have no "
		"names");
	add_samples(collect);
	*ret_count = collect->nr_notes;
	return collect->notes;
}

void collect_define_notes(struct collect *collect)
{
	struct ct_definition definition = {.type = CT_DEFINE_NOTE};
	uint32_t count, i;
	const struct ct_note *notes = collect_notes(collect, &count);

	for (i = 0; i < count; i++) {
		definition.note = (struct ct_define_note){
			.text = notes[i].text, .count = notes[i].count, .offset = notes[i].offset};
		collect_output_define(&collect->output, &definition);
	}
}
