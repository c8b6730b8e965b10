/* SPDX-License-Identifier: MIT */
/*
 * A text trace of any bytes, judged and drawn: each finding as a file of its own and as a sequence diagram. Every part
 * must lie within the picture, whatever the times and names, and no name may become markup.
 */
#include <stdlib.h>
#include <string.h>

#include "memory_file.h"
#include "render/picture.h"
#include "render/scene.h"
#include "rules/rules.h"
#include "textrace/textrace.h"

#define WIDEST 4000

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static bool is_within(const struct scene *scene, int x)
{
	return x >= 0 && x <= scene->width;
}

static void check_scene(const struct scene *scene)
{
	uint32_t i;

	require(scene->width > 0 && scene->width <= WIDEST && scene->height > 0);
	for (i = 0; i < scene->nr_ticks; i++)
		require(is_within(scene, scene->ticks[i].x) &&
			(!i || scene->ticks[i].x >= scene->ticks[i - 1].x));
	for (i = 0; i < scene->nr_bars; i++)
		require(is_within(scene, scene->bars[i].x) && scene->bars[i].width >= 0 &&
			is_within(scene, scene->bars[i].x + scene->bars[i].width));
	for (i = 0; i < scene->nr_marks; i++)
		require(is_within(scene, scene->marks[i].x) && scene->marks[i].y <= scene->height);
}

/* Only our own tags may occur. */
static void check_markup(const char *picture)
{
	for (; (picture = strchr(picture, '<')); picture++)
		require(strncmp(picture, "<script", 7) != 0 && strncmp(picture, "<!", 2) != 0);
}

static void draw(const struct ct_report *report, uint32_t index)
{
	struct text alone = {0}, diagram = {0};
	struct scene scene;

	if (!render_scene_init(&scene, report, &report->findings[index]))
		return;
	check_scene(&scene);
	render_picture_alone(&alone, &scene);
	render_picture_mermaid(&diagram, &scene);
	check_markup(text_peek(&alone));
	require(strncmp(text_peek(&diagram), "sequenceDiagram\n", 16) == 0 &&
		!strchr(text_peek(&diagram), '`'));
	text_fini(&alone);
	text_fini(&diagram);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	const struct ct_report *report;
	struct ct_source *source;
	uint32_t i;

	if (textrace_source_from_text("input", 1, (const char *)bytes, nr_bytes, &source, NULL))
		return 0;
	if (rules_judge(source, NULL, NULL, &report, NULL) == CT_OK) {
		for (i = 0; i < report->nr_findings; i++)
			draw(report, i);
		analyze_report_free(report);
	}
	source_close(source);
	return 0;
}
