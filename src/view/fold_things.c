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
	const int64_t row[CT_VIEW_NR_TASKS] = {
		[CT_VIEW_TASKS_TASK] = (int64_t)task->id,
		[CT_VIEW_TASKS_PROCESS] = task->process,
		[CT_VIEW_TASKS_NAME] =
			view_text(fold->view, VIEW_FOLDED, fold->model->spans.at[task->span].name),
		[CT_VIEW_TASKS_FROM] = task->begun,
		[CT_VIEW_TASKS_UNTIL] = until,
		[CT_VIEW_TASKS_DURATION] = ns_between(task->begun, until),
		[CT_VIEW_TASKS_IS_OPEN] = is_open,
		[CT_VIEW_TASKS_EVENT] = (int64_t)task->event,
		[CT_VIEW_TASKS_UNSEEN] = task->spent[CT_STATE_UNSEEN],
		[CT_VIEW_TASKS_READY] = task->spent[CT_STATE_READY],
		[CT_VIEW_TASKS_RUNNING] = task->spent[CT_STATE_RUNNING],
		[CT_VIEW_TASKS_WAITING] = task->spent[CT_STATE_WAITING],
		[CT_VIEW_TASKS_SYSCALL] = task->spent[CT_STATE_SYSCALL],
	};

	return row[CT_VIEW_TASKS_NAME] >= 0 && view_fold_add(fold, CT_VIEW_TASKS, row);
}

bool view_fold_things_task_end(struct model_watch *watch, const struct model_sight *sight)
{
	return add_task(fold_of(watch), sight->task, sight->event->time, false);
}

static bool add_region(struct fold *fold, const struct model_region *region, uint32_t coro,
	uint32_t thread, ct_time until, bool is_open)
{
	const struct model_span *span = &fold->model->spans.at[region->span];
	const int64_t row[CT_VIEW_NR_REGIONS] = {
		[CT_VIEW_REGIONS_PROCESS] = span->process,
		[CT_VIEW_REGIONS_NAME] = view_text(fold->view, VIEW_FOLDED, span->name),
		[CT_VIEW_REGIONS_COROUTINE] = (int64_t)fold->model->coros.at[coro].id,
		[CT_VIEW_REGIONS_THREAD] = thread,
		[CT_VIEW_REGIONS_FROM] = region->begun,
		[CT_VIEW_REGIONS_UNTIL] = until,
		[CT_VIEW_REGIONS_DURATION] = ns_between(region->begun, until),
		[CT_VIEW_REGIONS_IS_OPEN] = is_open,
		[CT_VIEW_REGIONS_TASK] = coro ? (int64_t)model_work_of(fold->model, coro)->task : 0,
	};

	return row[CT_VIEW_REGIONS_NAME] >= 0 && view_fold_add(fold, CT_VIEW_REGIONS, row);
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
	const int64_t row[CT_VIEW_NR_RANGES] = {
		[CT_VIEW_RANGES_PROCESS] = sight->process,
		[CT_VIEW_RANGES_KIND] =
			view_text(fold->view, VIEW_FOLDED, ct_range_name(range->kind)),
		[CT_VIEW_RANGES_NAME] = view_text(fold->view, VIEW_FOLDED, name),
		[CT_VIEW_RANGES_COROUTINE] = (int64_t)range->coro,
		[CT_VIEW_RANGES_THREAD] = range->thread,
		[CT_VIEW_RANGES_PROCESSOR] = (int64_t)range->processor,
		[CT_VIEW_RANGES_FROM] = range->from,
		[CT_VIEW_RANGES_UNTIL] = range->until,
		[CT_VIEW_RANGES_DURATION] = ns_between(range->from, range->until),
		[CT_VIEW_RANGES_IS_OPEN] = range->is_open,
		[CT_VIEW_RANGES_SITE] = range->site,
	};

	return row[CT_VIEW_RANGES_KIND] >= 0 && row[CT_VIEW_RANGES_NAME] >= 0 &&
	       view_fold_add(fold, CT_VIEW_RANGES, row);
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
	const int64_t row[CT_VIEW_NR_OBJECTS] = {
		[CT_VIEW_OBJECTS_OBJECT] = (int64_t)waited->handle,
		[CT_VIEW_OBJECTS_PROCESS] = waited->process,
		[CT_VIEW_OBJECTS_NAME] = view_text(fold->view, VIEW_FOLDED,
			model_resource_name(model, waited->process, waited->handle)),
		[CT_VIEW_OBJECTS_OWNER] =
			has_owner ? (int64_t)model->coros.at[object->owner].id : 0,
		[CT_VIEW_OBJECTS_OWNER_SITE] = has_owner ? object->owner_site : 0,
		[CT_VIEW_OBJECTS_OWNED] = has_owner ? object->owned : CT_NO_TIME,
		[CT_VIEW_OBJECTS_NR_TAKES] = object->nr_takes,
		[CT_VIEW_OBJECTS_CHANGED] = has_changed ? object->changed : CT_NO_TIME,
		[CT_VIEW_OBJECTS_CHANGED_HOW] = object->changed_how,
		[CT_VIEW_OBJECTS_CHANGED_SITE] = object->changed_at,
		[CT_VIEW_OBJECTS_NR_WAITS] = (int64_t)waited->nr_waits,
		[CT_VIEW_OBJECTS_NR_WAITING] = (int64_t)waited->nr_waiting,
		[CT_VIEW_OBJECTS_WAITED] = waited->waited_ns,
		[CT_VIEW_OBJECTS_LONGEST_WAIT] = waited->longest_ns,
	};

	return row[CT_VIEW_OBJECTS_NAME] >= 0 && view_fold_add(fold, CT_VIEW_OBJECTS, row);
}

/* Those that nobody waited for, too. */
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

/* ---------------------------------------------------------------- descriptors */

static bool add_descriptor(
	struct fold *fold, const struct model_descriptor *descriptor, ct_time closed)
{
	const char *type = ct_descriptor_type_name(descriptor->type);
	const int64_t row[CT_VIEW_NR_DESCRIPTORS] = {
		[CT_VIEW_DESCRIPTORS_PROCESS] = descriptor->process,
		[CT_VIEW_DESCRIPTORS_DESCRIPTOR] = descriptor->fd,
		[CT_VIEW_DESCRIPTORS_GENERATION] = descriptor->generation,
		[CT_VIEW_DESCRIPTORS_TYPE] = view_text(fold->view, VIEW_FOLDED, type),
		[CT_VIEW_DESCRIPTORS_OPENED] = descriptor->opened,
		[CT_VIEW_DESCRIPTORS_OPEN_SITE] = descriptor->open_site,
		[CT_VIEW_DESCRIPTORS_CLOSED] = closed,
		[CT_VIEW_DESCRIPTORS_CLOSE_SITE] = descriptor->close_site,
		[CT_VIEW_DESCRIPTORS_CLOSE_THREAD] = descriptor->close_thread,
		[CT_VIEW_DESCRIPTORS_NR_WAITS] = descriptor->nr_waits,
	};

	return row[CT_VIEW_DESCRIPTORS_TYPE] >= 0 && view_fold_add(fold, CT_VIEW_DESCRIPTORS, row);
}

bool view_fold_things_close(struct model_watch *watch, const struct model_sight *sight)
{
	return add_descriptor(fold_of(watch), &watch->model->descriptors.at[sight->descriptor],
		sight->event->time);
}

bool view_fold_things_finish(struct fold *fold)
{
	const struct model *model = fold->model;
	bool is_added = add_open(fold) && add_objects(fold);
	size_t i;

	for (i = 1; is_added && i < model->descriptors.count; i++)
		if (model->descriptors.at[i].flags & MODEL_DESCRIPTOR_IS_OPEN)
			is_added = add_descriptor(fold, &model->descriptors.at[i], CT_NO_TIME);
	return is_added;
}
