/* SPDX-License-Identifier: MIT */
/*
 * The words in a picture, and the description of the whole picture in words.
 */
#include <inttypes.h>
#include <string.h>

#include "render/facts.h"
#include "render/scene.h"
#include "say/safe.h"
#include "say/say.h"

#define ELLIPSIS "\xe2\x80\xa6"

#define ADDRESS_HEAD 4u /* "0x7f" */
#define ADDRESS_TAIL 4u
#define ADDRESS_LONG 11u /* nothing is gained by shortening a shorter one */

static void shorten(struct text *text, const char *safe)
{
	const char *at = strstr(safe, "0x");
	size_t length = at ? 2 + strspn(at + 2, "0123456789abcdef") : 0;

	if (length < ADDRESS_LONG) {
		text_add(text, safe);
		return;
	}
	text_append(text, safe, (size_t)(at - safe) + ADDRESS_HEAD);
	text_add(text, ELLIPSIS);
	text_add(text, at + length - ADDRESS_TAIL);
}

static void clip(struct text *text, const char *safe, int columns)
{
	size_t length = strlen(safe), i;
	int column = 0;

	if (say_columns(safe, length) <= (size_t)(columns > 0 ? columns : 0)) {
		text_append(text, safe, length);
		return;
	}
	for (i = 0; i < length; i++) {
		if (((unsigned char)safe[i] & 0xc0) != 0x80 && ++column >= columns)
			break;
		text_char(text, safe[i]);
	}
	text_add(text, ELLIPSIS);
}

void render_scene_clip(struct text *text, const char *safe, int columns)
{
	struct text words = {0};

	if (say_columns(safe, strlen(safe)) > (size_t)(columns > 0 ? columns : 0))
		shorten(&words, safe);
	else
		text_add(&words, safe);
	clip(text, text_peek(&words), columns);
	text->is_broken |= words.is_broken;
	text_fini(&words);
}

void render_scene_short_place(struct text *text, const struct ct_tables *tables, uint32_t site)
{
	const char *file = say_peek_site(tables, site)->file;
	const char *slash = strrchr(file, '/');

	if (!*file)
		return;
	say_safe(text, slash ? slash + 1 : file);
	if (say_peek_site(tables, site)->line)
		text_format(text, ":%" PRIu32, say_peek_site(tables, site)->line);
}

/* ---------------------------------------------------------------- bars */

static const struct ct_tables *tables_of(const struct scene *scene)
{
	return scene->report->tables;
}

static const struct ct_lane *lane_of(const struct scene *scene, const struct scene_bar *bar)
{
	return &scene->finding->picture.lanes[bar->lane];
}

/* Only the thread's name: its lane, or a table, has the rest. */
static void say_short_thread(struct text *text, const struct ct_tables *tables, uint32_t thread)
{
	const char *name = thread < tables->nr_threads ? tables->threads[thread].name : "";

	if (*name)
		say_safe(text, name);
	else
		say_thread(text, tables, thread);
}

const char *render_scene_bar_word(enum ct_bar_state state, bool is_plain_end)
{
	if (is_plain_end)
		return render_state(CT_STATE_DESTROYED);
	switch (state) {
	case CT_BAR_NEW:
		return "not begun";
	case CT_BAR_OUTSIDE:
		return "no coroutine";
	case CT_BAR_CALL:
		return "in a system call";
	default:
		return ct_bar_name(state);
	}
}

/* The wordings of a bar, the longest first; false: there is no shorter one. */
typedef bool wording(struct text *text, const struct ct_tables *tables, const struct ct_bar *bar,
	unsigned level);

static void say_short_object(struct text *text, const char *name)
{
	struct text safe = {0};

	say_safe(&safe, name);
	shorten(text, text_peek(&safe));
	text->is_broken |= safe.is_broken;
	text_fini(&safe);
}

static bool word_waiting(
	struct text *text, const struct ct_tables *tables, const struct ct_bar *bar, unsigned level)
{
	bool has_place = *say_peek_site(tables, bar->site)->file != '\0';

	text_add(text, level == 3 && *bar->text ? "for " : "waiting");
	if (level < 3 && *bar->text)
		text_add(text, " for ");
	if (level < 2)
		say_safe(text, bar->text);
	else if (level < 4)
		say_short_object(text, bar->text);
	if (level < 1 && has_place) {
		text_add(text, " at ");
		render_scene_short_place(text, tables, bar->site);
	}
	return level < 5;
}

static bool word_running(
	struct text *text, const struct ct_tables *tables, const struct ct_bar *bar, unsigned level)
{
	if (bar->coro && level < 2) {
		text_format(text, "%scoroutine %" PRIu64, level ? "" : "runs ", bar->coro);
		return true;
	}
	text_add(text, "running");
	if (level < 1 && bar->thread) {
		text_add(text, " on ");
		say_short_thread(text, tables, bar->thread);
	}
	return level < 2;
}

static bool word_ready(
	struct text *text, const struct ct_tables *tables, const struct ct_bar *bar, unsigned level)
{
	(void)tables;
	text_add(text, "ready");
	if (bar->coro && level < 1)
		text_format(text, ", woken by coroutine %" PRIu64, bar->coro);
	return level < 2;
}

static bool word_held(
	struct text *text, const struct ct_tables *tables, const struct ct_bar *bar, unsigned level)
{
	text_add(text, "held");
	if (level < 1 && bar->coro) {
		text_format(text, " by coroutine %" PRIu64, bar->coro);
	} else if (level < 1 && bar->thread) {
		text_add(text, " by ");
		say_short_thread(text, tables, bar->thread);
	}
	return level < 2;
}

static bool word_call(
	struct text *text, const struct ct_tables *tables, const struct ct_bar *bar, unsigned level)
{
	(void)tables;
	text_format(text, "%s%s", level ? "" : "in ", bar->text);
	return level < 2;
}

static bool word_name(
	struct text *text, const struct ct_tables *tables, const struct ct_bar *bar, unsigned level)
{
	(void)tables;
	text_add(text, render_scene_bar_word(bar->state, false));
	return level < 1;
}

static bool word_plain_end(
	struct text *text, const struct ct_tables *tables, const struct ct_bar *bar, unsigned level)
{
	(void)tables;
	text_add(text, render_scene_bar_word(bar->state, true));
	return level < 1;
}

static wording *wording_of(const struct scene_bar *bar)
{
	if (bar->is_plain_end)
		return word_plain_end;
	switch (bar->bar->state) {
	case CT_BAR_WAITING:
		return word_waiting;
	case CT_BAR_RUNNING:
		return word_running;
	case CT_BAR_READY:
		return word_ready;
	case CT_BAR_HELD:
		return word_held;
	case CT_BAR_CALL:
		return word_call;
	default:
		return word_name;
	}
}

/* The blank beside the words of a bar; and the words of a solid bar are bold, a twelfth wider. */
#define BESIDE_WORDS 12
#define BOLD_WIDER 12

bool render_scene_is_solid(const struct scene_bar *bar)
{
	enum ct_bar_state state = bar->bar->state;

	return state == CT_BAR_RUNNING || state == CT_BAR_HELD || state == CT_BAR_CALL;
}

/* How many letters fit on the bar. */
static size_t columns_of(const struct scene_bar *bar)
{
	int pixels = bar->room_width - BESIDE_WORDS;

	if (render_scene_is_solid(bar))
		pixels = pixels * BOLD_WIDER / (BOLD_WIDER + 1);
	return (size_t)render_scene_columns(pixels);
}

void render_scene_say_bar(struct text *text, const struct scene *scene, const struct scene_bar *bar)
{
	wording *say = wording_of(bar);
	struct text words = {0};
	unsigned level = 0;

	if (bar->bar->state == CT_BAR_OUTSIDE)
		return;
	while (say(&words, tables_of(scene), bar->bar, level)) {
		if (say_columns(text_peek(&words), words.length) <= columns_of(bar)) {
			text_append(text, text_peek(&words), words.length);
			break;
		}
		text_clear(&words);
		level++;
	}
	text->is_broken |= words.is_broken;
	text_fini(&words);
}

int render_scene_bar_pixels(struct scene *scene, const struct scene_bar *bar)
{
	struct text words = {0};
	int pixels;

	wording_of(bar)(&words, tables_of(scene), bar->bar, 0);
	pixels = render_scene_pixels(say_columns(text_peek(&words), words.length));
	scene->is_broken |= words.is_broken;
	text_fini(&words);
	if (render_scene_is_solid(bar))
		pixels += pixels / BOLD_WIDER;
	return pixels + BESIDE_WORDS;
}

void render_scene_say_bar_whole(
	struct text *text, const struct scene *scene, const struct scene_bar *bar)
{
	say_safe(text, lane_of(scene, bar)->name);
	text_add(text, ": ");
	wording_of(bar)(text, tables_of(scene), bar->bar, 0);
	text_add(text, ", from ");
	say_time(text, bar->bar->from);
	text_add(text, bar->bar->is_open ? ", until the observation ended after " : ", for ");
	say_span(text, bar->bar->from, bar->bar->until);
	if (bar->bar->nr_before)
		text_format(
			text, "; %" PRIu64 " changes before it are left out", bar->bar->nr_before);
}

/* ---------------------------------------------------------------- arrows and ends */

const char *render_scene_say_arrow(uint8_t kind)
{
	static const char *const words[] = {
		[CTP_KIND_CREATE] = "started",
		[CTP_KIND_RESUME] = "resumed",
		[CTP_KIND_SUSPEND] = "waits for",
		[CTP_KIND_WAKE] = "woke",
		[CTP_KIND_ENQUEUE] = "queued",
		[CTP_KIND_DEQUEUE] = "took out",
		[CTP_KIND_DESTROY] = "destroyed",
		[CTP_KIND_AWAIT] = "awaits",
		[CTP_KIND_ACQUIRE] = "took",
		[CTP_KIND_RELEASE] = "gave back",
		[CTP_KIND_HAND_OVER] = "handed over",
		[CTP_KIND_NOTIFY] = "notified",
		[CTP_KIND_SWITCH] = "switched to",
		[CTP_KIND_BLOCK_BEGIN] = "waits for",
		[CTP_KIND_DESCRIPTOR_OPEN] = "opened",
		[CTP_KIND_DESCRIPTOR_CLOSE] = "closed",
		[CTP_KIND_DESCRIPTOR_READY] = "ready",
	};

	if (kind < sizeof(words) / sizeof(words[0]) && words[kind])
		return words[kind];
	return kind ? ct_kind_name(kind) : "";
}

int render_scene_label_pixels(struct scene *scene, const struct scene_mark *mark)
{
	const char *words = mark->has_loop ? SCENE_LOOP : render_scene_say_arrow(mark->kind);
	struct text place = {0};
	size_t columns = strlen(words);

	if (mark->is_cause)
		render_scene_short_place(&place, tables_of(scene), mark->step->site);
	if (say_columns(text_peek(&place), place.length) > columns)
		columns = say_columns(text_peek(&place), place.length);
	scene->is_broken |= place.is_broken;
	text_fini(&place);
	if (columns > (size_t)render_scene_columns(SCENE_LABEL_WIDTH))
		return SCENE_LABEL_WIDTH;
	return render_scene_pixels(columns);
}

static const struct ct_member *member_of(const struct ct_finding *finding, uint64_t coro)
{
	uint32_t i;

	for (i = 0; i < finding->nr_members; i++)
		if (finding->members[i].coro.id == coro)
			return &finding->members[i];
	return NULL;
}

static const char no_wake_seen[] = "no wake was seen", no_wakes_recorded[] = "no wakes recorded";

bool render_scene_is_unknown(const char *words)
{
	return words == no_wake_seen || words == no_wakes_recorded;
}

static const char *say_no_wake(const struct scene *scene, bool had_one)
{
	if (scene->finding->nr_lost_nearby)
		return no_wake_seen;
	/* The proof rests on wakes that would have been recorded. */
	if (!scene->finding->picture.has_wakes && scene->finding->grade != CT_GRADE_PROVEN)
		return no_wakes_recorded;
	return had_one ? "no other wake came" : "no wake came";
}

#define NO_RETURN "did not return"

const char *render_scene_say_end(const struct scene *scene, const struct ct_lane *lane)
{
	const struct ct_member *member =
		lane->is_member ? member_of(scene->finding, lane->coro) : NULL;
	const struct ct_bar *last = lane->nr_bars ? &lane->bars[lane->nr_bars - 1] : NULL;

	/* A finding about an earlier state says nothing about the state of the last bar. */
	if (!member || !last || !last->is_open || member->since < last->from)
		return NULL;
	switch (last->state) {
	case CT_BAR_WAITING:
		return say_no_wake(scene, member->coro.waker_time != CT_NO_TIME &&
						  member->coro.waker_time >= last->from);
	case CT_BAR_READY:
		return "nobody ran it";
	case CT_BAR_NEW:
		return "never started";
	case CT_BAR_CALL:
		return NO_RETURN;
	case CT_BAR_RUNNING:
		return scene->finding->rule == CT_RULE_ENDLESS_RUN ? "runs on" : NULL;
	default:
		return NULL;
	}
}

const char *render_scene_say_other_end(const struct scene *scene, const struct ct_lane *lane)
{
	const struct ct_bar *last = lane->nr_bars ? &lane->bars[lane->nr_bars - 1] : NULL;

	if (lane->kind != CT_LANE_COROUTINE || lane->is_member || !last || !last->is_open)
		return NULL;
	if (last->state == CT_BAR_CALL)
		return NO_RETURN;
	if (last->state != CT_BAR_WAITING)
		return NULL;
	return say_no_wake(scene, false);
}

/* ---------------------------------------------------------------- the caption */

#define CAPTION_X 24 /* behind the number of the step */

void render_scene_say_caption(struct text *text, const struct scene *scene)
{
	uint32_t i;

	for (i = 0; i < scene->nr_marks && !scene->marks[i].is_cause; i++)
		;
	if (i == scene->nr_marks)
		return;
	if (*scene->marks[i].step->by) {
		say_safe(text, scene->marks[i].step->by);
		text_char(text, ' ');
	}
	say_safe(text, scene->marks[i].step->text);
}

size_t render_scene_next_line(const struct scene *scene, const char *words)
{
	/* Bold letters are wider. */
	int room = scene->is_narrow ? 350 - CAPTION_X : 1000,
	    columns = render_scene_columns(room * 7 / 8);
	size_t at, blank = 0;
	int column = 0;

	for (at = 0; words[at]; at++) {
		if (((unsigned char)words[at] & 0xc0) == 0x80)
			continue;
		if (column++ == columns)
			return blank ? blank : at;
		if (words[at] == ' ')
			blank = at;
	}
	return at;
}

/* ---------------------------------------------------------------- the whole in words */

void render_scene_say_step(struct text *text, const struct scene *scene, const struct ct_step *step)
{
	struct text details = {0};

	if (step->time != CT_NO_TIME) {
		say_time(text, step->time);
		text_add(text, ": ");
	}
	say_safe(text, step->text);
	render_facts_step(&details, tables_of(scene), step);
	if (details.length)
		text_format(text, " (%s)", text_peek(&details));
	render_facts_drop(text, &details);
}

void render_scene_say_whole(struct text *text, const struct scene *scene)
{
	const struct ct_picture *picture = &scene->finding->picture;
	uint32_t i;

	text_add(text, "Lanes: ");
	for (i = 0; i < picture->nr_lanes; i++) {
		text_add(text, i ? ", " : "");
		say_safe(text, picture->lanes[i].name);
	}
	text_add(text, ".");
	for (i = 0; i < scene->nr_marks; i++) {
		text_format(text, " %" PRIu32 ". ", scene->marks[i].number);
		render_scene_say_step(text, scene, scene->marks[i].step);
		text_add(text, ".");
	}
	for (i = 0; i < scene->nr_ends; i++) {
		text_add(text, " ");
		say_safe(text, picture->lanes[scene->ends[i].lane].name);
		text_format(text, ": %s.", scene->ends[i].words);
	}
}
