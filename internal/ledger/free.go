package ledger

import (
	"errors"
	"fmt"

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
