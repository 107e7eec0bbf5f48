package mcp

import (
	"bytes"
	"strings"
	"testing"
)

func TestMentionsTask(t *testing.T) {
	pieces := []string{"", "-", "related-task", "related", "-task", "task-", "related-tas", "elated-task",
		"related-related-task", "\x00", "z", strings.Repeat("x-", 40)}
	for _, a := range pieces {
		for _, b := range pieces {
			for _, c := range pieces {
				data := []byte(a + b + c)
				if got, want := mentionsTask(data),
					bytes.Contains(data, []byte("related-task")); got != want {
					t.Errorf("%q: %v, want %v", data, got, want)
				}
			}
		}
	}
}
