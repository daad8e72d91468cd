package trial

import (
	"fmt"
	"slices"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Peg is a numbered peg of a shelf. An action of the shelf assigns the lowest free numbers.
var Peg = record.Type{
	App: "trial", Name: "peg", Plural: "pegs", Section: "Trial",
	Doc: "A numbered peg of a shelf.",
	Fields: record.Fields{
		record.Ref{Name: "shelf", To: "trial.shelf", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Int{Name: "number", Null: true, Min: &one},
		record.Tags{},
	},
	Unique:    []record.Unique{{Name: "trial_peg_number_unique", Fields: []string{"shelf", "number"}, NullsDiffer: true}},
	Allocates: &record.Allocation{Field: "number", Within: "shelf"},
	Brief:     []string{"name"},
	Order:     []string{"name"},
	Search:    []string{"name"},
}

// pegs is how many pegs a shelf has.
const pegs = 100

var one int64 = 1

// pegActions are the actions of a shelf: list the free pegs, and take some.
var pegActions = []record.Action{
	{Name: "free-pegs", Method: "GET", Needs: "view", Doc: "List the free pegs of a shelf",
		Body: record.Fields{record.Int{Name: "start", Min: &one, Default: 1}, record.Int{Name: "limit", Min: &one, Default: 50}},
		Answer: record.Schema{"type": "array", "items": record.Schema{"type": "object", "required": []string{"number"},
			"additionalProperties": false,
			"properties":           record.Schema{"number": record.Schema{"type": "integer"}}}},
		Do: func(c record.Call) (any, error) {
			in := c.Inputs()[0]
			free, err := freePegs(c, in.Int("start"))
			answer := []map[string]int64{}
			for _, n := range free[:min(len(free), int(in.Int("limit")))] {
				answer = append(answer, map[string]int64{"number": n})
			}
			return answer, err
		}},
	{Name: "free-pegs", Method: "POST", Label: "Take a peg", Needs: "view", Adds: "trial.peg", Doc: "Take the lowest free pegs of a shelf",
		Sets: []string{"shelf", "number"},
		Body: record.Fields{record.Int{Name: "start", Min: &one, Default: 1, Help: "The lowest number to take."},
			record.Text{Name: "prefix", Help: "The name begins with it, if no name is given."}},
		Do: func(c record.Call) (any, error) {
			if err := c.Hold("trial.peg", c.Record().ID()); err != nil {
				return nil, err
			}
			free, err := freePegs(c, 1)
			if err != nil {
				return nil, err
			}
			var wanted []map[string]any
			for _, in := range c.Inputs() {
				i := slices.IndexFunc(free, func(n int64) bool { return n >= in.Int("start") })
				if i < 0 {
					return nil, fault.Field("start", "The shelf has no free peg from %d on.", in.Int("start"))
				}
				in.Fields["shelf"], in.Fields["number"] = c.Record().ID(), free[i]
				if in.Fields["name"] == nil {
					in.Fields["name"] = fmt.Sprint(in.Text("prefix"), "peg ", free[i])
				}
				free = slices.Delete(free, i, i+1)
				wanted = append(wanted, in.Fields)
			}
			return c.Create("trial.peg", wanted...)
		}},
}

// freePegs returns the numbers from start on that no peg of the shelf has.
func freePegs(c record.Call, start int64) ([]int64, error) {
	taken, err := c.Taken("trial.peg", "number", map[string]string{"shelf_id": strconv.FormatInt(c.Record().ID(), 10)})
	var free []int64
	for n := start; n <= pegs && err == nil; n++ {
		if !slices.Contains(taken, any(n)) {
			free = append(free, n)
		}
	}
	return free, err
}
