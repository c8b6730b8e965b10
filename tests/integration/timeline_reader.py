# SPDX-License-Identifier: MIT
"""Reads timelines as viewers do: a Perfetto trace by the message types that its project publishes, Trace Event JSON by
the rules of its format. Both become the same list of slices, instants, counter values and arrows."""
import collections
import json
import pathlib

from support import check

Slice = collections.namedtuple("Slice", "track category name start end depth site arguments")
Instant = collections.namedtuple("Instant", "track category name time site arguments")


class Timeline:
    def __init__(self):
        self.tracks = {}  # key: (name, name of the parent track)
        self.slices, self.instants, self.counters, self.arrows = [], [], collections.defaultdict(list), []

    def of(self, category):
        return [item for item in self.slices + self.instants if item.category == category]


# ---------------------------------------------------------------- Perfetto

class Sequence:
    """The state to which packets of one sequence may refer."""

    def __init__(self):
        self.clocks, self.tables, self.default_clock = {}, collections.defaultdict(dict), None

    def take(self, packet):
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages
        cleared = messages.TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED
        if packet.sequence_flags & cleared:
            self.tables.clear()
        for table in ("event_categories", "event_names", "debug_annotation_names", "source_locations",
                      "debug_annotation_string_values"):
            for entry in getattr(packet.interned_data, table):
                check(entry.iid and entry.iid not in self.tables[table], f"{table} {entry.iid} is told twice")
                self.tables[table][entry.iid] = entry
        if packet.HasField("clock_snapshot"):
            self.clocks = {clock.clock_id: clock.timestamp for clock in packet.clock_snapshot.clocks}
        if packet.HasField("trace_packet_defaults"):
            self.default_clock = packet.trace_packet_defaults.timestamp_clock_id

    def time(self, packet, epoch):
        """Returns nanoseconds since the trace's time 0, by way of CLOCK_MONOTONIC."""
        return packet.timestamp - self.clocks[self.default_clock] + self.clocks[3] - epoch

    def arguments(self, event):
        read = {}
        for one in event.debug_annotations:
            key = self.tables["debug_annotation_names"][one.name_iid].name
            read[key] = one.int_value if one.HasField("int_value") else \
                self.tables["debug_annotation_string_values"][one.string_value_iid].str.decode()
        return read

    def site(self, event):
        if not event.source_location_iid:
            return None
        entry = self.tables["source_locations"][event.source_location_iid]
        return entry.function_name, entry.file_name, entry.line_number


def unknown_fields(message):
    from google.protobuf import unknown_fields as library
    found = [field.field_number for field in library.UnknownFieldSet(message)]
    for _, value in message.ListFields():
        for part in value if hasattr(value, "add") else [value]:
            if hasattr(part, "ListFields"):
                found += unknown_fields(part)
    return found


def track_name(tracks, uuid):
    one = tracks.get(uuid)
    if one is None:
        return None
    return one.process.process_name or one.thread.thread_name or one.name


def note_arrow(timeline, flows, event, place):
    for flow in [*event.flow_ids, *event.terminating_flow_ids]:
        if flow in flows:
            timeline.arrows.append((flows[flow], place))
        flows[flow] = place
    for flow in event.terminating_flow_ids:
        flows.pop(flow)


def read_perfetto(path, epoch):
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages
    trace = messages.Trace()
    trace.ParseFromString(pathlib.Path(path).read_bytes())
    sequence, events, tracks = Sequence(), [], {}
    for packet in trace.packet[:2000]:
        check(not unknown_fields(packet), f"fields that Perfetto does not publish: {unknown_fields(packet)}")
    for packet in trace.packet:
        check(packet.trusted_packet_sequence_id == 1, "a packet of no sequence")
        sequence.take(packet)
        if packet.HasField("track_descriptor"):
            one = packet.track_descriptor
            check(one.uuid not in tracks, "a track is told twice")
            check(not one.parent_uuid or one.parent_uuid in tracks, "a track stands below none")
            tracks[one.uuid] = one
        if packet.HasField("track_event"):
            events.append((sequence.time(packet, epoch), packet.track_event))
    return lay_events(sequence, sorted(events, key=lambda event: event[0]), tracks)


def lay_events(sequence, events, tracks):
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages
    kinds = messages.TrackEvent.Type
    timeline, stacks, flows = Timeline(), collections.defaultdict(list), {}
    for uuid, one in tracks.items():
        timeline.tracks[uuid] = (track_name(tracks, uuid), track_name(tracks, one.parent_uuid))
    for time, event in events:
        check(event.track_uuid in tracks, "an event lies on no track")
        if event.type == kinds.TYPE_SLICE_END:
            check(stacks[event.track_uuid], "a slice ends that has not begun")
            begin, first, depth = stacks[event.track_uuid].pop()
            timeline.slices.append(finish(event.track_uuid, first, begin, time, depth))
            continue
        if event.type == kinds.TYPE_COUNTER:
            timeline.counters[track_name(tracks, event.track_uuid)].append((time, event.counter_value))
            continue
        words = (sequence.tables["event_categories"][event.category_iids[0]].name,
                 sequence.tables["event_names"][event.name_iid].name if event.name_iid else "",
                 sequence.site(event), sequence.arguments(event))
        note_arrow(timeline, flows, event, (event.track_uuid, time))
        if event.type == kinds.TYPE_SLICE_BEGIN:
            stacks[event.track_uuid].append((time, words, len(stacks[event.track_uuid])))
        else:
            timeline.instants.append(Instant(event.track_uuid, words[0], words[1], time, words[2], words[3]))
    check(not any(stacks.values()), "slices do not end")
    return timeline


def finish(track, words, begin, end, depth):
    category, name, site, arguments = words
    return Slice(track, category, name, begin, end, depth, site, arguments)


# ---------------------------------------------------------------- Trace Event JSON

def nanoseconds(text):
    whole, _, fraction = text.partition(".")
    return int(whole) * 1000 + (1 if whole[0] != "-" else -1) * int(fraction.ljust(3, "0"))


def site_of(arguments):
    if "file" not in arguments and "function" not in arguments:
        return None
    return arguments.pop("function", ""), arguments.pop("file", ""), arguments.pop("line", 0)


def take_json_event(timeline, event, flows, asyncs):
    key = (event["pid"], event["tid"])
    arguments = dict(event.get("args", {}))
    site = site_of(arguments)
    start = nanoseconds(event["ts"])
    if event["ph"] == "X":
        item = Slice(key, event["cat"], event["name"], start, start + nanoseconds(event["dur"]), 0, site, arguments)
        if event["cat"] == "wake":
            timeline.instants.append(Instant(key, "wake", event["name"], start, site, arguments))
        else:
            timeline.slices.append(item)
    elif event["ph"] == "b":
        asyncs[event["cat"], event["id"]] = Slice(key, event["cat"], event["name"], start, None, 0, site, arguments)
    elif event["ph"] == "e":
        timeline.slices.append(asyncs.pop((event["cat"], event["id"]))._replace(end=start))
    elif event["ph"] == "i":
        timeline.instants.append(Instant(key, event["cat"], event["name"], start, site, arguments))
    elif event["ph"] == "C":
        timeline.counters[event["name"]].append((start, arguments["value"]))
    elif event["ph"] in "stf":
        flows[event["id"]].append((start, "stf".index(event["ph"]), key))
    else:
        check(False, f"an event of another phase: {event}")


def read_chrome(path):
    with open(path, encoding="utf-8") as file:
        # Times as they are written, because a floating-point number could not represent them all.
        events = json.load(file, parse_float=str)["traceEvents"]
    timeline, flows, asyncs, processes = Timeline(), collections.defaultdict(list), {}, {}
    for event in events:
        if event["ph"] != "M":
            take_json_event(timeline, {"dur": "0.000", **event}, flows, asyncs)
        elif event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
            timeline.tracks.setdefault((event["pid"], 0), (event["args"]["name"], None))
        else:
            timeline.tracks[event["pid"], event["tid"]] = (event["args"]["name"], processes.get(event["pid"]))
    check(not asyncs, "asynchronous slices do not end")
    for flow in flows.values():
        places = [(key, time) for time, _, key in sorted(flow)]
        timeline.arrows += list(zip(places, places[1:]))
    return timeline
