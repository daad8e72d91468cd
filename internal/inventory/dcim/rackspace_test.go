package dcim

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/record"
)

// mounted returns a device as the check of rack space sees it. A position of 0 is none.
func mounted(id int64, position float64, face string, height float64, isFullDepth bool, role any) record.Member {
	var at, side any
	if position != 0 {
		at = position
	}
	if face != "" {
		side = face
	}
	return record.NewMember(id, rackSpace.Reads, []any{at, side, height, isFullDepth, role})
}

func rackOf(units int64) record.Member {
	return record.NewMember(1, []string{"u_height"}, []any{units})
}

// TestRackSpace states which devices fit into a rack of 10 units together.
func TestRackSpace(t *testing.T) {
	t.Parallel()
	full, half := true, false
	for name, c := range map[string]struct {
		devices []record.Member
		want    string // "" if they fit: member, field, message
	}{
		"one":              {[]record.Member{mounted(1, 1, "front", 10, full, nil)}, ""},
		"without a place":  {[]record.Member{mounted(1, 0, "", 2, full, nil), mounted(2, 0, "front", 2, full, nil)}, ""},
		"one on the other": {[]record.Member{mounted(1, 1, "front", 2, full, nil), mounted(2, 3, "front", 1, full, nil)}, ""},
		"both in one unit": {[]record.Member{mounted(1, 3, "front", 2, full, nil), mounted(2, 4, "front", 1, full, nil)},
			"2 position Another device takes unit 4 of the rack."},
		"back to back": {[]record.Member{mounted(1, 3, "front", 1, half, nil), mounted(2, 3, "rear", 1, half, nil)}, ""},
		"behind a deep one": {[]record.Member{mounted(1, 3, "front", 1, full, nil), mounted(2, 3, "rear", 1, half, nil)},
			"2 position Another device takes unit 3 of the rack."},
		"a deep one behind": {[]record.Member{mounted(1, 3, "front", 1, half, nil), mounted(2, 3, "rear", 1, full, nil)},
			"2 position Another device takes unit 3 of the rack."},
		"two halves of a unit": {[]record.Member{mounted(1, 10, "front", 0.5, full, nil), mounted(2, 10.5, "front", 0.5, full, nil)}, ""},
		"the same half": {[]record.Member{mounted(1, 9.5, "front", 1, full, nil), mounted(2, 10, "front", 0.5, full, nil)},
			"2 position Another device takes unit 10 of the rack."},
		"the last half":   {[]record.Member{mounted(1, 10.5, "front", 0.5, full, nil)}, ""},
		"above the rack":  {[]record.Member{mounted(1, 10.5, "front", 1, full, nil)}, "1 position A device of 1U at unit 10.5 does not fit"},
		"below unit 1":    {[]record.Member{mounted(1, 0.5, "front", 1, full, nil)}, "1 position A device of 1U at unit 0.5 does not fit"},
		"too tall":        {[]record.Member{mounted(1, 9, "rear", 3, full, nil)}, "1 position A device of 3U at unit 9 does not fit"},
		"without height":  {[]record.Member{mounted(1, 9, "rear", 0, full, nil)}, "1 position A device of 0U takes no unit"},
		"a child":         {[]record.Member{mounted(1, 0, "", 0, full, "child")}, ""},
		"a child's face":  {[]record.Member{mounted(1, 0, "rear", 0, full, "child")}, "1 face A child device"},
		"a child's place": {[]record.Member{mounted(1, 1, "rear", 0, full, "child")}, "1 position A child device"},
		"a parent":        {[]record.Member{mounted(1, 1, "rear", 1, full, "parent")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkClashes(t, checkRackSpace(rackOf(10), c.devices), c.want)
		})
	}
}

// checkClashes checks that there is one clash, or none.
func checkClashes(t *testing.T, clashes []record.Clash, want string) {
	t.Helper()
	var got []string
	for _, c := range clashes {
		got = append(got, strings.Join([]string{listed([]int64{c.Member}), c.Field, c.Message}, " "))
	}
	if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
		t.Errorf("the clashes are %q, want %q", got, want)
	}
}

// TestRackSpaceIsThatOfPairs compares the check with the rule as it is written: two devices clash if a slot and a face are in both.
func TestRackSpaceIsThatOfPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.Int64Range(1, 12).Draw(t, "units")
		var devices []record.Member
		for id := range rapid.Int64Range(0, 8).Draw(t, "devices") {
			devices = append(devices, mounted(id+1, float64(rapid.IntRange(0, 26).Draw(t, "position"))/2,
				rapid.SampledFrom([]string{"front", "rear"}).Draw(t, "face"), float64(rapid.IntRange(1, 8).Draw(t, "height"))/2,
				rapid.Bool().Draw(t, "deep"), nil))
		}
		wrong := map[int64]bool{}
		for _, c := range checkRackSpace(rackOf(units), devices) {
			wrong[c.Member] = true
		}
		for i, d := range devices {
			if d.Get("position") == nil {
				continue
			}
			low, high := d.Float("position"), d.Float("position")+d.Float("device_type.u_height")
			bad := low < 1 || high > float64(units)+1
			for _, other := range devices[:i] {
				if other.Get("position") == nil {
					continue
				}
				faces := d.Bool("device_type.is_full_depth") || other.Bool("device_type.is_full_depth") || d.Text("face") == other.Text("face")
				bad = bad || faces && low < other.Float("position")+other.Float("device_type.u_height") && other.Float("position") < high
			}
			if wrong[d.ID()] != bad {
				t.Fatalf("device %d of %v in %d units: wrong is %v, want %v", d.ID(), devices, units, wrong[d.ID()], bad)
			}
		}
	})
}

// TestRackUnits states which reservations a rack of 10 units can have together.
func TestRackUnits(t *testing.T) {
	t.Parallel()
	of := func(id int64, units ...int64) record.Member {
		return record.NewMember(id, rackUnits.Reads, []any{units})
	}
	for name, c := range map[string]struct {
		reservations []record.Member
		want         string
	}{
		"all":             {[]record.Member{of(1, 1, 2, 3), of(2, 10, 4)}, ""},
		"a unit too high": {[]record.Member{of(1, 10, 11, 12)}, "1 units The rack has the units 1 to 10, and not 11, 12."},
		"no unit":         {[]record.Member{of(1, 0)}, "1 units The rack has the units 1 to 10, and not 0."},
		"shared":          {[]record.Member{of(1, 1, 2, 3), of(2, 3, 2)}, "2 units Another reservation has these units: 3, 2."},
		"a unit twice":    {[]record.Member{of(1, 1, 1)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkClashes(t, checkRackUnits(rackOf(10), c.reservations), c.want)
		})
	}
}

// TestRackUnitsIsThatOfPairs compares the check with the rule as it is written.
func TestRackUnitsIsThatOfPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.Int64Range(1, 10).Draw(t, "units")
		var reservations []record.Member
		for id := range rapid.Int64Range(0, 5).Draw(t, "reservations") {
			wanted := rapid.SliceOfN(rapid.Int64Range(1, 12), 1, 4).Draw(t, "wanted")
			reservations = append(reservations, record.NewMember(id+1, rackUnits.Reads, []any{wanted}))
		}
		wrong := map[int64]bool{}
		for _, c := range checkRackUnits(rackOf(units), reservations) {
			wrong[c.Member] = true
		}
		for i, r := range reservations {
			bad := slices.Max(r.Ints("units")) > units
			for _, other := range reservations[:i] {
				bad = bad || slices.ContainsFunc(r.Ints("units"), func(unit int64) bool { return slices.Contains(other.Ints("units"), unit) })
			}
			if wrong[r.ID()] != bad {
				t.Fatalf("reservation %d of %v in %d units: wrong is %v, want %v", r.ID(), reservations, units, wrong[r.ID()], bad)
			}
		}
	})
}
