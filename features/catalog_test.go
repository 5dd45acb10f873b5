package features

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/steps"
)

// elsewhere are the errors that the catalog's outlines cannot provoke over both
// protocols, each with the reason.
var elsewhere = map[string]string{
	"OverLimit":                 "never raised: there are no quotas here (QS-27)",
	"UnknownOperationException": "answers a queue's path without an action, which AWS JSON cannot say; the feature has a scenario over Query",
}

// notOurs are rows of the table of errors that only other endpoints answer.
var notOurs = map[string]string{
	"RequestEntityTooLarge": "Amazon's answer to a body that is too long (QS-16)",
}

// The catalog in the code, the table that the steps compare with and the
// outlines that provoke each error have to be one and the same.
func TestEveryErrorOfTheCatalogIsProvoked(t *testing.T) {
	table, err := steps.ReadErrors(strings.NewReader(ErrorTable()))
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(FS(), "error_catalog.feature")
	if err != nil {
		t.Fatal(err)
	}
	provoked := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 4 {
			provoked[strings.TrimSpace(cells[1])] = true
		}
	}

	shown := func(json, query string, status int, side string) string {
		return fmt.Sprintf("%s %s %d %s", json, query, status, side)
	}
	kinds := map[string]bool{}
	for _, k := range fault.Catalog() {
		kinds[shown(k.JSON, k.Query, k.Status, k.Side())] = true
	}
	rows := map[string]string{}
	for name, row := range table {
		key := shown(row.JSON, row.Query, row.Status, row.Fault)
		rows[key] = name
		switch {
		case notOurs[name] != "":
			if kinds[key] {
				t.Errorf("%s is in the catalog after all", name)
			}
		case !kinds[key]:
			t.Errorf("errors.csv has %s, which is not in the catalog as %s", name, key)
		case elsewhere[name] != "":
			if provoked[name] {
				t.Errorf("%s is provoked after all", name)
			}
		case !provoked[name]:
			t.Errorf("no row of error_catalog.feature provokes %s", name)
		}
	}
	for key := range kinds {
		if rows[key] == "" {
			t.Errorf("errors.csv lacks %s", key)
		}
	}
	if len(table) < 30 || len(provoked) < 30 {
		t.Errorf("%d rows, %d provoked: the files were not read", len(table), len(provoked))
	}
}
