package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// builtRequest is a request of a client, made from the source of a release.
type builtRequest struct {
	Release, File, Method, Path string
	Header                      map[string]string
	Body                        json.RawMessage
	Status                      int
	AnswerHeader                map[string]string `json:"answer_header"`
	Count                       *int              // of a page, or of a list
	Has                         any               // a part of the answer
	Keep                        map[string]string // paths into the answer, by the word that later requests name their value by
}

// TestRequestsOfTheNewestClients plays the requests of test/clients/newest.json in their order, each of which names the release and the
// file that make it. They are built from source, not recorded.
func TestRequestsOfTheNewestClients(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../clients/newest.json")
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Note     string
		Requests []builtRequest
	}
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	s := apitest.New(t)
	known := map[string]string{"token": s.Admin, "password": apitest.Password}
	releases := map[string]int{}
	for i, x := range data.Requests {
		name := fmt.Sprintf("%d %s %s: %s %s", i+1, x.Release, x.File, x.Method, x.Path)
		if x.Release == "" || x.File == "" {
			t.Fatalf("%s names no release or file", name)
		}
		releases[x.Release]++
		a := s.Do(t, x.call(s, known))
		if a.Status != x.Status {
			t.Errorf("%s: %d %.300s, want %d", name, a.Status, a.Raw, x.Status)
			continue
		}
		x.judge(t, name, a, known)
	}
	if len(releases) != 2 || len(data.Requests) < 60 {
		t.Errorf("%d requests of %v", len(data.Requests), releases)
	}
}

// call is the request with the values of earlier answers.
func (x builtRequest) call(s *apitest.Server, known map[string]string) apitest.Call {
	call := apitest.Call{Method: x.Method, Path: filled(x.Path, known), Token: s.Admin, Header: map[string]string{}}
	if !strings.HasPrefix(call.Path, "/") {
		call.Path = "/api/" + call.Path
	}
	maps.Copy(call.Header, x.Header)
	if x.Body != nil {
		call.Body = filled(string(x.Body), known)
	}
	return call
}

// filled puts values in the place of words in braces. An id in a body is a number.
func filled(text string, known map[string]string) string {
	for word, value := range known {
		if _, err := strconv.Atoi(value); err == nil {
			text = strings.ReplaceAll(text, `"{`+word+`}"`, value)
		}
		text = strings.ReplaceAll(text, "{"+word+"}", value)
	}
	return text
}

// judge compares an answer, and keeps what later requests need.
func (x builtRequest) judge(t *testing.T, name string, a apitest.Answer, known map[string]string) {
	t.Helper()
	for key, want := range x.AnswerHeader {
		if got := a.Header.Get(key); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s is %q, want %q", name, key, got, want)
		}
	}
	if x.Has == nil && x.Count == nil && x.Keep == nil {
		return
	}
	var got any
	a.Read(t, &got)
	if x.Count != nil {
		if n := inAnswer(got, "count"); n != float64(*x.Count) {
			t.Errorf("%s: counts %v, want %d", name, n, *x.Count)
		}
	}
	if !includes(got, x.Has) {
		t.Errorf("%s: %.400s has no %v", name, a.Raw, x.Has)
	}
	for word, path := range x.Keep {
		switch value := inAnswer(got, path).(type) {
		case float64:
			known[word] = strconv.FormatFloat(value, 'f', 0, 64)
		case string:
			_, after, _ := strings.Cut(value, "/api/")
			known[word] = after
		default:
			t.Fatalf("%s: %.300s has no %s", name, a.Raw, path)
		}
	}
}

// inAnswer returns the value at a path such as results.0.id, nil if there is none.
func inAnswer(in any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch value := in.(type) {
		case map[string]any:
			in = value[step]
		case []any:
			if step == "count" {
				return float64(len(value))
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(value) {
				return nil
			}
			in = value[i]
		default:
			return nil
		}
	}
	return in
}

// includes reports whether a value has what is wanted: an object the wanted members, a list those at its begin, anything else is equal.
func includes(got, want any) bool {
	switch want := want.(type) {
	case nil:
		return true
	case map[string]any:
		object, ok := got.(map[string]any)
		for key, value := range want {
			has, is := object[key]
			if !ok || !is || value == nil && has != nil || !includes(has, value) {
				return false
			}
		}
		return true
	case []any:
		list, ok := got.([]any)
		for i, value := range want {
			if !ok || i >= len(list) || !includes(list[i], value) {
				return false
			}
		}
		return true
	}
	return got == want
}
