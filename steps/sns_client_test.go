package steps

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/queen-mq/queen-sqs/steps/client"
	"github.com/queen-mq/queen-sqs/steps/target"
)

// At Amazon SNS has an endpoint of its own, which wants signatures for itself
// and speaks Query alone. Everything that a scenario says to SNS has to get there
// so, whichever client says it and whichever protocol SQS is spoken to in.
func TestSNSIsSpokenToWhereAndAsAmazonWantsIt(t *testing.T) {
	shared, err := gateway(t).Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cfg := shared.Config()
	behind, err := url.Parse(cfg.Endpoints[0])
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(behind)
		p.Out.Host = p.In.Host // the signature covers it
	}}
	var asked atomic.Int32
	sns := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("X-Amz-Target") != "" || !strings.Contains(r.Header.Get("Authorization"), "/sns/aws4_request") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer sns.Close()
	source := target.One(&target.URL{
		Endpoints: cfg.Endpoints, SNS: sns.URL, Region: cfg.Region, Credentials: cfg.Credentials, AccountID: shared.Account(),
		Able: target.Abilities{Side: target.Amazon},
	})
	for name, call := range map[string]string{
		"an SDK":                      "When I publish \"m\" to \"t\"\nThen the call succeeds",
		"what no SDK can say":         "When the client calls Publish with the parameters:\n\"\"\"\n{\"TopicArn\": \"${topic:t}\", \"Message\": \"m\", \"Nonsense\": \"x\"}\n\"\"\"\nThen the call succeeds",
		"a raw client":                "When a raw client calls Publish with:\n| TopicArn | ${topic:t} |\n| Message | m |\nThen the call succeeds",
		"a request of its own making": "When I send the request:\n\"\"\"\nPOST /?Action=Publish&Version=2010-03-31&TopicArn=${topic:t}&Message=m\n\"\"\"\nThen the status is 200",
	} {
		for _, p := range []client.Protocol{client.JSON, client.Query} {
			asked.Store(0)
			ok, r := runFeature(t, source, p, "Scenario: s\nGiven a topic \"t\"\n"+call)
			if n := asked.Load(); !ok || n != 3 { // with what creates and deletes the topic
				t.Errorf("%s over %s: SNS was asked %d times, %+v", name, p, n, r.Verdicts())
			}
		}
	}
}
