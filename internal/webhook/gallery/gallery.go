// Package gallery owns the templates that the form of a webhook offers: for each well-known receiver the request that
// it understands. They are examples; what is saved is a copy that its author may change.
//
// Names and values of records are other people's text. Every template passes them through tojson, so that they can't
// break the body, and escapes what the receiver would read as markup or as a mention.
package gallery

import (
	_ "embed"
	"net/http"
)

// Template fills in the form.
type Template struct {
	Key         string // stable, for addresses and files
	Name        string
	Help        string // what to do at the receiver, and what it will show
	Method      string
	ContentType string
	Headers     string // <…> marks what the author must fill in
	Body        string
	URL         string // shows the form of the address; not one to send to
}

// One file each, so that a template can be read and tried as it is.
var (
	//go:embed slack.jinja
	slack string
	//go:embed teams.jinja
	teams string
	//go:embed mattermost.jinja
	mattermost string
	//go:embed gitlab.jinja
	gitlab string
	//go:embed json.jinja
	smallJSON string
)

// All lists the templates in the order in which they are offered.
func All() []Template {
	return []Template{
		{
			Key: "slack", Name: "Slack",
			Help: "Create an incoming webhook in a Slack app and use its address as the URL. The channel shows who did what to which record, " +
				"up to ten changed fields with their values before and after, and a link.",
			Method: http.MethodPost, ContentType: "application/json", Body: slack,
			URL: "https://hooks.slack.com/services/T000/B000/XXXX",
		},
		{
			Key: "teams", Name: "Microsoft Teams",
			Help: "In the channel's menu choose Workflows, then the one that posts to a channel when a webhook request is received, " +
				"and use the address " +
				"it shows as the URL. The channel shows a card with who did what to which record, up to ten changed fields and a button " +
				"that opens the record.",
			Method: http.MethodPost, ContentType: "application/json", Body: teams,
			URL: "https://example.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/0000/" +
				"triggers/manual/paths/invoke?api-version=1&sig=XXXX",
		},
		{
			Key: "mattermost", Name: "Mattermost",
			Help: "Create an incoming webhook under Integrations and use its address as the URL. The channel shows a message with a " +
				"coloured border: who did " +
				"what to which record, with a link, and up to ten changed fields.",
			Method: http.MethodPost, ContentType: "application/json", Body: mattermost,
			URL: "https://mattermost.example.org/hooks/XXXX",
		},
		{
			Key: "gitlab", Name: "GitLab pipeline",
			Help: "Starts a pipeline on the branch that the body names as ref. Put the project's number into the URL and a " +
				"project access token " +
				"with the scope api into the header, where it is kept encrypted. In GitLab, allow that role to use pipeline variables " +
				"(Settings, CI/CD, Variables). Jobs see " +
				"TERRIER_EVENT, TERRIER_MODEL, TERRIER_ID, TERRIER_REQUEST_ID and TERRIER_LINK, and in TERRIER_CHANGE, as JSON, also the names " +
				"and values, which are other people's text: quote it.",
			Method: http.MethodPost, ContentType: "application/json", Body: gitlab,
			Headers: "PRIVATE-TOKEN: <project access token>",
			URL:     "https://gitlab.example.org/api/v4/projects/1/pipeline",
		},
		{
			Key: "json", Name: "Small JSON",
			Help: "For a script of your own: one flat JSON object with the event, the record, who did it, the names of the changed " +
				"fields and a link. " +
				"Leave the body empty instead to send everything.",
			Method: http.MethodPost, ContentType: "application/json", Body: smallJSON,
			URL: "https://receiver.example.org/terrier",
		},
	}
}
