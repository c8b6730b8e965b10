/* SPDX-License-Identifier: MIT */
/*
 * The state of the model after a text trace.
 */
#ifndef TESTS_FOLDED_H
#define TESTS_FOLDED_H

#include "model/model.h"
#include "text_form.h"

/* Applies all events, up to the end. The caller frees the model, then closes the source, which owns the names. */
static inline struct model *fold_text(const char *text, struct ct_source **ret_source)
{
	struct ct_source *source = open_text(text);
	const struct ct_event *event;
	struct model *model = NULL;

	CHECK_EQUAL(model_new(source->tables, &model, NULL), CT_OK);
	while (source_next(source, &event, NULL) == CT_OK)
		CHECK_EQUAL(model_apply(model, event, NULL), CT_OK);
	CHECK_EQUAL(model_finish(model, NULL), CT_OK);
	*ret_source = source;
	return model;
}

#endif
