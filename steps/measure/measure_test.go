package measure

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/divergences/measured"
)

// What is measured anew is what the register has, where it is no matter of time.
func TestSequenceNumbersAreMeasured(t *testing.T) {
	folder := t.TempDir()
	var out bytes.Buffer
	if err := Write(t.Context(), Options{What: "sequence", Folder: folder, Out: &out}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, measured.SequenceFile))
	if err != nil {
		t.Fatal(err)
	}
	var got measured.Sequence
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	m, err := measured.Load()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Rows, m.Sequence.Rows) {
		t.Errorf("measured %+v, the register has %+v", got.Rows, m.Sequence.Rows)
	}
	if got.Command != "sqs-conform register --measure sequence" || got.Date == "" || got.Machine == "" {
		t.Errorf("%+v", got.Run)
	}
	if !strings.HasPrefix(out.String(), "wrote ") {
		t.Errorf("it says %q", out.String())
	}
}

func TestWhatCannotBeMeasured(t *testing.T) {
	err := Write(t.Context(), Options{What: "height", Folder: t.TempDir(), Out: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "use one of width, purge, sequence, all") {
		t.Errorf("%v", err)
	}
}
