/* SPDX-License-Identifier: MIT */
/* The list of windows is in memory, oldest first; the folder "ready" is read when the spool is opened. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sampling/spool_files.h"

static int compare_moments(const void *left, const void *right)
{
	return keys_moment(((const struct spool_entry *)left)->name,
		((const struct spool_entry *)right)->name);
}

static void tell(struct spool *spool, enum spool_fate fate, const char *name, uint64_t nr_bytes)
{
	char key[KEYS_BYTES];

	if (spool->options.tell && keys_deep(name, key))
		spool->options.tell(spool->options.context, fate, key, nr_bytes);
}

char *spool_path(const struct spool *spool, const char *key)
{
	char name[KEYS_BYTES];

	keys_flat(key, name);
	return spool_file(spool, SPOOL_MAKING, name);
}

/* ---------------------------------------------------------------- the list */

static void forget(struct spool *spool, size_t i)
{
	spool->nr_bytes -= spool->entries.at[i].nr_bytes;
	spool->entries.count--;
	memmove(&spool->entries.at[i], &spool->entries.at[i + 1],
		(spool->entries.count - i) * sizeof(*spool->entries.at));
}

/* The oldest window that is not being stored; false: there is none. */
static bool drop_oldest(struct spool *spool)
{
	struct spool_entry entry;
	size_t i = spool->entries.count && spool->entries.at[0].is_taken;

	if (i >= spool->entries.count)
		return false;
	entry = spool->entries.at[i];
	spool_unlink(spool, SPOOL_READY, entry.name);
	forget(spool, i);
	tell(spool, SPOOL_DROPPED, entry.name, entry.nr_bytes);
	return true;
}

static void make_room(struct spool *spool)
{
	while (spool->nr_bytes > spool->options.most_bytes && drop_oldest(spool))
		;
}

/* Inserts by moment: usually at the end. */
static bool insert(struct spool *spool, const char *name, uint64_t nr_bytes)
{
	struct spool_entry entry = {.nr_bytes = nr_bytes};
	size_t first = spool->entries.count && spool->entries.at[0].is_taken, i;

	memcpy(entry.name, name, strlen(name) + 1);
	if (!vec_push(&spool->entries, entry))
		return false;
	for (i = spool->entries.count - 1; i > first; i--) {
		if (compare_moments(&spool->entries.at[i - 1], &entry) <= 0)
			break;
		spool->entries.at[i] = spool->entries.at[i - 1];
	}
	spool->entries.at[i] = entry;
	spool->nr_bytes += nr_bytes;
	return true;
}

/* ---------------------------------------------------------------- windows that come and go */

enum ct_status spool_keep(
	struct spool *spool, const char *key, uint64_t *ret_nr_bytes, struct ct_error *reterr)
{
	char name[KEYS_BYTES];
	bool is_dropped;
	enum ct_status status;

	keys_flat(key, name);
	status = spool_finish(spool, name, ret_nr_bytes, reterr);
	if (status)
		return status;
	pthread_mutex_lock(&spool->lock);
	if (!insert(spool, name, *ret_nr_bytes))
		status = ct_fail_memory(reterr);
	make_room(spool);
	is_dropped = *ret_nr_bytes > spool->options.most_bytes;
	pthread_mutex_unlock(&spool->lock);
	return status == CT_OK && is_dropped ? CT_END : status;
}

/* Somebody else may have removed the file. */
static bool open_first(struct spool *spool, struct spool_window *window)
{
	struct spool_entry *first = &spool->entries.at[0];
	char *path = spool_file(spool, SPOOL_READY, first->name);

	window->descriptor = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	free(path);
	if (window->descriptor < 0 && errno == ENOENT) {
		tell(spool, SPOOL_LOST, first->name, first->nr_bytes);
		forget(spool, 0);
		return false;
	}
	first->is_taken = window->descriptor >= 0;
	window->nr_bytes = first->nr_bytes;
	keys_deep(first->name, window->key);
	return true;
}

enum ct_status spool_take(
	struct spool *spool, struct spool_window *ret_window, struct ct_error *reterr)
{
	enum ct_status status = CT_AGAIN;

	pthread_mutex_lock(&spool->lock);
	while (status == CT_AGAIN && spool->entries.count) {
		if (open_first(spool, ret_window))
			status = ret_window->descriptor >= 0
					 ? CT_OK
					 : ct_fail_errno(reterr, "opening a window of the spool");
	}
	pthread_mutex_unlock(&spool->lock);
	return status;
}

void spool_return(struct spool *spool, struct spool_window *window, bool is_stored)
{
	close(window->descriptor);
	pthread_mutex_lock(&spool->lock);
	spool->entries.at[0].is_taken = false;
	if (is_stored) {
		spool_unlink(spool, SPOOL_READY, spool->entries.at[0].name);
		forget(spool, 0);
	}
	make_room(spool);
	pthread_mutex_unlock(&spool->lock);
}

struct spool_state spool_state(struct spool *spool)
{
	struct spool_state state;

	pthread_mutex_lock(&spool->lock);
	state = (struct spool_state){spool->entries.count, spool->nr_bytes};
	pthread_mutex_unlock(&spool->lock);
	return state;
}

/* ---------------------------------------------------------------- opening */

static bool note_ready(void *context, const char *name)
{
	struct spool *spool = context;
	char key[KEYS_BYTES], *path = spool_file(spool, SPOOL_READY, name);
	struct stat status;
	bool is_noted = path != NULL;

	if (path && keys_deep(name, key) && stat(path, &status) == 0)
		is_noted = insert(spool, name, (uint64_t)status.st_size);
	free(path);
	return is_noted;
}

static bool note_left(void *context, const char *name)
{
	struct spool *spool = context;
	char whole[KEYS_BYTES];
	uint64_t nr_bytes;
	enum ct_status status = spool_recover(spool, name, whole, &nr_bytes);

	if (status == CT_END)
		tell(spool, SPOOL_RECOVERED, whole, nr_bytes);
	else if (status < 0)
		tell(spool, SPOOL_LOST, whole, 0);
	return true;
}

enum ct_status spool_open(
	const struct spool_options *options, struct spool **ret_spool, struct ct_error *reterr)
{
	struct spool *spool = calloc(1, sizeof(*spool));
	enum ct_status status;

	if (!spool)
		return ct_fail_memory(reterr);
	spool->options = *options;
	pthread_mutex_init(&spool->lock, NULL);
	status = spool_claim(spool, reterr);
	if (status == CT_OK && (!spool_visit(spool, SPOOL_MAKING, note_left) ||
				       !spool_visit(spool, SPOOL_READY, note_ready)))
		status = ct_fail_errno(reterr, "reading the spool '%s'", options->folder);
	if (status) {
		spool_close(spool);
		return status;
	}
	make_room(spool);
	*ret_spool = spool;
	return CT_OK;
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	spool_let_go(spool);
	pthread_mutex_destroy(&spool->lock);
	vec_fini(&spool->entries);
	free(spool);
}
