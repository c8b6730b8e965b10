/* SPDX-License-Identifier: MIT */
/*
 * Generations: a trace that begins in the middle of a run leads to the same state as the whole one.
 *
 * A scheduler is simulated at random: coroutines wait, hold locks, await each other and move between three threads.
 * Rings are emptied in any order, as the engine does. From each generation on, the rest of the file is read alone, and
 * the model's final state is compared with its state after reading the whole file.
 */
#include "made_trace.h"
#include "model/model.h"
#include "store/format.h"

#define THREADS 3u
#define COROS 60u
#define LOCKS 6u
#define STEPS 6000u
#define STEPS_PER_HARVEST 40u
#define ROUNDS 12u

enum life { NONE, WAITING, READY, RUNNING };

struct coro {
	enum life life;
	uint32_t thread;
	uint32_t child; /* the awaited one; 0: none */
	bool is_in_queue;
};

struct play {
	uint64_t random;
	uint64_t now;
	struct coro coros[COROS + 1];
	uint32_t running[THREADS + 1];
	uint32_t owner[LOCKS];
	struct ctp_record pending[THREADS + 1][STEPS_PER_HARVEST * 8];
	size_t nr_pending[THREADS + 1];
	size_t nr_left[THREADS + 1]; /* number of them when the ring was last looked at */
	uint64_t nr_events;
	struct ct_sink *sink;
	uint32_t alias[COROS + 1]; /* maps to ids, which are never used twice */
	uint32_t next_id;
};

static uint32_t chance(struct play *play, uint32_t below)
{
	return (uint32_t)(made_random(&play->random) % below);
}

static uint64_t lock(uint32_t number)
{
	return CTP_HANDLE(CTP_RESOURCE_LOCK, 0x1000 + 16 * number);
}

static void tell(struct play *play, uint32_t thread, unsigned kind, uint64_t coro, uint64_t object,
	unsigned argument)
{
	play->now += 1 + chance(play, 20000);
	play->pending[thread][play->nr_pending[thread]++] = (struct ctp_record){
		.time = MADE_EPOCH + play->now,
		.coro = coro,
		.object = object,
		.tail = CTP_TAIL(1 + chance(play, 4), kind, argument, 0),
	};
	play->nr_events++;
}

static void empty(struct play *play, uint32_t thread, size_t count)
{
	struct ctp_record *pending = play->pending[thread];

	if (count)
		CHECK_EQUAL(made_put(play->sink, thread, pending, count), CT_OK);
	play->nr_pending[thread] -= count;
	memmove(pending, pending + count, play->nr_pending[thread] * sizeof(*pending));
}

/*
 * In any order: a coroutine's later records may be read before its earlier ones. Records that a thread wrote since the
 * look, at most a few, are read the next time.
 */
static void harvest(struct play *play, bool is_last)
{
	uint32_t first = chance(play, THREADS), i;

	for (i = 0; i < THREADS; i++) {
		uint32_t thread = 1 + (first + i) % THREADS;
		size_t nr_new = play->nr_pending[thread] - play->nr_left[thread];
		size_t left = is_last ? 0 : chance(play, 10);

		left = left < nr_new ? left : nr_new;
		empty(play, thread, play->nr_pending[thread] - left);
		play->nr_left[thread] = left;
	}
	play->now++;
	made_heartbeat(play->sink, MADE_EPOCH + play->now);
}

/* ---------------------------------------------------------------- steps of a scheduler */

static void spawn(struct play *play, uint32_t thread, uint32_t coro)
{
	play->alias[coro] = play->next_id++;
	play->coros[coro] = (struct coro){.life = READY};
	tell(play, thread, CTP_KIND_CREATE, play->alias[coro], 0x700000 + 64 * coro, 0);
	tell(play, thread, CTP_KIND_ENQUEUE, play->alias[coro], CTP_HANDLE(CTP_RESOURCE_QUEUE, 1),
		0);
	if (chance(play, 4) == 0)
		tell(play, thread, CTP_KIND_MARK, play->alias[coro], 0, CTP_MARK_DAEMON);
}

static void run(struct play *play, uint32_t thread, uint32_t coro)
{
	tell(play, thread, CTP_KIND_DEQUEUE, play->alias[coro], CTP_HANDLE(CTP_RESOURCE_QUEUE, 1),
		0);
	tell(play, thread, CTP_KIND_RESUME, play->alias[coro], 0, CTP_POINT_AWAIT);
	play->coros[coro].life = RUNNING;
	play->coros[coro].thread = thread;
	play->running[thread] = coro;
	if (play->coros[coro].child) {
		tell(play, thread, CTP_KIND_AWAIT_DONE, play->alias[coro], play->coros[coro].child,
			0);
		play->coros[coro].child = 0;
	}
}

static void wait(struct play *play, uint32_t thread, uint32_t coro)
{
	uint64_t object = chance(play, 2) ? lock(chance(play, LOCKS))
					  : CTP_HANDLE(CTP_RESOURCE_TIMER, 5 + chance(play, 9));

	if (!play->coros[coro].child && chance(play, 5) == 0) {
		play->coros[coro].child = play->alias[1 + chance(play, COROS)];
		if (play->coros[coro].child)
			tell(play, thread, CTP_KIND_AWAIT, play->alias[coro],
				play->coros[coro].child, 0);
	}
	tell(play, thread, CTP_KIND_SUSPEND, play->alias[coro], object, CTP_POINT_AWAIT);
	if (chance(play, 3) == 0)
		tell(play, thread, CTP_KIND_DETAIL, play->alias[coro],
			MADE_EPOCH + play->now + 1000000, CTP_DETAIL_DEADLINE);
	play->running[thread] = 0;
	play->coros[coro].life = WAITING;
	if (chance(play, 12) == 0) {
		tell(play, thread, CTP_KIND_CANCEL, play->alias[coro], 0, 0);
		play->running[thread] = coro;
		play->coros[coro].life = RUNNING;
	}
}

static void wake(struct play *play, uint32_t thread, uint32_t coro)
{
	tell(play, thread, CTP_KIND_WAKE, play->alias[play->running[thread]],
		CTP_HANDLE(CTP_RESOURCE_COROUTINE, play->alias[coro]), CTP_OUTCOME_QUEUED);
	tell(play, thread, CTP_KIND_ENQUEUE, play->alias[coro], CTP_HANDLE(CTP_RESOURCE_QUEUE, 1),
		0);
	play->coros[coro].life = READY;
}

static void use_lock(struct play *play, uint32_t thread, uint32_t coro)
{
	uint32_t number = chance(play, LOCKS);

	if (play->owner[number] == coro) {
		tell(play, thread, CTP_KIND_RELEASE, play->alias[coro], lock(number), 0);
		play->owner[number] = 0;
	} else if (!play->owner[number]) {
		tell(play, thread, CTP_KIND_ACQUIRE, play->alias[coro], lock(number), 0);
		play->owner[number] = coro;
	}
}

static bool holds_any(const struct play *play, uint32_t coro)
{
	uint32_t i;

	for (i = 0; i < LOCKS; i++)
		if (play->owner[i] == coro)
			return true;
	return false;
}

static void end(struct play *play, uint32_t thread, uint32_t coro)
{
	if (holds_any(play, coro))
		return;
	tell(play, thread, CTP_KIND_RETURN, play->alias[coro], 0, 0);
	tell(play, thread, CTP_KIND_DESTROY, play->alias[coro], 0, CTP_LIFE_DONE);
	play->coros[coro].life = NONE;
	play->running[thread] = 0;
}

static void step(struct play *play)
{
	uint32_t thread = 1 + chance(play, THREADS), coro = 1 + chance(play, COROS);
	uint32_t running = play->running[thread];

	if (play->coros[coro].life == NONE && play->next_id < 3000)
		spawn(play, thread, coro);
	else if (play->coros[coro].life == READY && !running)
		run(play, thread, coro);
	else if (play->coros[coro].life == WAITING && chance(play, 3))
		wake(play, thread, coro);
	else if (running && chance(play, 3) == 0)
		wait(play, thread, running);
	else if (running && chance(play, 2))
		use_lock(play, thread, running);
	else if (running && chance(play, 8) == 0)
		end(play, thread, running);
}

static void play_into(const char *path, uint64_t seed, int pack_level)
{
	struct store_options options = {
		.generation_ns = 1, .generation_bytes = 1, .pack_level = pack_level};
	struct play *play = calloc(1, sizeof(*play));
	struct ct_error error;
	unsigned i;

	play->random = seed;
	play->next_id = 1;
	CHECK_EQUAL(store_sink_open(path, &options, &play->sink, &error), CT_OK);
	made_start(play->sink, THREADS);
	for (i = 1; i < 5; i++)
		made_site(play->sink, 1, i, "play.c");
	made_heartbeat(play->sink, MADE_EPOCH);
	for (i = 0; i < STEPS; i++) {
		step(play);
		if (i % STEPS_PER_HARVEST == STEPS_PER_HARVEST - 1)
			harvest(play, false);
	}
	harvest(play, true);
	made_end(play->sink, MADE_EPOCH + play->now + 1, play->nr_events);
	CHECK_EQUAL(sink_close(play->sink, true, &error), CT_OK);
	free(play);
}

/* ---------------------------------------------------------------- comparisons */

struct judged {
	struct ct_source *source;
	struct model *model;
};

static struct judged judge_last(const char *path, uint64_t nr_bytes)
{
	struct judged judged = {NULL, NULL};
	const struct ct_event *event;
	struct ct_error error;
	struct input *input;

	CHECK_EQUAL(input_open(path, &input, &error), CT_OK);
	CHECK_EQUAL(store_source_open_last(input, nr_bytes, &judged.source, &error), CT_OK);
	CHECK_EQUAL(model_new(judged.source->tables, &judged.model, &error), CT_OK);
	while (source_next(judged.source, &event, &error) == CT_OK)
		CHECK_EQUAL(model_apply(judged.model, event, &error), CT_OK);
	CHECK_EQUAL(model_finish(judged.model, &error), CT_OK);
	return judged;
}

static struct judged judge(const char *path)
{
	return judge_last(path, 0);
}

static void leave(struct judged *judged)
{
	model_free(judged->model);
	source_close(judged->source);
}

static void compare_coro(struct judged *whole, struct judged *part, uint64_t id)
{
	const struct model_coro *a = &whole->model->coros.at[model_find(whole->model, 1, id)];
	const struct model_coro *b = &part->model->coros.at[model_find(part->model, 1, id)];

	if (!a->id || a->state == CT_STATE_DESTROYED) {
		/* A part knows of a coroutine that is gone at most that another one awaits it. */
		CHECK(!b->id || b->state == CT_STATE_DESTROYED || b->created == CT_NO_TIME);
		return;
	}
	CHECK_EQUAL(b->id, a->id);
	CHECK_EQUAL(b->state, a->state);
	CHECK_EQUAL(b->created, a->created);
	CHECK_EQUAL(b->spawn_site, a->spawn_site);
	CHECK_EQUAL(b->mark, a->mark);
	CHECK_EQUAL(b->rare->nr_awaits, a->rare->nr_awaits);
	CHECK_EQUAL(b->turns->queue_thread, a->turns->queue_thread);
	if (a->state == CT_STATE_RUNNING || a->state == CT_STATE_UNSEEN)
		return;
	CHECK_EQUAL(b->changed, a->changed);
	CHECK_EQUAL(b->wait_object, a->wait_object);
	CHECK_EQUAL(b->wait_site, a->wait_site);
	CHECK_EQUAL(b->suspended, a->suspended);
	CHECK_EQUAL(b->rare->deadline, a->rare->deadline);
}

static uint64_t owner_of(const struct model *model, uint64_t handle)
{
	uint32_t object = model_find_object(model, 1, handle);
	uint32_t owner = object ? model->objects.at[object].owner : 0;

	return owner && owner != MODEL_OWNER_UNKNOWN ? model->coros.at[owner].id : 0;
}

static void compare(struct judged *whole, struct judged *part)
{
	uint64_t id;
	uint32_t i;

	for (id = 1; id < 3000; id++)
		compare_coro(whole, part, id);
	for (i = 0; i < LOCKS; i++)
		CHECK_EQUAL(owner_of(part->model, lock(i)), owner_of(whole->model, lock(i)));
	CHECK_EQUAL(part->model->nr_broken, 0);
	CHECK_EQUAL(part->model->nr_impossible, 0);
	CHECK_EQUAL(part->source->tables->observed_until, whole->source->tables->observed_until);
	CHECK_EQUAL(part->source->tables->epoch_monotonic_ns,
		whole->source->tables->epoch_monotonic_ns);
	CHECK_EQUAL(part->source->tables->nr_before + part->source->tables->nr_events,
		whole->source->tables->nr_events);
	CHECK_EQUAL(part->source->tables->nr_losses, 0);
}

/* ---------------------------------------------------------------- parts of a file */

static size_t next_block(const char *bytes, size_t at, struct store_block_header *ret_header)
{
	memcpy(ret_header, bytes + at, sizeof(*ret_header));
	return at + sizeof(*ret_header) + ret_header->payload_bytes;
}

/* Writes the file from this generation on; false: there is none. */
static bool write_part(const char *path, const char *bytes, size_t nr_bytes, uint32_t generation)
{
	size_t at = sizeof(struct store_file_header), next;
	struct store_block_header header;
	char *part;

	for (; at < nr_bytes; at = next) {
		next = next_block(bytes, at, &header);
		if (header.generation != generation)
			continue;
		part = malloc(nr_bytes);
		memcpy(part, bytes, sizeof(struct store_file_header));
		memcpy(part + sizeof(struct store_file_header), bytes + at, nr_bytes - at);
		made_write(path, part, sizeof(struct store_file_header) + nr_bytes - at);
		free(part);
		return true;
	}
	return false;
}

/* The number of bytes from this generation on; 0: there is no generation of this number. */
static size_t bytes_from(const char *bytes, size_t nr_bytes, uint32_t generation)
{
	size_t at = sizeof(struct store_file_header), next;
	struct store_block_header header;

	for (; at < nr_bytes; at = next) {
		next = next_block(bytes, at, &header);
		if (header.generation == generation)
			return nr_bytes - at;
	}
	return 0;
}

/* Read only from its end, the file is a part: it begins with the first generation behind a complete block there. */
static void check_ends(struct judged *whole, const char *bytes, size_t nr_bytes)
{
	struct ct_source *source;
	struct input *input;
	struct judged end;
	uint32_t generation;
	size_t left;

	for (generation = 2; bytes_from(bytes, nr_bytes, generation); generation++) {
		left = bytes_from(bytes, nr_bytes, generation - 1);
		end = judge_last("whole.ctrace", left - 1);
		CHECK_EQUAL(end.source->tables->first_generation, generation);
		compare(whole, &end);
		leave(&end);
	}
	left = bytes_from(bytes, nr_bytes, generation - 1);
	CHECK_EQUAL(input_open("whole.ctrace", &input, NULL), CT_OK);
	CHECK_EQUAL(store_source_open_last(input, left - 1, &source, NULL), CT_ERR_UNSUPPORTED);
	end = judge_last("whole.ctrace", nr_bytes);
	CHECK_EQUAL(end.source->tables->first_generation, 1);
	leave(&end);
}

/* F-60 to F-64: the end of a recording, read alone, gives the same state as the whole. */
static void check_parts(uint64_t seed, int pack_level)
{
	struct judged whole, part;
	uint32_t generation;
	size_t nr_bytes;
	char *bytes;

	play_into("whole.ctrace", seed, pack_level);
	bytes = made_read("whole.ctrace", &nr_bytes);
	whole = judge("whole.ctrace");
	CHECK_EQUAL(whole.model->nr_broken, 0);
	for (generation = 2; write_part("part.ctrace", bytes, nr_bytes, generation); generation++) {
		part = judge("part.ctrace");
		CHECK_EQUAL(part.source->tables->first_generation, generation);
		CHECK(part.source->tables->nr_carried > 0);
		compare(&whole, &part);
		leave(&part);
		if (check_failures)
			break;
	}
	CHECK(generation > 10);
	check_ends(&whole, bytes, nr_bytes);
	leave(&whole);
	free(bytes);
}

int main(void)
{
	uint64_t seed;

	made_enter();
	for (seed = 1; seed <= ROUNDS && !check_failures; seed++)
		check_parts(seed, seed % 3 == 0 ? HAS_ZSTD * 3 : 0);
	return check_result();
}
