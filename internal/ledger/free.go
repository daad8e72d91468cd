package ledger

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// errCrowded means that there are free places, and others are taking them. Whether some remain is known only when these are done. So the
// change set starts over, and is alone then.
var errCrowded = errors.New("others are taking the free places")

// Free implements record.Call.
func (k *call) Free(ask record.FreePlaces) ([]any, error) {
	t := k.typeOf(ask.Of)
	if t.Space == nil {
		return nil, fmt.Errorf("the action %s asks for free places of %s, which declares no Space", k.action.Key(), ask.Of)
	}
	if ask.None || ask.Count <= 0 {
		return nil, nil
	}
	if !k.action.Writes() || rehearsing(k.ctx) != nil {
		return k.free(t, ask, store.FreeToSee)
	}
	k.set.alone = k.set.alone || store.CrowdsSpace(ask.Count)
	k.set.tx.LockSpace(t, k.set.alone, ask.Within)
	if k.set.alone {
		return k.free(t, ask, store.FreeToSee)
	}
	taken, err := k.free(t, ask, store.FreeToTake)
	if err != nil || len(taken) == ask.Count {
		return taken, err
	}
	// Places that others are taking still look free. If even with these there are too few, it is full.
	free, err := k.free(t, ask, store.FreeToSee)
	if err == nil && len(free) == ask.Count {
		err = errCrowded
		k.refused = err
	}
	return free, err
}

func (k *call) free(t *record.Type, ask record.FreePlaces, mode store.FreeMode) ([]any, error) {
	places := k.set.tx.Free(t, ask, mode)
	if err := k.set.tx.Flush(k.ctx); err != nil {
		return nil, err
	}
	return places.Get(), nil
}

// maxBlocks is how many free networks an action can list.
const maxBlocks = 10_000

// FreeBlocks implements record.Call.
func (k *call) FreeBlocks(key string, within int64, in netip.Prefix) (blocks []netip.Prefix, err error) {
	t, err := k.typeOfNetworks(key)
	if err != nil {
		return nil, err
	}
	runs := k.set.tx.FreeRuns(t, within, in, in.Addr().BitLen(), maxBlocks+1)
	if err := k.set.tx.Flush(k.ctx); err != nil {
		return nil, err
	}
	for _, run := range runs.Get() {
		blocks = append(blocks, run.Blocks()...)
		if len(blocks) > maxBlocks {
			return nil, fault.Field(fault.General, "%s has more than %d free blocks. Ask for those of a smaller network in it.", in, maxBlocks)
		}
	}
	return blocks, nil
}

// TakeBlocks implements record.Call. A network is placed in one of the first runs that have room for one of its length, as many as there
// are lengths: those before it can have been placed in all the others at most.
func (k *call) TakeBlocks(key string, within int64, in netip.Prefix, lengths []int) ([]netip.Prefix, error) {
	t, err := k.typeOfNetworks(key)
	if err == nil {
		err = k.mayWrite()
	}
	if err != nil {
		return nil, err
	}
	if rehearsing(k.ctx) == nil {
		k.set.alone = true
		k.set.tx.LockSpace(t, true, within)
	}
	var found []*store.Promise[[]record.AddressRun]
	for _, length := range slices.Compact(slices.Sorted(slices.Values(lengths))) {
		if length >= in.Bits() {
			found = append(found, k.set.tx.FreeRuns(t, within, in, length, len(lengths)))
		}
	}
	if err := k.set.tx.Flush(k.ctx); err != nil {
		return nil, err
	}
	var free []record.AddressRun
	for _, runs := range found {
		free = append(free, runs.Get()...)
	}
	slices.SortFunc(free, func(a, b record.AddressRun) int { return a.First.Compare(b.First) })
	return record.PlaceBlocks(slices.Compact(free), lengths), nil
}

func (k *call) typeOfNetworks(key string) (*record.Type, error) {
	t := k.typeOf(key)
	if t.Space == nil || t.Field(t.Space.Of).Column().Storage != record.StoreNetwork {
		return nil, fmt.Errorf("the action %s asks for free networks of %s, which declares no Space of networks", k.action.Key(), key)
	}
	return t, nil
}
