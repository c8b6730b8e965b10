/* SPDX-License-Identifier: MIT */
/*
 * What coroutines work for and wait for: tasks and regions, objects and descriptors.
 */
#include "view/folding.h"

static struct fold *fold_of(const struct model_watch *watch)
{
	return *(struct fold **)watch->memory;
}

static int64_t ns_between(ct_time from, ct_time until)
{
	return until > from ? until - from : 0;
}

/* ---------------------------------------------------------------- tasks and regions */

static bool add_task(struct fold *fold, const struct model_task *task, ct_time until, bool is_open)
{
	const int64_t row[] = {
#define MAKES_TASKS ~,
#include "view/cells.h"
#undef MAKES_TASKS
	};

	return view_fold_add(fold, CT_VIEW_TASKS, row);
}

bool view_fold_things_task_end(struct model_watch *watch, const struct model_sight *sight)
{
	return add_task(fold_of(watch), sight->task, sight->event->time, false);
}

static bool add_region(struct fold *fold, const struct model_region *region, uint32_t coro,
	uint32_t thread, ct_time until, bool is_open)
{
	const struct model_span *span = &fold->model->spans.at[region->span];
	const int64_t row[] = {
#define MAKES_REGIONS ~,
#include "view/cells.h"
#undef MAKES_REGIONS
	};

	return view_fold_add(fold, CT_VIEW_REGIONS, row);
}

bool view_fold_things_region_end(struct model_watch *watch, const struct model_sight *sight)
{
	return add_region(fold_of(watch), sight->region, sight->coro, sight->event->thread,
		sight->event->time, false);
}

bool view_fold_things_range_end(struct model_watch *watch, const struct model_sight *sight)
{
	struct fold *fold = fold_of(watch);
	const struct model_range *range = sight->range;
	const struct ct_tables *tables = fold->model->tables;
	const char *name = range->site < tables->nr_sites ? tables->sites[range->site].reason : "";
	const int64_t row[] = {
#define MAKES_RANGES ~,
#include "view/cells.h"
#undef MAKES_RANGES
	};

	return view_fold_add(fold, CT_VIEW_RANGES, row);
}

static bool add_open_regions(struct fold *fold, uint32_t region, uint32_t coro, uint32_t thread)
{
	const struct model *model = fold->model;
	bool is_added = true;

	for (; is_added && region; region = model->regions.at[region].below) {
		uint32_t process = model->spans.at[model->regions.at[region].span].process;

		is_added = add_region(fold, &model->regions.at[region], coro, thread,
			model_end_of(model, process), true);
	}
	return is_added;
}

static bool add_open(struct fold *fold)
{
	const struct model *model = fold->model;
	bool is_added = true;
	uint32_t i;

	for (i = 1; is_added && i < model->tasks.count; i++)
		if (model->tasks.at[i].id)
			is_added = add_task(fold, &model->tasks.at[i],
				model_end_of(model, model->tasks.at[i].process), true);
	for (i = 1; is_added && i < model->works.count; i++)
		is_added = add_open_regions(
			fold, model->works.at[i].region, i, model->coros.at[i].thread);
	for (i = 1; is_added && i < model->nr_threads; i++)
		is_added = add_open_regions(fold, model->threads[i].region, 0, i);
	return is_added;
}

/* ---------------------------------------------------------------- objects */

static struct fold_object *object_at(struct fold *fold, uint32_t process, uint64_t handle)
{
	uint64_t key = handle ^ (uint64_t)process << 32;
	uint32_t at;

	for (; map_get(&fold->object_at, key, &at); key++)
		if (fold->objects.at[at].handle == handle &&
			fold->objects.at[at].process == process)
			return &fold->objects.at[at];
	at = (uint32_t)fold->objects.count;
	if (!vec_push(&fold->objects, ((struct fold_object){.handle = handle, .process = process})))
		return NULL;
	return map_put(&fold->object_at, key, at) ? &fold->objects.at[at] : NULL;
}

bool view_fold_things_wait(
	struct fold *fold, uint32_t process, uint64_t handle, int64_t ns, bool is_open)
{
	struct fold_object *object = object_at(fold, process, handle);

	if (!object)
		return false;
	object->nr_waits++;
	object->nr_waiting += is_open;
	object->waited_ns += ns;
	object->longest_ns = ns > object->longest_ns ? ns : object->longest_ns;
	return true;
}

static bool add_object(struct fold *fold, const struct fold_object *waited)
{
	const struct model *model = fold->model;
	uint32_t index = model_find_object(model, waited->process, waited->handle);
	const struct model_object *object = &model->objects.at[index];
	bool has_owner = object->owner && object->owner != MODEL_OWNER_UNKNOWN;
	bool has_changed = index && object->changed_how;
	const int64_t row[] = {
#define MAKES_OBJECTS ~,
#include "view/cells.h"
#undef MAKES_OBJECTS
	};

	return view_fold_add(fold, CT_VIEW_OBJECTS, row);
}

/* Adds objects that nobody waited for, too. */
static bool add_objects(struct fold *fold)
{
	const struct model *model = fold->model;
	bool is_added = true;
	size_t i;

	for (i = 1; is_added && i < model->objects.count; i++)
		is_added = object_at(fold, model->objects.at[i].process,
				   model->objects.at[i].handle) != NULL;
	for (i = 1; is_added && i < fold->objects.count; i++)
		is_added = add_object(fold, &fold->objects.at[i]);
	return is_added;
}

/* `given_at`: NULL: it goes on. */
static bool add_hold(struct fold *fold, const struct model_object *object, ct_time until,
	const struct ct_event *given_at)
{
	const struct model *model = fold->model;
	const int64_t row[] = {
#define MAKES_HOLDS ~,
#include "view/cells.h"
#undef MAKES_HOLDS
	};

	return view_fold_add(fold, CT_VIEW_HOLDS, row);
}

bool view_fold_things_drop(struct model_watch *watch, const struct model_sight *sight)
{
	return add_hold(fold_of(watch), &watch->model->objects.at[sight->object],
		sight->event->time, sight->event);
}

static bool add_open_holds(struct fold *fold)
{
	const struct model *model = fold->model;
	bool is_added = true;
	size_t i;

	for (i = 1; is_added && i < model->objects.count; i++) {
		const struct model_object *object = &model->objects.at[i];

		if (object->is_held)
			is_added =
				add_hold(fold, object, model_end_of(model, object->process), NULL);
	}
	return is_added;
}

/* ---------------------------------------------------------------- descriptors */

static bool add_descriptor(
	struct fold *fold, const struct model_descriptor *descriptor, ct_time closed)
{
	const char *type = ct_descriptor_type_name(descriptor->type);
	const int64_t row[] = {
#define MAKES_DESCRIPTORS ~,
#include "view/cells.h"
#undef MAKES_DESCRIPTORS
	};

	return view_fold_add(fold, CT_VIEW_DESCRIPTORS, row);
}

bool view_fold_things_close(struct model_watch *watch, const struct model_sight *sight)
{
	return add_descriptor(fold_of(watch), &watch->model->descriptors.at[sight->descriptor],
		sight->event->time);
}

bool view_fold_things_finish(struct fold *fold)
{
	const struct model *model = fold->model;
	bool is_added = add_open(fold) && add_objects(fold) && add_open_holds(fold);
	size_t i;

	for (i = 1; is_added && i < model->descriptors.count; i++)
		if (model->descriptors.at[i].flags & MODEL_DESCRIPTOR_IS_OPEN)
			is_added = add_descriptor(fold, &model->descriptors.at[i], CT_NO_TIME);
	return is_added;
}
