/* SPDX-License-Identifier: MIT */
/*
 * The input of a page: the one trace that the page holds in memory (base/input.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "wasm/input.h"

struct input *wasm_input_new(const uint8_t *bytes, size_t nr_bytes)
{
	struct input *input = calloc(1, sizeof(*input));

	if (!input)
		return NULL;
	input->window = (uint8_t *)(uintptr_t)bytes;
	input->nr_bytes = input->window_bytes = nr_bytes;
	input->name = strdup("the page's trace");
	return input;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	free(input->name);
	free(input);
}

enum ct_status input_look(struct input *input, struct ct_error *reterr)
{
	(void)input, (void)reterr;
	return CT_OK;
}

bool input_is_written(const struct input *input)
{
	(void)input;
	return false;
}

enum ct_status input_peek(struct input *input, uint64_t offset, size_t nr_bytes,
	const uint8_t **ret_bytes, struct ct_error *reterr)
{
	(void)reterr;
	if (offset > input->nr_bytes || nr_bytes > input->nr_bytes - offset)
		return CT_END;
	*ret_bytes = input->window + offset;
	return CT_OK;
}

enum ct_status input_read(const struct input *input, uint64_t offset, void *bytes, size_t nr_bytes,
	size_t *ret_nr_read, struct ct_error *reterr)
{
	uint64_t nr_left = offset < input->nr_bytes ? input->nr_bytes - offset : 0;

	(void)reterr;
	*ret_nr_read = nr_bytes < nr_left ? nr_bytes : (size_t)nr_left;
	memcpy(bytes, input->window + offset, *ret_nr_read);
	return CT_OK;
}

enum ct_status input_fail(const struct input *input, enum ct_status status, struct ct_error *reterr)
{
	return ct_context(reterr, status, "%s", input->name);
}
