/* SPDX-License-Identifier: MIT */
/*
 * Names of records that were given back: the ids that are gone, in runs of pages with the same bits; and the names
 * that are to be kept, or should have been.
 */
#include "model/parts.h"

/* ---------------------------------------------------------------- ids that are gone */

uint64_t model_gone_ids(const struct model_process *process, uint64_t page)
{
	size_t nr = vec_count_while(process->gone.count, i, process->gone.at[i].page <= page);
	const struct model_gone *run = nr ? &process->gone.at[nr - 1] : NULL;

	return run && page - run->page < run->count ? run->ids : 0;
}

/* Appends a run whose pages come after those of all other runs. */
static bool append(struct model_process *process, struct model_gone run)
{
	struct model_gone *last =
		process->gone.count ? &process->gone.at[process->gone.count - 1] : NULL;

	if (!run.count)
		return true;
	if (last && last->ids == run.ids && run.page - last->page == last->count) {
		last->count += run.count;
		return true;
	}
	return vec_push(&process->gone, run);
}

/* Cuts the part before a page off the run. */
static struct model_gone cut(struct model_gone *run, uint64_t page)
{
	struct model_gone before = *run;

	if (page < run->page)
		before.count = 0;
	else if (page - run->page < run->count)
		before.count = page - run->page;
	run->page += before.count;
	run->count -= before.count;
	return before;
}

bool model_gone_merge(
	struct model_process *process, const struct model_gone *pages, size_t nr_pages)
{
	struct model_process merged = {0};
	size_t run, page = 0;
	bool is_done = true;

	for (run = 0; run < process->gone.count; run++) {
		struct model_gone rest = process->gone.at[run];

		for (; page < nr_pages &&
			(pages[page].page < rest.page || pages[page].page - rest.page < rest.count);
			page++) {
			struct model_gone own = pages[page];

			is_done &= append(&merged, cut(&rest, own.page));
			if (rest.count && rest.page == own.page)
				own.ids |= cut(&rest, own.page + 1).ids;
			is_done &= append(&merged, own);
		}
		is_done &= append(&merged, rest);
	}
	for (; page < nr_pages; page++)
		is_done &= append(&merged, pages[page]);
	vec_fini(&process->gone);
	process->gone.at = merged.gone.at;
	process->gone.count = merged.gone.count;
	process->gone.capacity = merged.gone.capacity;
	return is_done;
}

/* ---------------------------------------------------------------- names to keep, and names asked for */

bool model_keep(struct model *model, const struct model_asked *asked)
{
	return asked->process >= model->nr_processes ||
	       map_put(&process_at(model, asked->process)->kept[asked->kind], asked->name, 1);
}

bool model_gone_is_kept(
	const struct model *model, uint32_t process, enum model_kept kind, uint64_t name)
{
	uint32_t is_kept;

	return map_get(&model->processes[process].kept[kind], name, &is_kept);
}

void model_gone_ask(struct model *model, uint32_t process, enum model_kept kind, uint64_t name)
{
	struct model_asked asked = {.process = process, .kind = kind, .name = name};

	if (model_gone_is_kept(model, process, kind, name) || model->asked.count >= MODEL_ASKED)
		return;
	model->has_no_memory |= !model_keep(model, &asked) || !vec_push(&model->asked, asked);
}
