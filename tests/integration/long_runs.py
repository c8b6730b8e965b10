# SPDX-License-Identifier: MIT
"""A trace as text in which a coroutine kept its worker for 1.3 s, with samples as the kernel takes them."""

SITES = """\
trace from=0 until=2s
process 1 pid=100 program=/bin/server probe
thread 1 tid=101 name=worker-0
thread 2 tid=102 name=worker-1
site 1 kind=source file=/src/serve.cpp line=12 function=serve
site 2 kind=source file=/src/json.cpp line=40 function=parse_json
site 3 kind=source file=/src/sum.cpp line=9 function=check_sum
site 4 kind=source file=/src/other.cpp line=7 function=elsewhere
"""


def text_of(goes_on=False):
    """Coroutine 1 runs from 1 ms to 1301 ms, or to the end; 92 of 100 samples are in parse_json. It resumes coroutine 3 for a
    moment, and worker-1 computes elsewhere."""
    events = [(1000, "t1 create c1 0x11010 @1"), (1000, "t1 create c2 0x12010 @1"), (1000, "t1 create c3 0x13010 @1"),
              (1001, "t1 resume c1"), (400000, "t1 resume c3"), (400100, "t1 suspend c3 timer:1 @1")]
    events += [(11000 + 12000 * i, f"t1 sample @{3 if i % 13 == 12 else 2} flags=0x1") for i in range(100)]
    events += [(11500 + 12000 * i, "t2 sample @4 flags=0x1") for i in range(100)]
    events += [(200000 + 300000 * i, "t1 thread-off 10000000 argument=1") for i in range(3)]
    if not goes_on:
        events += [(1301001, "t1 suspend c1 timer:1 @1")]
    return SITES + "".join(f"{time}us {words}\n" for time, words in sorted(events, key=lambda event: event[0]))
