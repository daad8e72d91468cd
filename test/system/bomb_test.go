package system_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

const mebibyte = 1 << 20

// The memory that requests may cost, and the memory at which the test gives up to protect the machine. A bulk request of the allowed size
// is not a bomb, but a hundred of them must not cost a hundred times as much.
const (
	growthTarget     = 64 * mebibyte
	growthTargetBulk = 256 * mebibyte
	growthEnd        = 1536 * mebibyte
)

// guard kills the server when it uses more memory than the limit, to protect the machine.
func guard(t *testing.T, s *server, limit int) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-s.Ended:
				return
			case <-tick.C:
				if held := s.Memory("VmRSS"); held > limit {
					t.Errorf("the server held %d MiB and was killed", held/mebibyte)
					s.Kill()
					return
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// filled returns a text of n bytes: head, the unit again and again, tail.
func filled(n int, head, unit, tail string) []byte {
	times := (n - len(head) - len(tail)) / len(unit)
	return slices.Concat([]byte(head), bytes.Repeat([]byte(unit), times), []byte(tail))
}

type bomb struct {
	name   string
	body   []byte
	status []int // any of these
}

func bombs() []bomb {
	bad, large := []int{http.StatusBadRequest}, []int{http.StatusRequestEntityTooLarge}
	either := []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}
	deep := func(n int, open, end string) []byte {
		return []byte(`{"name":"x","slug":"x","custom_fields":` + strings.Repeat(open, n) + "1" + strings.Repeat(end, n) + "}")
	}
	return []bomb{
		{"lists inside lists", filled(mebibyte-10, "", "[", ""), bad},
		{"objects inside objects", deep(100_000, `{"a":`, "}"), bad},
		{"nesting just over the limit", deep(65, "[", "]"), bad},
		{"nesting within the limit", deep(60, "[", "]"), bad},
		{"a number of a million digits", filled(mebibyte-100, `{"name":"x","slug":"x","latitude":`, "9", "}"), bad},
		{"a number with a huge exponent", []byte(`{"name":"x","slug":"x","latitude":1e999999999}`), bad},
		{"a number with a tiny exponent", []byte(`{"name":"x","slug":"x","latitude":1e-999999999,"status":"no"}`), bad},
		{"an id of a million digits", filled(mebibyte-100, `{"name":"x","slug":"x","region":`, "9", "}"), bad},
		{"a custom field with a huge exponent", []byte(`{"name":"x","slug":"x","custom_fields":{"n":1e999999999}}`), bad},
		{"a name of a megabyte", filled(mebibyte-100, `{"slug":"x","name":"`, "n", `"}`), bad},
		{"escapes", filled(mebibyte-100, `{"slug":"x","name":"`, `\u0041`, `"}`), bad},
		{"a hundred thousand keys", manyKeys(100_000), either},
		{"an object over its limit", filled(2*mebibyte, `{"name":"`, "n", `"}`), large},
		{"a list over its limit", filled(16*mebibyte+1000, "[{}", ",{}", "]"), large},
		{"millions of numbers", filled(16*mebibyte-1000, "[1", ",1", "]"), either},
		{"millions of objects", filled(16*mebibyte-1000, "[{}", ",{}", "]"), either},
		{"millions of lists", filled(16*mebibyte-1000, "[[]", ",[]", "]"), either},
		{"millions of texts", filled(16*mebibyte-1000, `[""`, `,""`, "]"), either},
		{"a short list of numbers", filled(15_000, `{"name":"x","slug":"x","tags":[1`, ",1", "]}"), bad},
		{"a longer list of numbers", filled(250_000, `{"name":"x","slug":"x","tags":[1`, ",1", "]}"), either},
		{"as many numbers as fit", filled(590_000, `[{"name":"x","slug":"x","tags":[1`, ",1", "]}]"), either},
		{"ten thousand objects", filled(560_000, `[{"name":"x"}`, `,{"name":"x","slug":"x","status":"x","latitude":"x"}`, "]"), either},
	}
}

func manyKeys(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"slug":"x"`)
	for i := range n {
		fmt.Fprintf(&b, `,"%d":0`, i)
	}
	b.WriteString("}")
	return b.Bytes()
}

// TestBombsCostLittleMemory sends hostile bodies to a server, one after the other and then a hundred at once.
func TestBombsCostLittleMemory(t *testing.T) {
	in := newInstall(t, dbtest.New(t))
	// The server accepts one large body of a caller at a time. So it takes several callers to fill the memory.
	keys := make([]string, 8)
	for i := range keys {
		name := fmt.Sprint("admin", i)
		in.User(name, "right password", "--superuser")
		keys[i] = in.Token(name)
	}
	admin := keys[0]
	s := in.Serve()

	// The memory that a busy server uses anyway must not count. So a bulk create and a long list come first.
	sites := make([]object, 1000)
	for i := range sites {
		name := fmt.Sprintf("site-%d", i)
		sites[i] = object{"name": name, "slug": name}
	}
	s.Do(http.MethodPost, "/api/dcim/sites/", admin, sites).Want(t, http.StatusCreated)
	s.Get("/api/dcim/sites/?limit=0", admin).Want(t, http.StatusOK)
	before := s.Memory("VmHWM")
	release := sync.OnceFunc(guard(t, s, before+growthEnd))
	defer release()

	// throw sends a body. The server may refuse a body and close the connection before it has read all of it: a body over its limit or,
	// with many at once, any that is not small.
	throw := func(b bomb, key string, most int) {
		a := s.Do(http.MethodPost, "/api/dcim/sites/", key, b.body)
		switch {
		case a.Err != nil && len(b.body) > most && !errors.Is(a.Err, os.ErrDeadlineExceeded):
		case key == "" && a.Status == http.StatusForbidden:
		case key == "" && slices.Contains(b.status, a.Status):
		case key != "" && slices.Contains(b.status, a.Status):
		case a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable: // too much at once
		default:
			t.Errorf("%s (%d bytes): %d, want %v: %.300v", b.name, len(b.body), a.Status, b.status, a)
		}
	}
	all := bombs()
	for _, b := range all {
		began := time.Now()
		throw(b, admin, mebibyte)
		took := time.Since(began)
		t.Logf("%-36s %8d bytes %6d ms, most memory + %d MiB", b.name, len(b.body), took.Milliseconds(), (s.Memory("VmHWM")-before)/mebibyte)
	}
	one := s.Memory("VmHWM") - before

	// Half of the hundred come without a login: an anonymous client must not cost more than a user.
	const atOnce = 100
	together := func(name string, pick func(i int) bomb) {
		var wg sync.WaitGroup
		for i := range atOnce {
			wg.Go(func() { throw(pick(i/2), []string{keys[i/2%len(keys)], ""}[i%2], 256<<10) })
		}
		wg.Wait()
		most := s.Memory("VmHWM")
		if most == 0 {
			t.Fatalf("the server did not survive: %s", name)
		}
		t.Logf("%d at once: %-24s most memory + %d MiB", atOnce, name, (most-before)/mebibyte)
	}
	together("all kinds", func(i int) bomb { return all[i%len(all)] })
	for _, b := range all {
		if strings.Contains(b.name, "list of numbers") {
			together(b.name, func(int) bomb { return b })
		}
	}
	most := s.Memory("VmHWM") - before
	t.Logf("bombs: most memory + %d MiB one by one, + %d MiB with %d at once", one/mebibyte, most/mebibyte, atOnce)
	if most > growthTarget {
		t.Errorf("bombs cost %d MiB of memory, want less than %d", most/mebibyte, growthTarget/mebibyte)
	}

	item := `,{"name":"x","slug":"x","description":"` + strings.Repeat("d", 1600) + `"}`
	full := bomb{"full bulk of bad objects", filled(16*mebibyte-2000, `[{"name":"x"}`, item, "]"),
		[]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}}
	throw(full, admin, mebibyte)
	one = s.Memory("VmHWM") - before
	together(full.name, func(int) bomb { return full })
	most = s.Memory("VmHWM") - before
	t.Logf("bulks of 16 MiB: most memory + %d MiB for one, + %d MiB with %d at once; held now: %d MiB", one/mebibyte, most/mebibyte,
		atOnce, s.Memory("VmRSS")/mebibyte)
	if most > growthTargetBulk {
		t.Errorf("bulks as large as allowed cost %d MiB of memory, want less than %d", most/mebibyte, growthTargetBulk/mebibyte)
	}
	release()
	s.Get("/api/dcim/sites/", admin).Want(t, http.StatusOK)
	if _, errorsLogged, found := strings.Cut(s.Log(), "level=ERROR"); found {
		t.Errorf("the server logged errors:\n%.2000s", errorsLogged)
	}
}

// TestSlowClientsHoldNobodyUp leaves many requests unfinished. Other requests are answered meanwhile. Requests that do not even finish
// their headers are cut off.
func TestSlowClientsHoldNobodyUp(t *testing.T) {
	in := newInstall(t, dbtest.New(t))
	in.User("admin", "right password", "--superuser")
	admin := in.Token("admin")
	s := in.Serve()
	before := s.Memory("VmHWM")

	const each = 100
	headers, bodies := make([]net.Conn, each), make([]net.Conn, each)
	open := func(text string) net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it first
		if _, err := conn.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	for i := range each {
		headers[i] = open("GET /api/dcim/sites/ HTTP/1.1\r\nHost: terrier.test\r\nX-Slow: ")
		bodies[i] = open("POST /api/dcim/sites/ HTTP/1.1\r\nHost: terrier.test\r\nAuthorization: Token " + admin +
			"\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{\"name\": \"")
	}
	for range each { // without a login, to the one address that accepts a body then
		open("POST /api/users/tokens/provision/ HTTP/1.1\r\nHost: terrier.test\r\nContent-Type: " +
			"application/json\r\nContent-Length: 4096\r\n\r\n{")
		open("POST /api/users/tokens/provision/ HTTP/1.1\r\nHost: terrier.test\r\nContent-Type: application/json\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n1\r\n{\r\n")
	}
	for range 2 { // a GET that announces a body, which only writes have
		open("GET /api/dcim/sites/ HTTP/1.1\r\nHost: terrier.test\r\nAuthorization: Token " + admin +
			"\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
	}
	// Every slow body waits for its rest. Readers and writers of small bodies don't wait, whether they announce the length or not.
	slowest := time.Duration(0)
	for i := range 50 {
		began := time.Now()
		s.Get("/api/dcim/sites/", admin).Want(t, http.StatusOK)
		tag := map[string]any{"name": fmt.Sprint("t", i), "slug": fmt.Sprint("t", i)}
		s.Do(http.MethodPost, "/api/extras/tags/", admin, tag).Want(t, http.StatusCreated)
		chunk := fmt.Sprintf(`{"name":"c%d","slug":"c%d"}`, i, i)
		chunked := open(fmt.Sprintf("POST /api/extras/tags/ HTTP/1.1\r\nHost: terrier.test\r\nAuthorization: Token %s\r\nContent-Type: "+
			"application/json\r\n"+
			"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", admin, len(chunk), chunk))
		readAnswer(chunked).Want(t, http.StatusCreated)
		slowest = max(slowest, time.Since(began))
	}
	if slowest > 4*time.Second { // a request that waits for a slow one waits until that is cut off, after 5 s
		t.Errorf("beside %d slow clients a request took %v", 4*each, slowest)
	}
	growth := s.Memory("VmHWM") - before
	t.Logf("beside %d slow clients the slowest request took %v and memory grew by %d MiB", 4*each, slowest, growth/mebibyte)
	if growth > growthTarget {
		t.Errorf("slow clients cost %d MiB", growth/mebibyte)
	}
	began := time.Now()
	for _, conn := range headers {
		if err := conn.SetReadDeadline(began.Add(install.Patience)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("a client that does not finish its headers was not cut off within %v", install.Patience)
		}
	}
	t.Logf("slow headers were cut off after %v", time.Since(began).Round(time.Second))

	// The body that is being read is cut off before those of the same sender that wait for it are refused. The answer says why.
	answers := make(chan install.Answer, each)
	for _, conn := range bodies {
		go func() { answers <- readAnswer(conn) }()
	}
	if first := (<-answers).Want(t, http.StatusServiceUnavailable); !strings.Contains(first.Body, "15 seconds") {
		t.Errorf("a body that is too slow is answered with %v", first)
	}
	t.Logf("a slow body was cut off after %v", time.Since(began).Round(time.Second))
}

func readAnswer(conn net.Conn) install.Answer {
	if err := conn.SetReadDeadline(time.Now().Add(install.Patience)); err != nil {
		return install.Answer{Err: err}
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return install.Answer{Err: err}
	}
	body, err := io.ReadAll(res.Body)
	return install.Answer{Status: res.StatusCode, Header: res.Header, Body: string(body), Err: errors.Join(err, res.Body.Close())}
}
