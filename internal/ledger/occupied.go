package ledger

import (
	"net/netip"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Occupied implements record.Call.
func (k *call) Occupied(of record.Values, u record.Usage) (record.Occupied, error) {
	run := u.RunOf(of)
	out := record.Occupied{Cells: run.Cells(record.GridCells)}
	middle := out.Cells[len(out.Cells)/2]
	length := middle.Blocks()[0].Bits()
	out.Single = length == run.First.BitLen()
	owner := int64(0)
	if u.Within != "" {
		owner = of.Link(u.Within).ID
	}
	blocks, runs := store.Answered[[]record.Occupant](nil), store.Answered[[]record.Occupant](nil)
	if u.Blocks != "" {
		own := u.Foreign(u.Blocks).Of == of.Type()
		blocks = k.set.tx.BlocksIn(u, own, owner, netip.MustParsePrefix(of.Text(u.Network)), length)
	}
	if u.Runs[0] != "" {
		runs = k.set.tx.RunsIn(u, owner, run, length)
	}
	if err := k.set.tx.Flush(k.ctx); err != nil {
		return out, err
	}
	out.Blocks, out.Runs = blocks.Get(), runs.Get()
	if u.Hosts != "" {
		hosts := k.set.tx.HostsIn(u, of, out, out.Unfilled())
		if err := k.set.tx.Flush(k.ctx); err != nil {
			return out, err
		}
		out.Hosts = hosts.Get()
	}
	return out, k.seen(u, &out)
}

// seen adds the records that the caller may see.
func (k *call) seen(u record.Usage, o *record.Occupied) error {
	var hosts []int64
	for _, h := range o.Hosts {
		if h.Count == 1 {
			hosts = append(hosts, h.ID)
		}
	}
	ids := func(of []record.Occupant) (ids []int64) {
		for _, x := range of {
			ids = append(ids, x.ID)
		}
		return ids
	}
	blocks, err := k.visible(u, u.Blocks, ids(o.Blocks))
	if err != nil {
		return err
	}
	runs, err := k.visible(u, u.Runs[0], ids(o.Runs))
	if err != nil {
		return err
	}
	addresses, err := k.visible(u, u.Hosts, hosts)
	all := u.Hosts != "" && k.set.sees(u.Foreign(u.Hosts).Of)
	for i, x := range o.Blocks {
		o.Blocks[i].Record = blocks[x.ID]
	}
	for i, x := range o.Runs {
		o.Runs[i].Record = runs[x.ID]
	}
	for i, h := range o.Hosts {
		o.Hosts[i].Record = addresses[h.ID]
		switch hidden := !all && o.Hosts[i].Record.Type() == nil; {
		case hidden && o.Single:
			o.Hosts[i].Count = 1 // it is taken, by however many
		case hidden:
			o.Hosts[i].Count = 0
		}
	}
	return err
}

// visible returns those of some records that the caller may see, by id, with what their names need.
func (k *call) visible(u record.Usage, path string, ids []int64) (map[int64]record.Values, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	t := u.Foreign(path).Of
	scope, err := k.set.l.Policy.Scope(k.set.caller.Subject, t, access.View)
	if err != nil {
		return nil, nil // the caller may see none
	}
	q := store.Query{Scope: scope, Where: []record.Predicate{{Values: record.AnyOf(ids)}}, View: record.View{Brief: true}}
	rows, err := k.set.tx.FindAll(k.ctx, t, q)
	found := map[int64]record.Values{}
	for _, v := range rows {
		found[v.ID()] = v
	}
	return found, err
}
