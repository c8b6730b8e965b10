// SPDX-License-Identifier: MIT

package main

import (
	"net/http/httptest"
	"testing"
)

// `go test -trace test.trace` writes the trace that `corotracer check` judges.
func TestLoad(t *testing.T) {
	server := httptest.NewServer(newService(func() {}))
	defer server.Close()
	if err := load(server); err != nil {
		t.Fatal(err)
	}
}
