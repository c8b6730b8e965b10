/* SPDX-License-Identifier: MIT */
/*
 * What coroutines and threads did, as slices on tracks, for the viewers of timelines that there are. The parts
 * meet in tell.h: tell.c tells what a view has, and a file for each form writes it down.
 */
#ifndef SLICES_SLICES_H
#define SLICES_SLICES_H

#include "export/export.h"

/*
 * The writers that corotracer/def/exports.def names, declared with those of src/export:
 *
 * slices_perfetto, slices_chrome: the whole of a view as a Perfetto trace, and as Trace Event JSON. The file appears
 * whole or not at all; "-" is standard output. A failure names it, or is the view's.
 *
 * slices_otlp: tasks and regions as spans of OpenTelemetry, in the JSON encoding of OTLP: a file with a request in
 * each line, or, where the output begins with "http://" or "https://", requests to a collector, which cannot be taken
 * back when one of them fails; sent again, spans have the same ids. CT_ERR_REFUSED: the collector does not take one;
 * CT_ERR_UNSUPPORTED: this build cannot send.
 */

#endif
