/* SPDX-License-Identifier: MIT */
/*
 * What a text trace comes to in the model.
 */
#ifndef TESTS_FOLDED_H
#define TESTS_FOLDED_H

#include "model/model.h"
#include "text_form.h"

/* All events, up to the end. The caller frees the model, then closes the source, whose names it has. */
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
