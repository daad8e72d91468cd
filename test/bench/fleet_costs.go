package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"terrier/internal/fill"
	"terrier/test/bench/figures"
)

// fleetCost is a request whose time may grow with the number of devices. Its goal is about how many times as long it takes in a large
// register as in a small one.
type fleetCost struct {
	name, what string
	goal       figures.Goal
	ask        func(*fleet) (milliseconds float64, err error)
}

var (
	flat  = figures.AtMost(2) // it must not take longer because there are more devices
	grows = figures.Goal{}    // it may
)

var fleetCosts = []fleetCost{
	{"fleet-first", "first page of 50 devices", flat, get(devicesPath + "?limit=50")},
	{"fleet-first-interfaces", "first page of 50 interfaces", flat, get(interfacesPath + "?limit=50")},
	{"fleet-deep", "page of 50 devices in the middle, by next", flat,
		deep(devicesPath, func(f *fleet) int { return f.devices })},
	{"fleet-deep-interfaces", "page of 50 interfaces in the middle, by next", flat,
		deep(interfacesPath, func(f *fleet) int { return f.devices * fill.PortsEach })},
	{"fleet-offset", "page of 50 interfaces in the middle, by offset", grows,
		func(f *fleet) (float64, error) {
			return get(fmt.Sprintf("%s?limit=50&offset=%d", interfacesPath, f.devices*fill.PortsEach/2))(f)
		}},
	{"fleet-get", "get one device", flat, get(devicesPath + "%d/")},
	{"fleet-device-id", "interfaces by device_id", flat, get(interfacesPath + "?limit=50&device_id=%d")},
	{"fleet-device", "interfaces by the name of the device", flat, func(f *fleet) (float64, error) {
		_, device := f.next()
		return get(interfacesPath + "?limit=50&device=" + fill.FleetName(int(device)))(f)
	}},
	{"fleet-site", "interfaces by site_id, 5,000 of them, with the count", flat,
		get(interfacesPath + "?limit=50&site_id=1")},
	{"fleet-port", "one interface by device_id and name", flat,
		get(interfacesPath + "?device_id=%d&name=xe-0/0/7")},
	{"fleet-name", "interfaces by name, one of each device, count=capped", grows,
		get(interfacesPath + "?limit=50&count=capped&name=xe-0/0/7")},
	{"fleet-mac", "devices by the MAC address of an interface", flat, func(f *fleet) (float64, error) {
		_, device := f.next()
		n := int(device)*fill.PortsEach - 7
		return get(fmt.Sprintf("%s?mac_address=02:%02x:%02x:%02x:%02x:%02x", devicesPath, n>>32&255, n>>24&255, n>>16&255, n>>8&255, n&255))(f)
	}},
	{"fleet-serial", "devices by serial number", flat, func(f *fleet) (float64, error) {
		_, device := f.next()
		return get(devicesPath + "?serial=" + fill.FleetSerial(int(device)))(f)
	}},
	{"fleet-search", "devices by the search for a serial number", flat, func(f *fleet) (float64, error) {
		_, device := f.next()
		return get(devicesPath + "?limit=50&q=" + fill.FleetSerial(int(device)))(f)
	}},
	{"fleet-search-all", "page of the search of all types for a serial number", grows, func(f *fleet) (float64, error) {
		_, device := f.next()
		began := time.Now()
		_, err := f.browser.Do(f.browser.Get("/search/?q="+fill.FleetSerial(int(device))), http.StatusOK)
		return time.Since(began).Seconds() * 1000, err
	}},
	{"fleet-rack", "devices by rack_id", flat, get(devicesPath + "?limit=50&rack_id=7")},
	{"fleet-with", "devices with interfaces, count=capped", grows,
		get(devicesPath + "?limit=50&count=capped&interfaces=true")},
	{"fleet-without", "devices without interfaces, of which there are none", grows,
		get(devicesPath + "?limit=50&interfaces=false")},
	{"fleet-types", "list of all device types with device_count", grows, get("/api/dcim/device-types/?limit=50")},
	{"fleet-racks", "first page of 50 racks with device_count", flat, get("/api/dcim/racks/?limit=50")},
	{"fleet-keep-type", "refused deletion of a device type that a fortieth of the devices have", grows, refused("/api/dcim/device-types/7/")},
	{"fleet-keep-maker", "refused deletion of a manufacturer in use", flat, refused("/api/dcim/manufacturers/3/")},
	{"fleet-keep-site", "refused deletion of a site in use", flat, refused("/api/dcim/sites/1/")},
	{"fleet-create", "create a device with 50 interfaces", flat, (*fleet).create},
	{"fleet-rename", "rename 50 interfaces in one request", flat, (*fleet).rename},
	{"fleet-move", "move a device to a rack of another site", flat, (*fleet).move},
	{"fleet-delete", "delete a device with 50 interfaces", flat, (*fleet).delete},
}

// refused tries to delete a record that others refer to.
func refused(address string) func(*fleet) (float64, error) {
	return func(f *fleet) (float64, error) {
		_, took, err := f.timed(f.side.Delete(address), http.StatusConflict)
		return took, err
	}
}

// add creates a device at the first site and returns its id.
func (f *fleet) add() (id int64, took float64, err error) {
	n, _ := f.next()
	raw, took, err := f.timed(f.side.Post(devicesPath, body(map[string]any{"name": fmt.Sprint("new-", n), "device_type": n%30 + 1,
		"device_role": n%10 + 1, "site": 1, "tenant": n%tenants + 1})), http.StatusCreated)
	var made struct{ ID int64 }
	if err == nil {
		err = json.Unmarshal(raw, &made)
	}
	return made.ID, took, err
}

func (f *fleet) create() (float64, error) {
	_, took, err := f.add()
	return took, err
}

// rename gives all interfaces of a new device new names.
func (f *fleet) rename() (float64, error) {
	id, _, err := f.add()
	if err != nil {
		return 0, err
	}
	raw, _, err := f.timed(f.side.Get(fmt.Sprintf("%s?limit=%d&device_id=%d", interfacesPath, fill.PortsEach, id)), http.StatusOK)
	if err != nil {
		return 0, err
	}
	var page struct{ Results []struct{ ID int64 } }
	if err := json.Unmarshal(raw, &page); err != nil {
		return 0, err
	}
	var changes []map[string]any
	for i, one := range page.Results {
		changes = append(changes, map[string]any{"id": one.ID, "name": fmt.Sprintf("et-1/0/%d", i)})
	}
	_, took, err := f.timed(f.side.Patch(interfacesPath, body(changes)), http.StatusOK)
	return took, err
}

// move puts a new device into a rack of another site.
func (f *fleet) move() (float64, error) {
	id, _, err := f.add()
	if err != nil {
		return 0, err
	}
	_, took, err := f.timed(f.side.Patch(fmt.Sprintf("%s%d/", devicesPath, id), body(map[string]any{"site": 2, "rack": 11 + id%10})),
		http.StatusOK)
	return took, err
}

func (f *fleet) delete() (float64, error) {
	id, _, err := f.add()
	if err != nil {
		return 0, err
	}
	_, took, err := f.timed(f.side.Delete(fmt.Sprintf("%s%d/", devicesPath, id)), http.StatusNoContent)
	return took, err
}
