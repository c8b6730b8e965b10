/* SPDX-License-Identifier: MIT */
/*
 * draw_case FILE...: draws all findings of cases, for test_pictures.py. Before each picture stands a line "== FORM CASE
 * NUMBER"; the forms are a file of its own (svg), a picture for a narrow screen (narrow) and a sequence diagram
 * (mermaid).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_file.h"
#include "render/picture.h"
#include "render/scene.h"
#include "rules/rules.h"

static void print_picture(const char *path, const struct ct_report *report, uint32_t index)
{
	struct text alone = {0}, narrow = {0}, mermaid = {0};
	struct scene scene;

	if (!render_scene_init(&scene, report, &report->findings[index]))
		return;
	render_picture_alone(&alone, &scene);
	render_picture_mermaid(&mermaid, &scene);
	printf("== svg %s %u\n%s", path, index + 1, text_peek(&alone));
	printf("== mermaid %s %u\n%s", path, index + 1, text_peek(&mermaid));
	if (render_scene_init_narrow(&scene, report, &report->findings[index]))
		render_picture_inline(&narrow, &scene, index + 1);
	printf("== narrow %s %u\n%s", path, index + 1, text_peek(&narrow));
	text_fini(&alone);
	text_fini(&narrow);
	text_fini(&mermaid);
}

static void draw(const char *path)
{
	const struct ct_report *report;
	struct ct_source *source;
	struct case_file file;
	uint32_t i;

	case_read(path, &file);
	source = case_open(&file);
	report = case_judge(&file, source);
	for (i = 0; i < report->nr_findings; i++)
		print_picture(path, report, i);
	analyze_report_free(report);
	source_close(source);
	case_fini(&file);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		draw(argv[i]);
	return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
