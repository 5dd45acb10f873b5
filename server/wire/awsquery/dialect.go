package awsquery

import (
	"github.com/queen-mq/queen-sqs/server/fault"
	"github.com/queen-mq/queen-sqs/server/wire"
)

// dialect is how one service spells its responses.
type dialect struct {
	// declaration is what a document begins with. SQS was recorded to send one
	// without a line break after it. A recorded response of SNS has just the length
	// of a document without one.
	declaration string
	namespace   string
	// detail is whether an error has an empty Detail.
	detail bool
	// flat are lists without an element of their own: their items are repeated
	// under this name. A list that is not here is <Name><member>...</Name> over SNS
	// and repeated under its own name over SQS.
	flat map[string]string
	// maps are the maps; one that is not here is spelled as otherMap.
	maps     map[string]mapForm
	otherMap mapForm
	// lowerLists are the lists whose names are different in a JSON response.
	lowerLists map[string]string
}

// mapForm is how the entries of a map are spelled: each an element of that name
// with a key and a value, repeated in the structure that has the map, or wrapped
// in an element with the map's name.
type mapForm struct {
	entry, key, value string
	wrapped           bool
}

var snsMap = mapForm{entry: "entry", key: "key", value: "value", wrapped: true}

// dialects are indexed by wire.Service.
var dialects = [...]dialect{
	wire.SQS: {
		declaration: `<?xml version="1.0"?>`,
		namespace:   "http://queue.amazonaws.com/doc/2012-11-05/",
		detail:      true,
		flat: map[string]string{
			"QueueUrls":        "QueueUrl",
			"queueUrls":        "QueueUrl",
			"Messages":         "Message",
			"Failed":           "BatchResultErrorEntry",
			"Results":          "ListMessageMoveTasksResultEntry",
			"StringListValues": "StringListValue",
			"BinaryListValues": "BinaryListValue",
		},
		maps: map[string]mapForm{
			"Attributes":              {entry: "Attribute", key: "Name", value: "Value"},
			"MessageAttributes":       {entry: "MessageAttribute", key: "Name", value: "Value"},
			"MessageSystemAttributes": {entry: "MessageSystemAttribute", key: "Name", value: "Value"},
			"Tags":                    {entry: "Tag", key: "Key", value: "Value"},
		},
		otherMap:   snsMap,
		lowerLists: map[string]string{"Messages": "messages", "QueueUrls": "queueUrls"},
	},
	wire.SNS: {
		namespace: "http://sns.amazonaws.com/doc/2010-03-31/",
		maps:      map[string]mapForm{"Attributes": snsMap},
		otherMap:  snsMap,
	},
}

// form returns how a member is spelled if it is a map. The name decides for the
// maps that are known, so that an action may as well give a structure.
func (d *dialect) form(name string, v wire.Value) (mapForm, bool) {
	if k := v.Kind(); k != wire.KindMap && k != wire.KindObject {
		return mapForm{}, false
	}
	if f, ok := d.maps[name]; ok {
		return f, true
	}
	return d.otherMap, v.Kind() == wire.KindMap
}

// item is the name of a flat list's items.
func (d *dialect) item(list, action string) string {
	if list == "Successful" {
		return action + "ResultEntry"
	}
	if name, ok := d.flat[list]; ok {
		return name
	}
	return list
}

// queryCodes find the code of an entry that failed by its code over JSON: among
// the kinds of the service, then among those it shares or that are the other's.
// A code that is the service's own in the spelling of Query is left alone.
var queryCodes = func() (codes [len(dialects)]map[string]string) {
	for service := range codes {
		m := make(map[string]string)
		own, other := kinds(wire.Service(service))
		for _, k := range other {
			m[k.JSON] = k.Query
		}
		for _, k := range own {
			m[k.Query] = k.Query
		}
		for _, k := range own {
			m[k.JSON] = k.Query
		}
		codes[service] = m
	}
	return codes
}()

// kinds splits the catalog into the errors of a service and all others.
func kinds(service wire.Service) (own, other []*fault.Kind) {
	for _, k := range fault.Catalog() {
		if (k.Namespace == fault.NotFound.Namespace) == (service == wire.SNS) {
			own = append(own, k)
		} else {
			other = append(other, k)
		}
	}
	return own, other
}

// queryCode is a code in the spelling of Query; one that the catalog does not
// have over JSON is in it already.
func queryCode(service wire.Service, code string) string {
	if q, ok := queryCodes[service][code]; ok {
		return q
	}
	return code
}
