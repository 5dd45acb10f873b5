package digest

import (
	"strings"
	"testing"
)

func TestBody(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"This is a test message", "fafb00f5732ab283681e124bf8747ed1"},
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"héllo", "be50e8478cf24ff3595bc7307fb91b50"},
		{"message", "78e731027d8fd50ed642340b7c9a63b3"},
		{"Using name instead of URL", "86a83f96652a1bfad3891e7d523750cb"},
		{strings.Repeat("a", 1024), "c9a34cfc85d982698c6ac89f76071abd"},
		{strings.Repeat("a", 2040), "f44facf5a7ee0af446ecf3e0f854441e"},
		{`{"foo": "bar"}`, "94232c5b8fc9272f6f73a1e36eb68fcf"},
	} {
		if got := Body(c.body); got != c.want {
			t.Errorf("Body(%.30q) = %s, want %s", c.body, got, c.want)
		}
	}
}

func text(name, typ, value string) Attribute { return Attribute{Name: name, Type: typ, Value: value} }

func blob(name, typ, value string) Attribute {
	return Attribute{Name: name, Type: typ, Value: value, Binary: true}
}

func TestAttributes(t *testing.T) {
	helpMe, hello, general := text("Help.Me", "String", "Me"), text("Hello", "String", "There"), text("General", "String", "Kenobi")
	for _, c := range []struct {
		why   string
		attrs []Attribute
		want  string
	}{
		{"none", nil, ""},
		{"text", []Attribute{text("test-attribute", "String", "test-value")}, "c38e447bda89281029d55c818cc8b9f9"},
		{"number", []Attribute{text("count", "Number", "42")}, "2ee5fa915753ff72599b2514463a2897"},
		{"binary", []Attribute{blob("blob", "Binary", "\x00\x01\x02\xff")}, "3b1b4028306ffa157a32d5916f8f714b"},
		{"label", []Attribute{text("label", "String.foo", "bar")}, "58d3b219a649974d7b3c4c00ac2920a3"},
		{"four, unsorted", []Attribute{text("str", "String", "hello"), blob("bin", "Binary", "\x00\x01\x02\xff"),
			text("num", "Number", "42"), text("custom", "String.foo", "bar")}, "59a923d8b436253750446d622c646886"},
		{"system", []Attribute{text("AWSTraceHeader", "String", "Root=1-5759e988-bd862e3fe1be46a994272793")}, "62a56dd927315f2b2e12832b84617ea5"},
		{"k", []Attribute{text("k", "String", "x")}, "a45daa70926828a2f0a1db3418e6feb4"},
		{"all three", []Attribute{helpMe, hello, general}, "4c360f3fdafd970e05fae2f149d997f5"},
		{"two of three", []Attribute{hello, general}, "fca026605781cb4126a1e9044df24232"},
		{"one of three", []Attribute{hello}, "a311262e065454b75da111d535b8dacd"},
		{"by prefix", []Attribute{hello, helpMe}, "83fee93c1bcd8b9a5a923ffacdc636c7"},
		{"Foo", []Attribute{text("Foo", "String", "Bar")}, "ae7155c6026991b6d54b11589678bf9c"},
		{"MyAttribute", []Attribute{text("MyAttribute", "String", "foobar")}, "adb59cd4678ea5a855436b949cd07ab6"},
		{"timestamp", []Attribute{text("timestamp", "Number", "1493147359900")}, "235c5c510d26fb653d073faed50ae77c"},
		{"traceparent", []Attribute{blob("attr1", "Binary", "traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01")}, "8cbe4db156db8a94db8b801b7addb984"},
		{"trace header", []Attribute{text("AWSTraceHeader", "String", "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1")}, "5ae4d5d7636402d80f4eb6d213245a88"},
	} {
		t.Run(c.why, func(t *testing.T) {
			first := ""
			if len(c.attrs) > 0 {
				first = c.attrs[0].Name
			}
			if got := Attributes(c.attrs); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if len(c.attrs) > 0 && c.attrs[0].Name != first {
				t.Error("the caller's slice was reordered")
			}
		})
	}
}

func TestAttributesBeyondTheSmallBuffer(t *testing.T) {
	a := []Attribute{text("a", "String", strings.Repeat("x", 600)), text("b", "String", "y")}
	b := []Attribute{a[1], a[0]}
	if Attributes(a) != Attributes(b) {
		t.Error("the order of attributes changes the digest")
	}
}

func TestAllocations(t *testing.T) {
	body := strings.Repeat("x", 256)
	attrs := []Attribute{text("a", "String", "x"), text("b", "Number", "1")}
	if n := testing.AllocsPerRun(100, func() { Body(body) }); n > 1 {
		t.Errorf("Body allocates %v times, want the answer only", n)
	}
	if n := testing.AllocsPerRun(100, func() { Attributes(attrs) }); n > 1 {
		t.Errorf("Attributes allocates %v times, want the answer only", n)
	}
}
