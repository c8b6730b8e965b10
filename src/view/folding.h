/* SPDX-License-Identifier: MIT */
/*
 * One reading of a trace that makes rows. Private to src/view.
 */
#ifndef VIEW_FOLDING_H
#define VIEW_FOLDING_H

#include "model/model.h"
#include "view/view.h"

/* How an object was waited for; found by process and handle. */
struct fold_object {
	uint64_t handle;
	uint32_t process;
	uint64_t nr_waits;
	uint64_t nr_waiting;
	int64_t waited_ns;
	int64_t longest_ns;
};

/* Times without a processor of the thread on which a coroutine runs, since it was resumed. */
struct fold_off {
	int64_t nr_preempted;
	int64_t preempted_ns;
	int64_t waited_ns;
};

struct fold {
	struct ct_view *view;
	struct model *model;
	struct model_watch *watch;
	struct model_history history;
	struct ct_event event;           /* the last event */
	VEC(struct fold_object) objects; /* [0] stands for none */
	struct map object_at;
	VEC(struct fold_off) offs; /* of runs that go on and lost their processor */
	struct map off_at;         /* index + 1, by coroutine */
	int64_t *name_of_site;     /* number of a text, plus 1; 0: not made yet */
};

/* view_fold_add: adds a row to one of the view's tables. False: out of memory. */
static inline bool view_fold_add(struct fold *fold, enum ct_view_table table, const int64_t *row)
{
	return column_log_add(&fold->view->logs[table], row);
}

static inline int64_t text_of(struct fold *fold, const char *text)
{
	return view_text(fold->view, VIEW_FOLDED, text);
}

/* ---------------------------------------------------------------- fold_states.c: coroutines and their states */

/* view_fold_states_take: the history's callback: adds a state that was left. */
bool view_fold_states_take(
	void *context, const struct model *model, const struct model_interval *interval);

/*
 * view_fold_states_watcher: the watcher that keeps the longest times of each coroutine, and makes the coroutine's row
 * when its record is given back.
 */
extern const struct model_watcher view_fold_states_watcher;

/*
 * view_fold_states_finish: adds states that go on, and the remaining coroutines; call after model_finish. False: out
 * of memory.
 */
bool view_fold_states_finish(struct fold *fold);

/* ---------------------------------------------------------------- fold_things.c: tasks, objects, descriptors */

bool view_fold_things_finish(struct fold *fold);

/* The watcher's callbacks for what ends. */
model_look view_fold_things_task_end;
model_look view_fold_things_region_end;
model_look view_fold_things_range_end;
model_look view_fold_things_drop;
model_look view_fold_things_close;

/* view_fold_things_wait: counts a wait for an object. False: out of memory. */
bool view_fold_things_wait(
	struct fold *fold, uint32_t process, uint64_t handle, int64_t ns, bool is_open);

#endif
