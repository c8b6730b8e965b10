/* SPDX-License-Identifier: MIT */
/*
 * Coroutines and threads as slices on tracks, for timeline viewers. The interface between the parts is tell.h: tell.c
 * walks over a view, and each format has a file that writes it.
 */
#ifndef SLICES_SLICES_H
#define SLICES_SLICES_H

#include "export/export.h"

/*
 * The writers that corotracer/def/exports.def names, declared with those of src/export:
 *
 * slices_perfetto, slices_chrome: write a whole view as a Perfetto trace, and as Trace Event JSON. The file appears
 * complete or not at all; "-" is standard output. An error names the file, or is the view's.
 *
 * slices_otlp: writes tasks and regions as spans of OpenTelemetry, in the JSON encoding of OTLP: to a file with a
 * request in each line, or, if the output begins with "http://" or "https://", as requests to a collector. Requests
 * that were sent stay sent when a later one fails; spans that are sent again have the same ids. CT_ERR_REFUSED: the
 * collector does not take a request. CT_ERR_UNSUPPORTED: this build cannot send.
 */

#endif
