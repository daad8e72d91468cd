package demo

// fate says what happens to the deliveries of a webhook.
type fate int

const (
	healthy  fate = iota
	failing       // its receiver answers 502 since two days ago
	held          // its receiver is away since yesterday
	paused        // since yesterday
	disabled      // since five days ago
)

// hook is a webhook, with its id as soon as it has one.
type hook struct {
	name, url string
	types     []string
	fate      fate
	more      in // other fields
	id        int64
}

// The receivers are paths of the test listener. `terrier webhook_receiver --fail /cmdb` answers as the failing one does. The held webhook
// has a name below .example, which never exists: its probes find nothing, so it stays held.
const (
	listener       = "http://localhost:9000"
	listenerSecret = "s3cret" // in docs/first-steps.md
)

var hooks = []hook{
	{name: "Chat", url: listener + "/chat", types: []string{"dcim.site", "dcim.device", "dcim.rack", "ipam.vlan"},
		fate: healthy, more: in{"hold_on_failure": true, "max_retries": 10}},
	{name: "CMDB", url: listener + "/cmdb", types: []string{"ipam.prefix", "ipam.ipaddress", "ipam.vlan"}, fate: failing,
		more: in{"max_retries": 10}},
	{name: "DNS", url: "https://dns.example/update", types: []string{"ipam.ipaddress"}, fate: held, more: in{"hold_on_failure": true}},
	{name: "Monitoring", url: listener + "/monitoring", types: []string{"dcim.device", "virtualization.virtualmachine"},
		fate: paused, more: in{"conditions": mounted}},
	{name: "Tickets", url: listener + "/tickets", types: []string{"dcim.site", "dcim.rackreservation"}, fate: disabled},
}

// mounted can't be evaluated for devices without a position, nor for virtual machines: that makes condition errors.
var mounted = in{"or": []in{{"attr": "position", "op": "gte", "value": 1}, {"attr": "vcpus", "op": "gte", "value": 1}}}

// How many days ago a webhook was stopped, or its receiver stopped working.
const (
	failingSince  = 2
	awaySince     = 1
	pausedSince   = 1
	disabledSince = 5
)

// addWebhooks adds the webhooks. All are paused until their deliveries are written, so that a worker that runs does not try them.
func (n *network) addWebhooks() {
	n.by = n.people[4]
	n.hooks = hooks[:0:0]
	for _, h := range hooks {
		input := in{"name": h.name, "payload_url": h.url, "secret": listenerSecret, "content_types": h.types,
			"type_create": true, "type_update": true, "type_delete": true}
		for name, value := range h.more {
			input[name] = value
		}
		h.id = n.add("extras.webhook", input)[0]
		n.act("POST extras.webhook/pause", h.id)
		n.hooks = append(n.hooks, h)
	}
}

// stopWebhooks disables and pauses webhooks on the day on which somebody did so.
func (n *network) stopWebhooks(ago int) {
	for _, h := range n.hooks {
		if h.fate == disabled && ago == disabledSince+1 {
			n.change("extras.webhook", in{"enabled": false}, h.id)
		}
		if h.fate == paused && ago == pausedSince+1 {
			n.act("POST extras.webhook/resume", h.id)
			n.act("POST extras.webhook/pause", h.id)
		}
	}
}
