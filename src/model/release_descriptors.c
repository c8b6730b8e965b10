/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that go: closed, with a number that was reused since, and without a coroutine that is kept and waited
 * for them. The generations of a number that stay are linked to each other; if some between them went, the newer one
 * has has_forgotten.
 */
#include "model/release.h"

static struct model_descriptor *at(struct release *release, uint32_t descriptor)
{
	return &release->model->descriptors.at[descriptor];
}

/* ---------------------------------------------------------------- marking */

static void mark(struct release *release, uint32_t descriptor)
{
	release->descriptor_to[descriptor] = MODEL_MARK_SELF;
}

/*
 * Marks a descriptor and everything that a wait for it is judged by: later generations, its file with the other end,
 * and the last copy of the file.
 */
static void mark_whole(struct release *release, uint32_t descriptor)
{
	uint32_t newer = at(release, descriptor)->newer;

	mark(release, descriptor);
	mark(release, at(release, at(release, descriptor)->file)->mate);
	mark(release, at(release, at(release, descriptor)->file)->last_copy);
	mark(release, newer);
	mark(release, at(release, at(release, newer)->file)->last_copy);
	mark(release, at(release, newer)->newer);
}

static void mark_waited(struct release *release, const struct model_coro *coro)
{
	mark_whole(release, coro->rare->descriptor);
	mark_whole(release, coro->rare->tried);
}

static bool has_to_stay(const struct model *model, const struct model_descriptor *descriptor)
{
	uint64_t name = (uint64_t)descriptor->generation << 32 | descriptor->fd;

	return (descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) || !descriptor->newer ||
	       descriptor->epoch == model->epoch ||
	       model_gone_is_kept(model, descriptor->process, MODEL_KEPT_DESCRIPTOR, name);
}

void model_release_mark_descriptors(struct release *release)
{
	struct model *model = release->model;
	uint32_t i;

	for (i = 1; i < model->descriptors.count; i++)
		if (has_to_stay(model, at(release, i)))
			mark_whole(release, i);
	for (i = 1; i < model->coros.count; i++)
		if (release->to[i] == MODEL_MARK_WHOLE)
			mark_waited(release, coro_at(model, i));
	for (i = 0; i < model->nr_threads; i++) {
		mark(release, model->threads[i].last_opened);
		mark(release, model->threads[i].last_doubled);
		mark(release, model->threads[i].last_tried);
		mark(release, model->threads[i].last_read);
	}
	for (i = 1; i < model->descriptors.count; i++)
		if (release->descriptor_to[i])
			mark(release, at(release, i)->file);
}

/* ---------------------------------------------------------------- moving */

/* Links the generations of a number that stay. */
static void link_stayers(struct release *release, uint32_t index)
{
	struct model_descriptor *descriptor = at(release, index);

	while (descriptor->older && !release->descriptor_to[descriptor->older]) {
		descriptor->has_forgotten = true;
		descriptor->older = at(release, descriptor->older)->older;
	}
	while (descriptor->newer && !release->descriptor_to[descriptor->newer])
		descriptor->newer = at(release, descriptor->newer)->newer;
}

static void move_numbers(struct release *release, struct model_process *process)
{
	size_t i;

	for (i = 0; i < process->numbers.capacity; i++)
		if (process->numbers.entries[i].is_used)
			process->numbers.entries[i].value =
				release->descriptor_to[process->numbers.entries[i].value];
	for (i = 0; i < process->user_data.capacity; i++) {
		struct map_entry *entry = &process->user_data.entries[i];

		if (!entry->is_used || entry->value == MODEL_GONE)
			continue;
		entry->value = release->descriptor_to[entry->value];
		if (!entry->value)
			entry->value = MODEL_GONE;
	}
}

static void move(struct release *release, uint32_t *descriptor)
{
	*descriptor = release->descriptor_to[*descriptor];
}

static void move_all(struct release *release)
{
	struct model *model = release->model;
	uint32_t count = 1, i;

	for (i = 1; i < model->descriptors.count; i++) {
		struct model_descriptor *descriptor = at(release, i);

		if (!release->descriptor_to[i])
			continue;
		move(release, &descriptor->older);
		move(release, &descriptor->newer);
		move(release, &descriptor->mate);
		move(release, &descriptor->file);
		move(release, &descriptor->last_copy);
		descriptor->close_coro = release->to[descriptor->close_coro];
		descriptor->disarm_coro = release->to[descriptor->disarm_coro];
		descriptor->ended.coro = release->to[descriptor->ended.coro];
		model->nr_ended += !(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN);
		*at(release, count++) = *descriptor;
	}
	model->descriptors.count = count;
}

void model_release_move_descriptors(struct release *release)
{
	struct model *model = release->model;
	uint32_t i;

	for (i = 1; i < model->descriptors.count; i++)
		if (release->descriptor_to[i])
			link_stayers(release, i);
	for (i = 0; i < model->nr_processes; i++)
		move_numbers(release, process_at(model, i));
	for (i = 0; i < model->nr_threads; i++) {
		move(release, &model->threads[i].last_opened);
		move(release, &model->threads[i].last_doubled);
		move(release, &model->threads[i].last_tried);
		move(release, &model->threads[i].last_read);
	}
	move_all(release);
}
