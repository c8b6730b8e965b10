/* SPDX-License-Identifier: MIT */
/*
 * The texts that cells name by number.
 */
#include <string.h>

#include "view/view.h"

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static uint64_t hash(const char *text, size_t nr_bytes)
{
	uint64_t sum = nr_bytes;
	size_t i;

	for (i = 0; i < nr_bytes; i++)
		sum = (sum ^ (unsigned char)text[i]) * HASH_FACTOR;
	return sum;
}

/* Finds the text, or the free key where it would be put. */
static bool find(const struct view_texts *texts, const char *text, size_t nr_bytes,
	uint64_t *ret_key, uint32_t *ret_number)
{
	*ret_key = hash(text, nr_bytes);
	for (; map_get(&texts->at, *ret_key, ret_number); ++*ret_key)
		if (strncmp(texts->all.at[*ret_number], text, nr_bytes) == 0 &&
			!texts->all.at[*ret_number][nr_bytes])
			return true;
	return false;
}

bool view_texts_init(struct view_texts *texts)
{
	arena_init(&texts->arena);
	return vec_push(&texts->all, "") && map_put(&texts->at, hash("", 0), 0);
}

void view_texts_fini(struct view_texts *texts)
{
	vec_fini(&texts->all);
	map_fini(&texts->at);
	arena_fini(&texts->arena);
	texts->is_broken = false;
}

static int64_t number_of(enum view_share share, uint32_t index)
{
	return index ? (int64_t)index * VIEW_NR_SHARES + share : 0;
}

static int64_t add(struct ct_view *view, enum view_share share, uint64_t key, const char *text)
{
	struct view_texts *texts = &view->texts[share];
	uint32_t index = (uint32_t)texts->all.count;

	texts->is_broken |= !text || index == UINT32_MAX || !vec_push(&texts->all, text) ||
			    !map_put(&texts->at, key, index);
	return texts->is_broken ? 0 : number_of(share, index);
}

int64_t view_text(struct ct_view *view, enum view_share share, const char *text)
{
	uint64_t key;
	uint32_t index;

	if (find(&view->texts[share], text, strlen(text), &key, &index))
		return number_of(share, index);
	return add(view, share, key, text);
}

int64_t view_text_copy(
	struct ct_view *view, enum view_share share, const char *text, size_t nr_bytes)
{
	uint64_t key;
	uint32_t index;

	if (find(&view->texts[share], text, nr_bytes, &key, &index))
		return number_of(share, index);
	return add(view, share, key, arena_text(&view->texts[share].arena, text, nr_bytes));
}

int64_t view_text_take(struct ct_view *view, enum view_share share, struct text *text)
{
	int64_t number = view_text_copy(view, share, text_peek(text), text->length);

	view->texts[share].is_broken |= text->is_broken;
	text_fini(text);
	return number;
}

bool view_text_find(
	const struct ct_view *view, enum view_share share, const char *text, int64_t *ret_number)
{
	uint64_t key;
	uint32_t index;

	if (!find(&view->texts[share], text, strlen(text), &key, &index))
		return false;
	*ret_number = number_of(share, index);
	return true;
}

const char *ct_view_text(const struct ct_view *view, int64_t number)
{
	const struct view_texts *texts = &view->texts[(uint64_t)number % VIEW_NR_SHARES];
	uint64_t index = (uint64_t)number / VIEW_NR_SHARES;

	/* Cells of either share may have number 0, while the other share is being filled. */
	if (!number)
		return "";
	return index < texts->all.count ? texts->all.at[index] : "";
}
