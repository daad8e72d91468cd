package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// mapping returns the fields of a form that says what the columns of a file mean: heading, column, heading, column …
func mapping(text, mode string, pairs ...string) url.Values {
	form := url.Values{"text": {text}, "mode": {mode}, "format": {""}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add("heading", pairs[i])
		form.Add("column", pairs[i+1])
	}
	return form
}

var selectedColumn = regexp.MustCompile(`aria-label="Field of ([^"]*)">` +
	`(?:<option value="[^"]*">[^<]*</option>)*<option value="([^"]*)" selected>`)

// chosen returns which columns a page has selected, by the headings of the file.
func chosen(a apitest.Answer) map[string]string {
	out := map[string]string{}
	for _, m := range selectedColumn.FindAllStringSubmatch(string(a.Raw), -1) {
		out[m[1]] = m[2]
	}
	return out
}

// TestMapColumns: a file with unknown headings is shown with what they probably mean, then checked and imported by what was chosen.
func TestMapColumns(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/dcim/regions/", obj{"name": "Southern Europe", "slug": "south"})
	create(t, s, "/api/extras/custom-fields/",
		obj{"name": "owner", "label": "Owned by", "type": "text", "content_types": []string{"dcim.site"}})
	const path = "/dcim/sites/import/"
	const text = "\nName,Slug,Region name,State,Owned by,Notes\n" +
		"Lisbon 1,lisbon-1,Southern Europe,active,Ana,n1\nLisbon 2,lisbon-2,south,planned,,n2\n"
	for _, mode := range []string{"check", "import"} { // nothing is guessed without asking
		asked := b.paste(t, path, text, mode).Want(t, http.StatusOK)
		shows(t, asked, "Columns of the file", "Southern Europe<br>south", `>Skip this column</option>`, "</textarea>")
		want := map[string]string{"Name": "name", "Slug": "slug", "Region name": "region", "Owned by": "cf_owner"}
		if got := chosen(asked); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: selected are %v, want %v", mode, got, want)
		}
		if body := string(asked.Raw); !strings.Contains(body, ">\n\nName,Slug,") { // HTML leaves out the first line end
			t.Error("the lines of the text are counted from another one")
		}
	}
	said := []string{"Name", "name", "Slug", "slug", "Region name", "region", "State", "status", "Owned by", "cf_owner", "Notes", ""}
	bad := strings.Replace(strings.Replace(text, "Southern Europe", "Atlantis", 1), "planned", "asleep", 1)
	wrong := b.post(t, path, mapping(bad, "check", said...)).Want(t, http.StatusBadRequest)
	shows(t, wrong, "<td>3</td>", "<td>Region name</td>", `There is no region &#34;Atlantis&#34;`, "<td>4</td>", "<td>State</td>")
	if got := chosen(wrong); got["State"] != "status" || got["Notes"] != "" {
		t.Errorf("after errors, selected are %v", got)
	}
	twice := append([]string{}, said...)
	twice[7] = "name"
	shows(t, b.post(t, path, mapping(text, "import", twice...)).Want(t, http.StatusBadRequest),
		`line 2: the columns &#34;Name&#34; and &#34;State&#34; are both mapped to name. Skip one of them.`, `aria-label="Field of State"`)
	shows(t, b.post(t, path, mapping(text, "import", "Name", "nobody", "Slug", "slug",
		"Region name", "region", "State", "", "Owned by", "", "Notes",
		"")).Want(t, http.StatusBadRequest), "column &#34;nobody&#34; is unknown")
	if n := list(t, s, "/api/dcim/sites/").Count; n != 0 {
		t.Errorf("%d sites", n)
	}
	shows(t, b.post(t, path, mapping(text, "check", said...)).Want(t, http.StatusOK), "2 sites would be created")
	if got := note(t, b, b.post(t, path, mapping(text, "import", said...))); got != "Created 2 sites." {
		t.Error(got)
	}
	if n := list(t, s, "/api/dcim/sites/?region=south&status=active&cf_owner=Ana").Count; n != 1 {
		t.Errorf("%d sites are as the file says, want 1", n)
	}
}

// TestMapUploadedFile: without JavaScript an uploaded file comes back as text with the next form; with htmx the browser still has it.
func TestMapUploadedFile(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	const path, text = "/dcim/sites/import/", "Name,Slug\n- <b>&amp;,x1\n"
	asked := b.upload(t, path, "x.csv", text, "mode", "check").Want(t, http.StatusOK)
	shows(t, asked, "Name,Slug\n- &lt;b&gt;&amp;amp;,x1\n</textarea>", `<option value="csv" selected>`)
	hides(t, b.upload(t, path, "x.csv", "name,slug\nx,x\n", "mode", "check").Want(t, http.StatusOK), "name,slug\nx,x", "Columns of the file")
	kept := with(mapping(text, "import", "Name", "name", "Slug", "slug"), "format", "csv")
	if got := note(t, b, b.post(t, path, kept)); got != "Created 1 site." {
		t.Error(got)
	}
	live := []string{"Hx-Request", "true", "Hx-Target", "outcome"}
	part := b.post(t, path, url.Values{"text": {text}, "format": {"csv"}}, live...).Want(t, http.StatusOK)
	shows(t, part, `<div id="file-columns" hx-swap-oob="true">`, `aria-label="Field of Name"`)
	hides(t, part, "<html", "<textarea")
	part = b.post(t, path, url.Values{"text": {"name\nx\n"}}, live...).Want(t, http.StatusOK)
	shows(t, part, `<div id="file-columns" hx-swap-oob="true">`)
	hides(t, part, "Field of")
	// What was said about another file does not count.
	part = b.post(t, path, mapping("name,slug\nx,no slug\n", "check", "Slug", "name", "Other", "slug"), live...).Want(t, http.StatusOK)
	shows(t, part, "<td>Slug</td>")
	hides(t, part, "Field of")
}

// TestHostileHeadings: a heading is text, and there is a limit to what people are asked.
func TestHostileHeadings(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	const path = "/dcim/sites/import/"
	script := `"><script>alert(1)</script>`
	quoted := `"` + strings.ReplaceAll(script, `"`, `""`) + `"`
	asked := b.paste(t, path, quoted+",name,slug\n<img src=x onerror=alert(2)>,a,a\n", "check").Want(t, http.StatusOK)
	shows(t, asked, `value="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"`, "<td>&lt;img src=x onerror=alert(2)&gt;</td>")
	hides(t, asked, "<script>alert", "<img src=x")
	for name, c := range map[string]struct {
		text   string
		status int
		says   string
	}{
		"10,000 columns":      {strings.Repeat("a,", 10_000) + "\n", http.StatusRequestEntityTooLarge, "at most 2000 columns"},
		"1,000 columns":       {"name," + strings.Repeat("a,", 1_000) + "\n", http.StatusBadRequest, "column &#34;a&#34; is there twice"},
		"duplicate columns":   {"Name,Notes,Notes\na,b,c\n", http.StatusBadRequest, "line 1: column &#34;Notes&#34; is there twice"},
		"a long heading":      {strings.Repeat("x", 5_000) + ",name\na,b\n", http.StatusBadRequest, "xxx…&#34; is unknown"},
		"one that is no text": {"Na\x00me,slug\na,b\n", http.StatusOK, `value="Na me"`},
	} {
		answer := b.post(t, path, url.Values{"text": {c.text}, "format": {"csv"}}).Want(t, c.status)
		shows(t, answer, c.says)
		if len(answer.Raw) > 1<<20 {
			t.Errorf("%s: the page has %d bytes", name, len(answer.Raw))
		}
	}
}
