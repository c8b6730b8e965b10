/* SPDX-License-Identifier: MIT */
/*
 * Lists that become tables.
 */
#include "stream/lists.h"

const struct ct_process lists_no_process = {
	.program = "", .command_line = "", .attached = CT_NO_TIME, .ended = CT_NO_TIME};
const struct ct_thread lists_no_thread = {.name = "", .started = CT_NO_TIME, .stopped = CT_NO_TIME};
const struct ct_site lists_no_site = {
	.file = "", .function = "", .reason = "", .module = "", .callers = ""};
static const struct ct_mapping no_mapping = {.path = "", .build_id = ""};

bool lists_begin(struct lists *lists)
{
	return vec_push(&lists->processes, lists_no_process) &&
	       vec_push(&lists->threads, lists_no_thread) &&
	       vec_push(&lists->sites, lists_no_site) &&
	       vec_push(&lists->stacks, (struct ct_stack){0}) &&
	       vec_push(&lists->mappings, no_mapping);
}

void lists_fini(struct lists *lists)
{
	vec_fini(&lists->processes);
	vec_fini(&lists->threads);
	vec_fini(&lists->sites);
	vec_fini(&lists->stacks);
	vec_fini(&lists->mappings);
	vec_fini(&lists->losses);
	vec_fini(&lists->notes);
	vec_fini(&lists->sights);
}

void lists_publish(const struct lists *lists, struct ct_tables *tables)
{
	tables->processes = lists->processes.at;
	tables->nr_processes = (uint32_t)lists->processes.count;
	tables->threads = lists->threads.at;
	tables->nr_threads = (uint32_t)lists->threads.count;
	tables->sites = lists->sites.at;
	tables->nr_sites = (uint32_t)lists->sites.count;
	tables->stacks = lists->stacks.at;
	tables->nr_stacks = (uint32_t)lists->stacks.count;
	tables->mappings = lists->mappings.at;
	tables->nr_mappings = (uint32_t)lists->mappings.count;
	tables->losses = lists->losses.at;
	tables->nr_losses = (uint32_t)lists->losses.count;
	tables->notes = lists->notes.at;
	tables->nr_notes = (uint32_t)lists->notes.count;
	tables->sights = lists->sights.at;
	tables->nr_sights = (uint32_t)lists->sights.count;
}
