package sqs

import (
	"encoding/json"
	"testing"

	"github.com/queen-mq/queen-sqs/server/fault"
)

func TestPermissionLifecycle(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	arn := "arn:aws:sqs:queen-1:000000000000:q"
	wantPolicy := func(want string) {
		t.Helper()
		if got := r.get(url, "Policy")["Policy"]; got != want {
			t.Fatalf("policy\n%s\nwant\n%s", got, want)
		}
	}
	add := func(label string, accounts, actions []string) {
		t.Helper()
		answer := r.do("AddPermission", "QueueUrl", url, "Label", label, "AWSAccountIds", accounts, "Actions", actions)
		if answer != nil {
			t.Fatalf("answered %v, want no result", answer)
		}
	}
	first := `{"Sid":"crossaccountpermission","Effect":"Allow","Principal":{"AWS":["arn:aws:iam::000000000000:root","arn:aws:iam::668614515564:root"]},"Action":"SQS:ReceiveMessage","Resource":"` + arn + `"}`
	second := `{"Sid":"second","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::668614515564:root"},"Action":["SQS:SendMessage","SQS:*"],"Resource":"` + arn + `"}`
	head := `{"Version":"2008-10-17","Id":"` + arn + `/SQSDefaultPolicy","Statement":[`

	add("crossaccountpermission", []string{"000000000000", "668614515564"}, []string{"ReceiveMessage"})
	wantPolicy(head + first + "]}")
	r.do("RemovePermission", "QueueUrl", url, "Label", "crossaccountpermission")
	if answer := r.do("GetQueueAttributes", "QueueUrl", url, "AttributeNames", []string{"Policy"}); answer.Has("Attributes") {
		t.Fatalf("the policy is still %v", answer)
	}

	add("crossaccountpermission", []string{"000000000000", "668614515564"}, []string{"ReceiveMessage"})
	r.refuse(fault.InvalidParameterValue, "Value crossaccountpermission for parameter Label is invalid. Reason: Already exists.",
		"AddPermission", "QueueUrl", url, "Label", "crossaccountpermission", "AWSAccountIds", []string{"668614515564"}, "Actions", []string{"SendMessage"})
	add("second", []string{"668614515564"}, []string{"SendMessage", "*"})
	wantPolicy(head + first + "," + second + "]}")
	r.do("RemovePermission", "QueueUrl", url, "Label", "crossaccountpermission")
	wantPolicy(head + second + "]}")
	r.refuse(fault.InvalidParameterValue, "Value crossaccountpermission2 for parameter Label is invalid. Reason: can't find label.",
		"RemovePermission", "QueueUrl", url, "Label", "crossaccountpermission2")
}

// A permission joins a policy that was set as an attribute and leaves its
// statements as they were written.
func TestPermissionBesideAPolicy(t *testing.T) {
	r := newRig(t)
	for name, statements := range map[string]string{
		"list":   `[{"Sid":"own","Action":"sqs:SendMessage","Odd":[1e3]}]`,
		"single": `{"Sid":"own","Action":"sqs:SendMessage","Odd":[1e3]}`,
	} {
		url := r.create(name, map[string]string{"Policy": `{"Version":"2012-10-17","Statement":` + statements + `}`})
		r.do("AddPermission", "QueueUrl", url, "Label", "added", "AWSAccountIds", []string{"668614515564"}, "Actions", []string{"SendMessage"})
		var got struct {
			Version   string
			Statement []json.RawMessage
		}
		if err := json.Unmarshal([]byte(r.get(url, "Policy")["Policy"]), &got); err != nil {
			t.Fatal(err)
		}
		if got.Version != "2012-10-17" || len(got.Statement) != 2 || string(got.Statement[0]) != `{"Sid":"own","Action":"sqs:SendMessage","Odd":[1e3]}` {
			t.Errorf("%s: %s %s", name, got.Version, got.Statement)
		}
	}
}

func TestPermissionRefusals(t *testing.T) {
	r := newRig(t)
	url := r.create("q", nil)
	add := func(kind *fault.Kind, text, label string, accounts, actions []string) {
		t.Helper()
		r.refuse(kind, text, "AddPermission", "QueueUrl", url, "Label", label, "AWSAccountIds", accounts, "Actions", actions)
	}
	one, send := []string{"668614515564"}, []string{"SendMessage"}
	add(fault.MissingParameter, "The request must contain the parameter Label.", "", one, send)
	add(fault.MissingParameter, "The request must contain the parameter AWSAccountIds.", "l", nil, send)
	add(fault.MissingParameter, "The request must contain the parameter Actions.", "l", one, nil)
	add(fault.InvalidParameterValue, "", "not a label", one, send)
	add(fault.InvalidParameterValue, "Value [a:b] for parameter PrincipalId is invalid. Reason: Unable to verify.", "l", []string{"a:b"}, send)
	add(fault.InvalidParameterValue, "Value SQS:Fly for parameter ActionName is invalid. Reason: Please refer to the appropriate WSDL for a list of valid actions. ", "l", one, []string{"Fly"})
	add(fault.InvalidParameterValue, "Value SQS:DeleteQueue for parameter ActionName is invalid. Reason: Only the queue owner is allowed to invoke this action.", "l", one, []string{"DeleteQueue"})
	r.refuse(fault.QueueDoesNotExist, "", "AddPermission", "QueueUrl", "nowhere", "Label", "l", "AWSAccountIds", one, "Actions", send)
	r.refuse(fault.QueueDoesNotExist, "", "RemovePermission", "QueueUrl", "nowhere", "Label", "l")
	r.refuse(fault.MissingParameter, "", "RemovePermission", "QueueUrl", url)
	wantMap(t, r.get(url, "Policy"), map[string]string{})
}
