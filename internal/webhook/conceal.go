package webhook

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// shortestConcealed is how many characters a value must have to count as a credential. Shorter ones are ordinary
// words, which an answer may contain for other reasons.
const shortestConcealed = 6

// Conceal hides, in a receiver's answer, the values of the headers that the webhook's author wrote: some receivers
// answer with the request they got, and answers are kept. In a body that is cut off, it also hides the beginning of
// such a value at the end.
func (r *Request) Conceal(header http.Header, body []byte, cut bool) (http.Header, []byte) {
	secrets := r.credentials()
	if len(secrets) == 0 {
		return header, body
	}
	kept := make(http.Header, len(header))
	for name, values := range header {
		for _, v := range values {
			kept[name] = append(kept[name], string(hide([]byte(v), secrets, false)))
		}
	}
	return kept, hide(body, secrets, cut)
}

// credentials returns the values of private headers. Of "Bearer abcdef" the receiver may repeat the second word
// alone. The value of Accept is no secret, and the answer's content type repeats it.
func (r *Request) credentials() [][]byte {
	var all [][]byte
	for _, name := range r.Private {
		switch name {
		case "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language":
			continue
		}
		value := r.Header.Get(name)
		_, second, _ := strings.Cut(value, " ")
		for _, secret := range []string{value, strings.TrimSpace(second)} {
			if utf8.RuneCountInString(secret) >= shortestConcealed {
				all = append(all, []byte(secret))
			}
		}
	}
	return all
}

func hide(text []byte, secrets [][]byte, cut bool) []byte {
	found := find(view{text: text}, secrets, cut)
	if bytes.IndexByte(text, '\\') >= 0 {
		found = append(found, find(unescape(text), secrets, cut)...)
	}
	if found == nil {
		return text
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	end := 0 // of the part that is done
	for _, s := range found {
		if s.start >= end {
			out = append(append(out, text[end:s.start]...), Hidden...)
		}
		end = max(end, s.end)
	}
	return append(out, text[end:]...)
}

// span is a part of a text.
type span struct{ start, end int }

func find(v view, secrets [][]byte, cut bool) []span {
	var found []span
	for _, secret := range secrets {
		for from := 0; ; {
			i := bytes.Index(v.text[from:], secret)
			if i < 0 {
				break
			}
			from += i + len(secret)
			found = append(found, span{v.place(from - len(secret)), v.place(from)})
		}
	}
	if cut {
		if n := v.beginning(secrets); n > 0 {
			found = append(found, span{v.place(len(v.text) - n), v.place(len(v.text))})
		}
	}
	return found
}

// beginning returns how many bytes of a secret's beginning are at the end of the text.
func (v view) beginning(secrets [][]byte) (most int) {
	for _, secret := range secrets {
		for n := min(len(secret)-1, len(v.text)); n > most; n-- {
			if bytes.HasSuffix(v.text, secret[:n]) {
				most = n
			}
		}
	}
	return most
}

// view is a text, either as it is or with its JSON escapes decoded.
type view struct {
	text []byte
	at   []int // where each byte is in the text, and the end; nil if the text is as it is
}

func (v view) place(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// unescape decodes every JSON escape, whether or not the text is JSON. An escape that is cut off at the end belongs
// to what precedes it.
func unescape(text []byte) view {
	v := view{text: make([]byte, 0, len(text)), at: make([]int, 0, len(text)+1)}
	for i := 0; i < len(text); {
		size := 1
		if text[i] == '\\' {
			var c rune
			if c, size = readEscape(text[i:]); size == 0 {
				break
			}
			v.text = utf8.AppendRune(v.text, c)
		} else {
			v.text = append(v.text, text[i])
		}
		for len(v.at) < len(v.text) {
			v.at = append(v.at, i)
		}
		i += size
	}
	v.at = append(v.at, len(text))
	return v
}

// readEscape reads the first character of a text. The size is 0 if its end is missing. Characters that take two
// escapes are not joined: no credential contains them.
func readEscape(text []byte) (c rune, size int) {
	switch {
	case len(text) < len(`\n`):
		return 0, 0
	case text[1] != 'u':
		if i := strings.IndexByte("bfnrt", text[1]); i >= 0 {
			return rune("\b\f\n\r\t"[i]), len(`\n`)
		}
		if strings.IndexByte(`"\/`, text[1]) >= 0 {
			return rune(text[1]), len(`\n`)
		}
		return '\\', 1
	case len(text) < len(`\u0000`):
		return 0, 0
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return '\\', 1
	}
	return rune(n), len(`\u0000`)
}
