package app

import (
	"terrier/internal/account"
	"terrier/internal/background"
	"terrier/internal/delivery"
	"terrier/internal/metrics"
	"terrier/internal/store"
)

// measure connects what every process has with its metrics, if somebody asks for them.
func (a *App) measure(login *account.Login) {
	if a.metrics == nil {
		return
	}
	a.Server.Observer, login.Counted = a.metrics.HTTP, a.metrics.Logins.Count
	a.metrics.Read(a.log, a.readings()...)
	a.metrics.Ask(func() []metrics.Sample { return poolSamples(a.Store.PoolStats()...) })
	a.metrics.Ask(func() (samples []metrics.Sample) {
		for name, n := range background.Panics() {
			samples = append(samples, metrics.Panics.At(float64(n), name))
		}
		return samples
	})
}

// measureServer adds what a server knows, until stop is called.
func (a *App) measureServer() (stop func()) {
	if a.metrics == nil {
		return func() {}
	}
	a.metrics.Logins.Expect(account.Results()...)
	return a.metrics.Ask(func() []metrics.Sample {
		samples := []metrics.Sample{metrics.PasswordQueue.At(float64(a.passwords.Queue()))}
		for _, b := range a.budgets() {
			samples = append(samples, metrics.BudgetSize.At(float64(b.Size), b.Name), metrics.BudgetInUse.At(float64(b.InUse), b.Name),
				metrics.BudgetWaiting.At(float64(b.Waiting), b.Name))
		}
		return samples
	})
}

// measureWorker adds what a worker knows, until stop is called.
func (a *App) measureWorker(w *delivery.Worker) (stop func()) {
	if a.metrics == nil {
		return func() {}
	}
	w.Observer = a.metrics.Works()
	return a.metrics.Ask(func() []metrics.Sample {
		return append(poolSamples(store.PoolStat{Name: "worker", Stat: w.Store.Pool().Stat()}),
			metrics.DeliveriesSending.At(float64(w.Sending())), metrics.NotifierConnected.Is(w.Listening()))
	})
}

// poolSamples returns how busy connections to the database are.
func poolSamples(pools ...store.PoolStat) []metrics.Sample {
	var samples []metrics.Sample
	for _, p := range pools {
		samples = append(samples,
			metrics.PoolMax.At(float64(p.MaxConns()), p.Name),
			metrics.PoolAcquired.At(float64(p.AcquiredConns()), p.Name),
			metrics.PoolIdle.At(float64(p.IdleConns()), p.Name),
			metrics.PoolWaits.At(float64(p.EmptyAcquireCount()), p.Name),
			metrics.PoolWaited.At(p.EmptyAcquireWaitTime().Seconds(), p.Name),
			metrics.PoolCancelled.At(float64(p.CanceledAcquireCount()), p.Name))
	}
	return samples
}
