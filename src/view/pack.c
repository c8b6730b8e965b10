/* SPDX-License-Identifier: MIT */
/*
 * Packs rows into one piece of bytes (docs/spec/view.md).
 */
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

#define HEAD_BYTES 32u
#define COLUMN_BYTES 24u
#define TEXT_BYTES 24u

/* How a column is packed: a cell is 0 if it is empty, else 1 more than its distance from the base. */
struct layout {
	enum ct_view_type type;
	int64_t base;
	uint8_t width; /* bytes of a cell: 0, 1, 2, 4; 8: plain numbers */
	uint64_t offset;
};

/* The words of one cell. */
struct word {
	enum ct_view_type type;
	int64_t number;
	uint64_t offset; /* within all words */
	uint64_t nr_bytes;
};

struct packing {
	const struct ct_view *view;
	const struct ct_view_rows *rows;
	struct layout *layouts;
	VEC(struct word) words;
	struct map word_at; /* by type and number */
	struct text text;
	bool is_broken; /* out of memory */
};

/* Do cells of this type need words, because a reader cannot look them up in a table or a list? */
static bool has_words(enum ct_view_type type)
{
	return type == CT_VIEW_TYPE_TEXT || type == CT_VIEW_TYPE_HANDLE;
}

static struct layout lay_out(const struct ct_view_rows *rows, uint32_t column)
{
	struct layout layout = {.type = rows->types[column]};
	int64_t least = INT64_MAX, most = INT64_MIN;
	const int64_t *at = rows->columns[column];
	uint64_t i, span;

	for (i = 0; i < rows->nr_rows; i++) {
		if (ct_view_is_nothing(layout.type, at[i]))
			continue;
		least = at[i] < least ? at[i] : least;
		most = at[i] > most ? at[i] : most;
	}
	if (least > most)
		return layout;
	span = (uint64_t)most - (uint64_t)least;
	layout.base = least;
	layout.width = span < UINT8_MAX ? 1 : span < UINT16_MAX ? 2 : span < UINT32_MAX ? 4 : 8;
	if (layout.width == 8)
		layout.base = 0;
	return layout;
}

static void put_cell(const struct layout *layout, int64_t number, uint8_t *to)
{
	uint64_t cell = (uint64_t)number;

	if (layout->width < 8)
		cell = ct_view_is_nothing(layout->type, number) ? 0
								: cell - (uint64_t)layout->base + 1;
	memcpy(to, &cell, layout->width);
}

/* ---------------------------------------------------------------- words */

static void add_word(struct packing *packing, enum ct_view_type type, int64_t number)
{
	uint64_t key = (uint64_t)number ^ (uint64_t)type << 58;
	struct word word = {.type = type, .number = number, .offset = packing->text.length};
	uint32_t at;

	for (; map_get(&packing->word_at, key, &at); key++)
		if (packing->words.at[at].type == type && packing->words.at[at].number == number)
			return;
	view_say(&packing->text, packing->view, type, number, 0);
	word.nr_bytes = packing->text.length - word.offset;
	at = (uint32_t)packing->words.count;
	packing->is_broken |=
		!vec_push(&packing->words, word) || !map_put(&packing->word_at, key, at);
}

static void gather_words(struct packing *packing)
{
	const struct ct_view_rows *rows = packing->rows;
	uint32_t k;
	uint64_t i;

	for (k = 0; k < rows->nr_columns; k++) {
		if (!has_words(rows->types[k]))
			continue;
		for (i = 0; i < rows->nr_rows && !packing->is_broken; i++)
			if (!ct_view_is_nothing(rows->types[k], rows->columns[k][i]))
				add_word(packing, rows->types[k], rows->columns[k][i]);
	}
	packing->is_broken |= packing->text.is_broken;
}

/* ---------------------------------------------------------------- bytes */

static uint64_t rounded(uint64_t nr_bytes)
{
	return (nr_bytes + 7) / 8 * 8;
}

static void put32(uint8_t *to, uint32_t number)
{
	memcpy(to, &number, sizeof(number));
}

static void put64(uint8_t *to, uint64_t number)
{
	memcpy(to, &number, sizeof(number));
}

static uint64_t lay_out_all(struct packing *packing)
{
	const struct ct_view_rows *rows = packing->rows;
	uint64_t at = HEAD_BYTES + (uint64_t)rows->nr_columns * COLUMN_BYTES;
	uint32_t k;

	for (k = 0; k < rows->nr_columns; k++) {
		packing->layouts[k] = lay_out(rows, k);
		packing->layouts[k].offset = at;
		at += rounded(rows->nr_rows * packing->layouts[k].width);
	}
	return at;
}

static void write_columns(const struct packing *packing, uint8_t *bytes)
{
	const struct ct_view_rows *rows = packing->rows;
	uint32_t k;
	uint64_t i;

	for (k = 0; k < rows->nr_columns; k++) {
		const struct layout *layout = &packing->layouts[k];
		uint8_t *at = bytes + HEAD_BYTES + (uint64_t)k * COLUMN_BYTES;

		at[0] = (uint8_t)layout->type;
		at[1] = layout->width;
		put64(at + 8, (uint64_t)layout->base);
		put64(at + 16, layout->offset);
		for (i = 0; i < rows->nr_rows; i++)
			put_cell(layout, rows->columns[k][i],
				bytes + layout->offset + i * layout->width);
	}
}

static void write_words(const struct packing *packing, uint8_t *at)
{
	uint8_t *text = at + packing->words.count * TEXT_BYTES;
	size_t i;

	for (i = 0; i < packing->words.count; i++, at += TEXT_BYTES) {
		const struct word *word = &packing->words.at[i];

		put64(at, (uint64_t)word->number);
		put32(at + 8, (uint32_t)word->type);
		put32(at + 12, (uint32_t)word->nr_bytes);
		put64(at + 16, word->offset);
	}
	memcpy(text, text_peek(&packing->text), packing->text.length);
}

static uint8_t *write_all(struct packing *packing, size_t *ret_nr_bytes)
{
	uint64_t words = lay_out_all(packing);
	uint64_t nr_bytes = words + packing->words.count * TEXT_BYTES + packing->text.length;
	uint8_t *bytes = calloc(1, nr_bytes + 8);

	if (!bytes)
		return NULL;
	memcpy(bytes, "CTVIEW1", 8);
	put32(bytes + 8, packing->rows->nr_columns);
	put32(bytes + 12, (uint32_t)packing->words.count);
	put64(bytes + 16, packing->rows->nr_rows);
	put64(bytes + 24, packing->rows->nr_matched);
	write_columns(packing, bytes);
	write_words(packing, bytes + words);
	*ret_nr_bytes = nr_bytes;
	return bytes;
}

uint8_t *ct_view_pack(
	const struct ct_view *view, const struct ct_view_rows *rows, size_t *ret_nr_bytes)
{
	struct packing packing = {.view = view, .rows = rows};
	uint8_t *bytes = NULL;

	packing.layouts = calloc(rows->nr_columns + 1u, sizeof(*packing.layouts));
	gather_words(&packing);
	if (packing.layouts && !packing.is_broken)
		bytes = write_all(&packing, ret_nr_bytes);
	free(packing.layouts);
	vec_fini(&packing.words);
	map_fini(&packing.word_at);
	text_fini(&packing.text);
	return bytes;
}
