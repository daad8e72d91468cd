package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestManageWebhooks: a webhook is created, paused, resumed, and its failed deliveries are sent again.
func TestManageWebhooks(t *testing.T) {
	h := newHooked(t)
	says, err := runCommand(t, "s3cret\n", "webhook", "create", "Chat", h.receiver.URL+"/bad", "--type", "dcim.site", "--on", "create",
		"--secret-stdin")
	if err != nil || !strings.Contains(says, "created webhook Chat with id ") {
		t.Fatalf("%s%v", says, err)
	}
	h.want(false, []string{"create", "Chat", h.receiver.URL, "--type", "dcim.site"}, "name: ")
	h.want(false, []string{"create", "Other", h.receiver.URL, "--type", "dcim.sit"}, "dcim.sit")
	h.want(false, []string{"create", "Other", h.receiver.URL}, "--type")
	h.want(false, []string{"create", "Other", h.receiver.URL, "--type", "dcim.site", "--on", "read"}, "create")
	hook, err := h.Webhook(t.Context(), "Chat")
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.Ledger.Get(t.Context(), h.root, h.Registry.Type("extras.webhook"), hook.ID)
	if err != nil || !v.Bool("type_create") || v.Bool("type_update") || v.Bool("type_delete") || v.Get("secret") == nil {
		t.Errorf("it was created as %v (%v)", v, err)
	}

	h.want(true, []string{"pause", "Chat"}, "paused webhook Chat")
	h.want(true, []string{"list"}, "paused")
	h.want(true, []string{"resume", fmt.Sprint(hook.ID)}, "resumed webhook Chat")
	h.want(true, []string{"list"}, "healthy")
	h.want(false, []string{"pause", "chat"}, `no webhook "chat"; did you mean "Chat"`)

	h.want(true, []string{"retry", "Chat"}, "queued 0 deliveries again")
	h.work()
	h.site(1)
	<-h.bodies
	h.until("the delivery has failed", func() bool {
		hooks, err := h.Webhooks(t.Context())
		return err == nil && len(hooks) == 1 && hooks[0].Failed == 1
	})
	h.want(true, []string{"retry", "Chat", "--dry-run"}, "1 delivery would be sent again")
	h.want(true, []string{"retry", "Chat"}, "queued 1 delivery again")
	<-h.bodies
}

// TestLists: what people see as a table, programs get as JSON. The key of a token is not in it.
// TestEveryListHasJSON: whatever shows what was found can show it to programs.
func TestEveryListHasJSON(t *testing.T) {
	parser, _, err := newParser(streams{})
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for _, leaf := range parser.Model.Leaves(true) {
		if !slices.Contains([]string{"list", "preview", "doctor"}, leaf.Name) {
			continue
		}
		lists++
		if !slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == "json" }) {
			t.Errorf("%s has no --json", leaf.Path())
		}
	}
	if lists < 5 {
		t.Errorf("%d commands list something, want at least 5", lists)
	}
}

func TestLists(t *testing.T) {
	h := newHooked(t)
	h.hook("Chat", "/room")
	if says, err := runCommand(t, "correct horse battery\n", "user", "create", "joe", "--password-stdin"); err != nil {
		t.Fatal(says)
	}
	key, err := runCommand(t, "", "token", "create", "joe", "--description", "<pipeline>")
	if err != nil {
		t.Fatal(key)
	}
	for command, want := range map[string]map[string]any{
		"webhook list": {"name": "Chat", "state": "healthy", "content_types": []any{"dcim.site"}, "queued": 0.0,
			"payload_url": h.receiver.URL + "/room"},
		"user list":      {"username": "joe", "is_active": true, "is_superuser": false},
		"token list joe": {"description": "<pipeline>", "expires": nil, "write_enabled": true},
	} {
		says, err := runCommand(t, "", append(strings.Fields(command), "--json")...)
		var found []map[string]any
		if err == nil {
			err = json.Unmarshal([]byte(says), &found)
		}
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %s%v", command, says, err)
			continue
		}
		for name, value := range want {
			if fmt.Sprint(found[0][name]) != fmt.Sprint(value) {
				t.Errorf("%s: %s is %v, want %v", command, name, found[0][name], value)
			}
		}
		if lines := strings.Fields(key); strings.Contains(says, lines[len(lines)-1]) || strings.Contains(says, "s3cret") {
			t.Errorf("%s shows a secret: %s", command, says)
		}
	}
	if says, err := runCommand(t, "", "webhook", "list", "--json"); err != nil || strings.Contains(says, `\u003c`) {
		t.Errorf("%s%v", says, err)
	}
}

// TestExportCommand: what export prints, import reads.
func TestExportCommand(t *testing.T) {
	h := newHooked(t)
	for n := range 3 {
		h.site(n)
	}
	for _, format := range []string{"csv", "json", "yaml"} {
		says, err := runCommand(t, "", "export", "dcim.site", "--format", format)
		file, found := strings.CutSuffix(says, "records exported: 3\n")
		if err != nil || !found || !strings.Contains(file, "site-2") {
			t.Errorf("%s: %s%v", format, says, err)
		}
		if says, err := runCommand(t, file, "import", "dcim.site", "-"); err != nil || says != "rows imported: 3\n" {
			t.Errorf("%s can't be imported: %s%v", format, says, err)
		}
	}
	if says, err := runCommand(t, "", "export", "dcim.sites"); err == nil || !strings.Contains(says, "did you mean dcim.site?") {
		t.Errorf("%s%v", says, err)
	}
	says, err := runCommand(t, "", "export", "dcim.region")
	if err != nil || !slices.Contains(strings.Split(says, "\n"), "records exported: 0") {
		t.Errorf("an empty type: %s%v", says, err)
	}
}
