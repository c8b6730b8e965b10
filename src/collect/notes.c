/* SPDX-License-Identifier: MIT */
/* What a recording lacks besides events: printed when the recording ends, and kept in the trace. */
#include <stdio.h>

#include "collect/collector.h"
#include "collect/memory.h"

static void add(struct collect *collect, uint64_t count, const char *text)
{
	if (count > 0)
		collect->notes[collect->nr_notes++] =
			(struct ct_note){.text = text, .count = count, .offset = CT_NO_OFFSET};
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
	*ret_count = collect->nr_notes;
	return collect->notes;
}

void collect_define_notes(struct collect *collect)
{
	struct ct_definition definition = {.type = CT_DEFINE_NOTE};
	uint32_t count, i;
	const struct ct_note *notes = collect_notes(collect, &count);

	for (i = 0; i < count; i++) {
		definition.note =
			(struct ct_define_note){notes[i].text, notes[i].count, notes[i].offset};
		collect_output_define(&collect->output, &definition);
	}
}
