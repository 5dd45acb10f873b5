package readme

import (
	"os"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/config"
)

const (
	settingsBegin = "<!-- settings: begin -->\n"
	settingsEnd   = "<!-- settings: end -->\n"
)

// TestTheReadmeListsEverySetting holds the README's table against the settings
// the service has. UPDATE_README=1 writes the table instead.
func TestTheReadmeListsEverySetting(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), settingsBegin)
	table, after, ended := strings.Cut(rest, settingsEnd)
	if !begun || !ended {
		t.Fatalf("the README has no place for the settings between %q and %q", settingsBegin, settingsEnd)
	}
	want := strings.TrimSpace(config.Markdown()) + "\n"
	if table == want {
		return
	}
	if os.Getenv("UPDATE_README") == "" {
		t.Fatalf("the README's settings are not those of the service; write them with\n  UPDATE_README=1 go test ./ci/readme -run %s", t.Name())
	}
	if err := os.WriteFile("../../README.md", []byte(before+settingsBegin+want+settingsEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
