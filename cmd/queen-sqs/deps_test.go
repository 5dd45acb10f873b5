package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The service binary is what users run: it links nothing that only tests need.
func TestServiceLinksNoTestTools(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/queen-mq/queen-sqs/cmd/queen-sqs").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 10 {
		t.Fatalf("only %d packages: %v", len(deps), deps)
	}
	for _, dep := range deps {
		for _, barred := range []string{
			"github.com/aws/", "github.com/cucumber/", "github.com/ory/dockertest", "github.com/Shopify/toxiproxy",
			"go.uber.org/goleak", "testing",
			"github.com/queen-mq/queen-sqs/steps", "github.com/queen-mq/queen-sqs/matrix", "github.com/queen-mq/queen-sqs/features",
		} {
			if dep == barred || strings.HasPrefix(dep, strings.TrimSuffix(barred, "/")+"/") {
				t.Errorf("the service links %s", dep)
			}
		}
	}
}
