/* SPDX-License-Identifier: MIT */
/*
 * The text form of a trace: written by hand in tests, printed by `dump`, read by `assemble`.
 *
 * Printing and reading are inverse: a printed text reads back as the same tables and events, and these print as the
 * same text. Facts about the file itself (the counter from which times were computed, and, once a trace was assembled
 * again, notes about damage) are not part of the text.
 *
 * One line is one definition or one event; words are separated by blanks; `#` at the start of a word begins a comment.
 * A text with blanks, quotes or control characters is written "in quotes", with \" \\ \n \t and \xHH inside. Keys may
 * come in any order; the value of a missing key is 0, "" or unknown. Numbers are decimal or 0x hexadecimal. A time is a
 * number with a unit (ns us ms s min h), a number of nanoseconds without a unit, or `none`; an event's time may begin
 * with `+`: relative to the previous line.
 *
 *	trace run=00112233445566778899aabbccddeeff host=build-7 from=0 until=2s
 *		epoch_realtime=1700000000000000000 epoch_monotonic=5000000000 skew=120ns reach=5us
 *		incomplete no-end impossible=3 generation=12 before=3000 not-carried=2
 *		cut reason="asked for" reason-at=2s
 *	process 1 pid=100 program=/bin/app command="app -x" attached=0 probe ledger bare-resumes
 *	thread 1 process=1 tid=101 name=worker-0
 *	site 1 process=1 kind=source form=co_await file=server.cpp line=42 column=7 function=handle
 *		reason=AsyncRead module=/bin/app address=0x401000 offset=0x1000
 *		callers="serve\tserver.cpp\t70\nmain\tmain.cpp\t12\n" stack=2
 *	stack 1 site=3
 *	stack 2 site=4 caller=1
 *	mapping 1 process=1 start=0x400000 end=0x500000 offset=0 path=/bin/app build_id=aa55
 *	loss process=1 thread=1 coro=7 reason="ring full" count=10 first=1ms last=2ms
 *	note "cut at offset 4096" count=1 offset=4096
 *	sight "thread main (12) is in get (queues.py:103)"
 *	sight "locals of serve: id = 3" coro=7 from=4s until=4.1s
 *	end 1 exited 0 at=2s
 *	end 1 signaled 11 at=2s forwarded
 *
 * (Each of these is one line; only this comment breaks them.) Processes, threads, sites, stacks and mappings are
 * numbered from 1 without gaps, and defined before they are used; but a site may name a later stack. A process that has
 * `probe` or `ledger` counts as attached from 0 if `attached` is missing. `process=` may be left out if there is only
 * one process. Without a `trace` line, observation begins at 0 or the first event and ends with the last event or end,
 * and the trace is complete. A part of a recording has the generation that it begins with and the number of events
 * `before` it; it is `cut` if the recording goes on behind it.
 *
 * An event is its time, its thread, its kind, and the rest in any order:
 *
 *	TIME tTHREAD KIND [cCORO] [OBJECT] [@SITE] [NAME=ARGUMENT] [flags=N] [carried]
 *
 *	1ms    t1 create c7 0x7f001000 @1
 *	1.5ms  t1 suspend c7 descriptor:7.3 @2 point=await
 *	+10us  t2 wake c9 coroutine:7 @3 outcome=queued
 *	+10us  t2 switch c9 c7
 *	+10us  t2 await c7 c8
 *	2ms    t2 descriptor-close descriptor:7.3 @4
 *	2ms    t1 block-begin -1 call=epoll_wait
 *	3ms    t1 detail 3000000 detail=deadline
 *	3ms    t1 lost 12 first=2.5ms loss="ring full"
 *	2ms    t1 descriptor-open descriptor:7.4 type=eventfd
 *	3ms    t1 descriptor-io c-11 descriptor:7.3 argument=1
 *	3ms    t1 processor processor:2 state=running
 *	3ms    t1 range-begin c7 @5 range=gc-assist
 *	4ms    t0 p1 kind-200 c7 0x1234 argument=9
 *
 *	KIND      a name of def/kinds.def, or kind-N for a number that it does not list
 *	cCORO     the coroutine, 0 if left out; may be negative (a result as two's complement)
 *	OBJECT    a resource NAME:IDENTITY (def/resources.def; a descriptor is FD or FD.GENERATION),
 *	          or a plain number; for kinds whose object is a coroutine a second cCORO
 *	NAME=     point, outcome, life, mark, loss, call, detail, range or state (of a processor), as the kind has
 *	          it (names of the lists in def/, or a number), or `argument` with a number, for any kind
 *	type=     the type of a descriptor (def/descriptors.def): a part of the flags
 *	first=    for `lost`: the time of the first missing event, instead of the coroutine
 *	#         a comment for human readers: the name of an annotation, eight bytes of a message
 *	tTHREAD   t0: no thread; then pPROCESS may follow
 *	carried   the event restates what was so when this part of a recording began; its time lies before the part
 *
 * Events are handed out in order of time; the events of a thread keep the order of the lines, even if times go back.
 * Events of the same instant are ordered by the number of the process, then of the thread. If the order of two threads
 * matters, give their events different times.
 */
#ifndef TEXTRACE_TEXTRACE_H
#define TEXTRACE_TEXTRACE_H

#include "stream/stream.h"
#include "base/input.h"
#include "base/text.h"

/*
 * textrace_source_open: reads a text trace into memory. The source takes over the input, even on failure.
 * CT_ERR_FORMAT: the error names the line: "case.txt:12: site 5 is not defined".
 */
enum ct_status textrace_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * textrace_source_from_text: the same from memory, which may be freed afterwards. `name` replaces the file's name in
 * messages; `first_line` is the number of the text's first line in that file.
 */
enum ct_status textrace_source_from_text(const char *name, unsigned first_line, const char *text,
	size_t nr_bytes, struct ct_source **ret_source, struct ct_error *reterr);

/* textrace_is_ours: do these first bytes of a file look like a text trace? */
bool textrace_is_ours(const void *first_bytes, size_t nr_bytes);

/* textrace_print_tables: prints all definitions, one on each line, with newlines. */
void textrace_print_tables(struct text *text, const struct ct_tables *tables);

/*
 * textrace_print_losses: prints the losses from number `from` on: losses that were added to the tables while events
 * were read are printed behind the events.
 */
void textrace_print_losses(struct text *text, const struct ct_tables *tables, uint32_t from);

/* textrace_print_event: prints one event as one line, without a newline. `is_carried`: see struct ct_events. */
void textrace_print_event(struct text *text, const struct ct_tables *tables,
	const struct ct_event *event, bool is_carried);

/*
 * textrace_print_object: prints only the object, as in the event's line; nothing if the event has none. Exception: a
 * detail's object is printed as a plain number.
 */
void textrace_print_object(struct text *text, const struct ct_event *event);

/*
 * textrace_to_sink: writes everything that a source holds into a sink, as an engine would: definitions, then records
 * with CLOCK_MONOTONIC times (the epoch is the first clock reading), then the end. Notes are left out, because they are
 * about the file that was read. The sink is not closed.
 */
enum ct_status textrace_to_sink(
	struct ct_source *source, struct ct_sink *sink, struct ct_error *reterr);

#endif
