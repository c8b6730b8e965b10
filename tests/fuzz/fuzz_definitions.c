/* SPDX-License-Identifier: MIT */
/*
 * Definitions of a block, of any bytes, and the tables made from them. Definitions that can be read must be the same
 * after they are written and read again.
 */
#include "hostile_file.h"
#include "store/definitions.h"
#include "store/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static void apply(struct store_tables *all, const struct ct_definition *definition)
{
	if (all)
		require(store_tables_apply(all, definition, NULL) == CT_OK);
}

/* Reads definitions up to the first invalid one, and writes them again. */
static struct text write_again(
	const uint8_t *at, size_t nr_bytes, struct arena *arena, struct store_tables *all)
{
	struct store_bytes bytes = {at, at + nr_bytes, false};
	struct ct_definition definition;
	struct text text = {0};
	enum ct_status status;

	while ((status = store_definition_take(&bytes, arena, &definition)) >= 0 &&
		status != CT_END) {
		if (status != CT_OK)
			continue;
		apply(all, &definition);
		store_definition_add(&text, &definition);
	}
	require(status == CT_END || status == CT_ERR_CORRUPT);
	require(text_status(&text, NULL) == CT_OK);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct store_tables all;
	struct text first, second;

	require(store_tables_init(&all, NULL) == CT_OK);
	first = write_again(bytes, nr_bytes, &all.arena, &all);
	second = write_again((const uint8_t *)text_peek(&first), first.length, &all.arena, NULL);
	require(first.length == second.length);
	require(first.length == 0 || memcmp(first.at, second.at, first.length) == 0);
	store_tables_finish(&all);
	store_tables_publish(&all);
	file_check_tables(&all.tables);
	store_tables_fini(&all);
	text_fini(&first);
	text_fini(&second);
	return 0;
}
