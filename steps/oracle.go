package steps

import (
	"slices"
	"sync"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/model"
)

// oracle holds every answer a scenario gets, whichever client asked, against the
// models that Amazon publishes.
type oracle struct {
	mu    sync.Mutex
	found []string
}

func (o *oracle) check(x *client.Exchange) {
	asked, ok := model.Read(x.Method, x.URL, x.RequestHeader, x.RequestBody)
	if !ok {
		return
	}
	for _, p := range model.Check(asked, model.Answer{Status: x.Status, Header: x.Header, Body: x.Body}) {
		o.mu.Lock()
		if s := "the model: " + p.String(); !slices.Contains(o.found, s) {
			o.found = append(o.found, s)
		}
		o.mu.Unlock()
	}
}

// problems is what no model and no named exception explains.
func (o *oracle) problems() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.found)
}
