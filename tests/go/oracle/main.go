// SPDX-License-Identifier: MIT

// oracle FILE: all events of a Go trace as golang.org/x/exp/trace reads it, one a line, in the words of
// tests/go/events.c. `oracle --count FILE` says how many there are, and how much memory that took.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/exp/trace"
)

func text(key, value string) string {
	var b strings.Builder
	fmt.Fprintf(&b, " %s=\"", key)
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\x%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func stack(key string, s trace.Stack) string {
	var b strings.Builder
	separator := ":"
	for f := range s.Frames() {
		if b.Len() == 0 {
			b.WriteString(" " + key)
		}
		b.WriteString(text(separator, f.Func) + text("file", f.File))
		fmt.Fprintf(&b, " %d %x", f.Line, f.PC)
		separator = "|"
	}
	return b.String()
}

func move(e trace.Event) string {
	t := e.StateTransition()
	out := ""
	if t.Resource.Kind == trace.ResourceGoroutine {
		from, to := t.Goroutine()
		out = fmt.Sprintf(" Goroutine %d %s->%s", int64(t.Resource.Goroutine()), from, to)
	} else {
		from, to := t.Proc()
		out = fmt.Sprintf(" Proc %d %s->%s", int64(t.Resource.Proc()), from, to)
	}
	return out + text("reason", t.Reason) + stack("resource", t.Stack)
}

func ranges(word string, e trace.Event) string {
	r := e.Range()
	out := " " + word
	if kind, found := strings.CutPrefix(r.Name, "stop-the-world ("); found {
		out += text("name", "stop-the-world") + text("for", strings.TrimSuffix(kind, ")"))
	} else {
		out += text("name", r.Name)
	}
	if word == "RangeEnd" {
		for _, a := range e.RangeAttributes() {
			out += fmt.Sprintf(" %d", a.Value.Uint64())
		}
	}
	switch r.Scope.Kind {
	case trace.ResourceGoroutine:
		out += fmt.Sprintf(" of %d", int64(r.Scope.Goroutine()))
	case trace.ResourceProc:
		out += fmt.Sprintf(" of %d", int64(r.Scope.Proc()))
	}
	return out
}

func task(word string, e trace.Event) string {
	t := e.Task()
	return fmt.Sprintf(" %s task=%d parent=%d", word, int64(t.ID), int64(t.Parent)) + text("name", t.Type)
}

func region(word string, e trace.Event) string {
	r := e.Region()
	return fmt.Sprintf(" %s task=%d", word, int64(r.Task)) + text("name", r.Type)
}

func sync(e trace.Event) string {
	s := e.Sync()
	out := fmt.Sprintf(" Sync %d", s.N)
	if c := s.ClockSnapshot; c != nil {
		out += fmt.Sprintf(" %d %d %d", int64(c.Trace), c.Mono, c.Wall.UnixNano())
	}
	return out
}

func words(e trace.Event) string {
	switch e.Kind() {
	case trace.EventSync:
		return sync(e)
	case trace.EventStateTransition:
		return move(e)
	case trace.EventRangeBegin:
		return ranges("RangeBegin", e)
	case trace.EventRangeActive:
		return ranges("RangeActive", e)
	case trace.EventRangeEnd:
		return ranges("RangeEnd", e)
	case trace.EventMetric:
		return fmt.Sprintf(" Metric %s %d", e.Metric().Name, e.Metric().Value.Uint64())
	case trace.EventLabel:
		return text("Label", e.Label().Label)
	case trace.EventTaskBegin:
		return task("TaskBegin", e)
	case trace.EventTaskEnd:
		return task("TaskEnd", e)
	case trace.EventRegionBegin:
		return region("RegionBegin", e)
	case trace.EventRegionEnd:
		return region("RegionEnd", e)
	case trace.EventLog:
		return fmt.Sprintf(" Log task=%d", int64(e.Log().Task)) + text("name", e.Log().Category) + text("message", e.Log().Message)
	case trace.EventStackSample:
		return " Sample"
	case trace.EventExperimental:
		return " Experimental " + e.Experimental().Name
	}
	return " unknown"
}

func read(file io.Reader, out io.Writer, counting bool) (uint64, error) {
	r, err := trace.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return 0, err
	}
	for count := uint64(0); ; count++ {
		e, err := r.ReadEvent()
		if err == io.EOF {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		if !counting {
			fmt.Fprintf(out, "%d M=%d P=%d G=%d%s%s\n", int64(e.Time()), int64(e.Thread()), int64(e.Proc()),
				int64(e.Goroutine()), words(e), stack("stack", e.Stack()))
		}
	}
}

func main() {
	counting := len(os.Args) > 2 && os.Args[1] == "--count"
	file, err := os.Open(os.Args[len(os.Args)-1])
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	count, err := read(file, out, counting)
	if counting {
		fmt.Fprintf(out, "%d events\n", count)
	}
	if err != nil {
		fmt.Fprintln(out, "error:", err)
	}
	out.Flush()
	if err != nil {
		os.Exit(1)
	}
}
