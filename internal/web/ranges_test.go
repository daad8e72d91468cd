package web

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"eth0", "eth0"},
		{"xe-0/0/[0-2]", "xe-0/0/0 xe-0/0/1 xe-0/0/2"},
		{"[a-c]1", "a1 b1 c1"},
		{"[Y-Z]", "Y Z"},
		{"p[08-10]", "p08 p09 p10"},
		{"[ge,xe]-[0-1]/[1,3]", "ge-0/1 ge-0/3 ge-1/1 ge-1/3 xe-0/1 xe-0/3 xe-1/1 xe-1/3"},
		{"[1-2,8,a-b]", "1 2 8 a b"},
		{"up[,-b]", "!can't be counted"},
		{"up[,link]", "up uplink"},
		{"bay[x]", "bay[x]"}, // no range
		{"port[5-5]", "port5"},
		{"[]{module}", "[]{module}"},
		{"[[1-2]]", "[1] [2]"},
		{"é[1-2]ü", "é1ü é2ü"},
		{"[3-1]", "!counts down"},
		{"[a-5]", "!can't be counted"},
		{"[A-z]", "!can't be counted"},
		{"[aa-bb]", "!can't be counted"},
		{"[1-2-3]", "!can't be counted"},
		{"[-1]", "!can't be counted"},
		{"[0-1000]", "!more than 1000"},
		{"[0-4294967295]", "!more than 1000"},
		{"[0-99999999999999999999]", "!can't be counted"},
		{"[1-32][1-32]", "!more than 1000"},
		{"[1-600,1-600]", "!more than 1000"},
	} {
		got, err := expand(c.text)
		text := strings.Join(got, " ")
		if want, refused := strings.CutPrefix(c.want, "!"); refused {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s is %q with the error %v, want one with %q", c.text, text, err, want)
			}
		} else if err != nil || text != want {
			t.Errorf("%s is %q with the error %v, want %q", c.text, text, err, want)
		}
	}
	// The texts together would need a lot of memory.
	for _, long := range []string{strings.Repeat("x", 1_000_000) + "[0-999]", "[" + strings.Repeat("0", 900_000) + "1-999]"} {
		if all, err := expand(long); err != nil || len(all) != 1 || all[0] != long {
			t.Errorf("a text of %d bytes stands for %d with the error %v, want itself", len(long), len(all), err)
		}
	}
	if all, err := expand("[0-999]"); err != nil || len(all) != mostAdded {
		t.Errorf("%d texts with the error %v, want %d", len(all), err, mostAdded)
	}
}

// TestNumbers: numbers are written on lines of their own, or as people write units. What can't be counted is left for the field to refuse.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "7": "7", "1\r\n2\n": "1 2", "1, 2,5-8": "1 2 5 6 7 8", "3-3": "3", "8-5": "8-5", "x, -1": "x -1", "1-": "1-", "0-9999": "0-9999",
		"1-2,1-9999,4": "1 2 1-9999 4",
	} {
		if got := strings.Join(numbers(text), " "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := len(numbers(strings.Repeat("1-900 ", 10_000))); got > 11_000 {
		t.Errorf("a long text makes %d numbers", got)
	}
}
