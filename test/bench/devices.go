package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/test/bench/bare"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	devicesPath = "/api/dcim/devices/"

	ports         = 48   // interfaces of each device
	devicesAtOnce = 100  // in one request
	mostDevices   = 1020 // with their interfaces just below the most that one request creates
)

// newDevice is the body of a new device.
type newDevice struct {
	Name   string `json:"name"`
	Type   int64  `json:"device_type"`
	Role   int64  `json:"device_role"`
	Site   int64  `json:"site"`
	Status string `json:"status"`
}

// makeDeviceType creates a device type with interfaces, and a device of it that the bare side copies. If the case is measured twice, they
// exist already.
func (b *bench) makeDeviceType(ctx context.Context) (form newDevice, like int64, err error) {
	err = b.pool.QueryRow(ctx, "SELECT id, device_type_id, device_role_id, site_id, status FROM dcim_device WHERE name = 'model'").
		Scan(&like, &form.Type, &form.Role, &form.Site, &form.Status)
	if !errors.Is(err, pgx.ErrNoRows) {
		return form, like, err
	}
	create := func(path string, in any) int64 {
		var made struct{ ID int64 }
		if err == nil || errors.Is(err, pgx.ErrNoRows) {
			var raw []byte
			if raw, err = b.terrier.Do(b.terrier.Post(path, body(in)), http.StatusCreated); err == nil {
				err = json.Unmarshal(raw, &made)
			}
		}
		return made.ID
	}
	type named = map[string]any
	maker := create("/api/dcim/manufacturers/", named{"name": "Maker", "slug": "maker"})
	form = newDevice{Name: "model", Status: "active",
		Role: create("/api/dcim/device-roles/", named{"name": "Leaf", "slug": "leaf", "color": "4caf50"}),
		Type: create("/api/dcim/device-types/", named{"manufacturer": maker, "model": "Leaf 48", "slug": "leaf-48"}),
		Site: create(sitesPath, named{"name": "Devices", "slug": "devices"})}
	for n := range ports {
		create("/api/dcim/interface-templates/", named{"device_type": form.Type, "name": fmt.Sprintf("xe-0/0/%d", n), "type": "10gbase-x-sfpp"})
	}
	like = create(devicesPath, form)
	return form, like, err
}

// measureDevices measures devices that bring 48 interfaces each. The bare side writes copies of the same rows.
func (b *bench) measureDevices(ctx context.Context) (rows []figures.Row, err error) {
	form, like, err := b.makeDeviceType(ctx)
	if err != nil {
		return nil, err
	}
	names := func(n int) (all []string) {
		for range n {
			all = append(all, fmt.Sprint("device-", b.made.Add(1)))
		}
		return all
	}
	devices := func(n int) []byte {
		var all []newDevice
		for _, name := range names(n) {
			in := form
			in.Name = name
			all = append(all, in)
		}
		return b.terrier.Post(devicesPath, body(all))
	}
	copies := func(n int) []byte {
		return b.bare.Post("/bare/devices", body(bare.NewDevices{Like: like, Names: names(n)}))
	}
	for _, c := range []struct {
		row   figures.Row
		n     int
		alone bool
	}{
		{figures.Row{Case: "devices-create", What: "create a device with 48 interfaces (bare: copies of the same rows)",
			Goal: figures.AtLeast(0.5)}, 1, false},
		{figures.Row{Case: "devices-bulk", What: "create 100 devices with 48 interfaces each in one request", Goal: figures.AtMost(3)},
			devicesAtOnce, true},
	} {
		made, err := comparison{row: c.row, status: http.StatusCreated, alone: c.alone,
			terrier: func(*bench) func() []byte { return func() []byte { return devices(c.n) } },
			bare:    func(*bench) func() []byte { return func() []byte { return copies(c.n) } },
		}.work().measure(b, ctx)
		if err != nil {
			return nil, err
		}
		rows = append(rows, made...)
	}
	deleted, err := b.measureDeletedDevices(devices, copies)
	if err != nil {
		return nil, err
	}
	limit, err := b.measureMostDevices(devices)
	return append(rows, deleted, limit), err
}

// measureDeletedDevices measures the deletion of a device with its interfaces, one at a time. The bare side is the time for which it
// creates one: it has no deletion.
func (b *bench) measureDeletedDevices(devices, copies func(int) []byte) (figures.Row, error) {
	row := figures.Row{Case: "devices-delete", What: "delete a device with 48 interfaces (bare: create one)", Unit: "ms", Absolute: true,
		Goal: figures.AtMost(50)}
	var took, other []float64
	for range 10 * b.o.rounds {
		var made []struct{ ID int64 }
		raw, err := b.terrier.Do(devices(1), http.StatusCreated)
		if err == nil {
			err = json.Unmarshal(raw, &made)
		}
		if err != nil {
			return row, err
		}
		for _, x := range []struct {
			side    *gauge.Side
			request []byte
			status  int
			into    *[]float64
		}{{b.terrier, b.terrier.Delete(fmt.Sprintf("%s%d/", devicesPath, made[0].ID)), http.StatusNoContent, &took},
			{b.bare, copies(1), http.StatusCreated, &other}} {
			began := time.Now()
			if _, err := x.side.Do(x.request, x.status); err != nil {
				return row, err
			}
			*x.into = append(*x.into, time.Since(began).Seconds()*1000)
		}
	}
	row.Terrier.Figure, row.Bare.Figure = figures.Median(took), figures.Median(other)
	row.Judge([]float64{row.Terrier.Figure})
	return row, nil
}

// measureMostDevices measures how much more memory the server has after a request that creates nearly as many records as it may.
func (b *bench) measureMostDevices(devices func(int) []byte) (figures.Row, error) {
	row := figures.Row{Case: "devices-memory", Unit: "MiB", Absolute: true, Goal: figures.Goal{Value: 256, AtMost: true, Gate: 320}}
	if err := b.server.Do("free memory"); err != nil {
		return row, err
	}
	before, err := b.server.Resident()
	if err != nil {
		return row, err
	}
	n := mostDevices
	if b.o.quick { // a busy machine takes too long for all of them
		n /= 4
	}
	began := time.Now()
	if _, err := b.terrier.Do(devices(n), http.StatusCreated); err != nil {
		return row, err
	}
	took := time.Since(began)
	after, err := b.server.Resident()
	if err != nil {
		return row, err
	}
	row.What = fmt.Sprintf("memory of a request that creates %d records in %.1f s", n*(1+ports), took.Seconds())
	row.Terrier.Figure = max(0.01, float64(after-before)/(1<<20))
	row.Judge([]float64{row.Terrier.Figure})
	return row, nil
}
