// SPDX-License-Identifier: MIT

// programs NAME FILE: runs the small program of this name, and writes its execution trace to the file. Without
// arguments it lists the names, a line each. Each program is deterministic in what it does, and not in what happens.
package main

import (
	"fmt"
	"os"
	"runtime/trace"
	"sort"
)

// What each file of this folder adds itself to. A program that writes its trace itself takes the file's name.
var programs = map[string]func(){}
var writers = map[string]func(path string){}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		os.Exit(1)
	}
}

func list() {
	var names []string
	for name := range programs {
		names = append(names, name)
	}
	for name := range writers {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println(name)
	}
}

func record(path string, program func()) {
	file, err := os.Create(path)
	fail(err)
	fail(trace.Start(file))
	program()
	trace.Stop()
	fail(file.Close())
}

func main() {
	if len(os.Args) != 3 {
		list()
		return
	}
	name, path := os.Args[1], os.Args[2]
	if program, found := programs[name]; found {
		record(path, program)
	} else if writer, found := writers[name]; found {
		writer(path)
	} else {
		fail(fmt.Errorf("there is no program %q", name))
	}
}
