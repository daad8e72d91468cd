package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// ruleTest tests one rule of the catalogue. The hardware has a database that the rules of one type share.
type ruleTest func(*testing.T, *hardware)

// ruleTests returns the tests of the rules that one type has for itself, by the number of the rule.
func ruleTests() map[string]map[int]ruleTest {
	return map[string]map[int]ruleTest{
		"rack":                  rackRules(),
		"rackreservation":       reservationRules(),
		"manufacturer":          manufacturerRules(),
		"devicetype":            deviceTypeRules(),
		"moduletype":            moduleTypeRules(),
		"devicerole":            deviceRoleRules(),
		"platform":              platformRules(),
		"inventoryitemrole":     inventoryItemRoleRules(),
		"powerporttemplate":     powerPortTemplateRules(),
		"poweroutlettemplate":   powerOutletTemplateRules(),
		"interfacetemplate":     interfaceTemplateRules(),
		"frontporttemplate":     frontPortTemplateRules(),
		"rearporttemplate":      rearPortTemplateRules(),
		"modulebaytemplate":     moduleBayTemplateRules(),
		"devicebaytemplate":     deviceBayTemplateRules(),
		"inventoryitemtemplate": inventoryItemTemplateRules(),
		"device":                deviceRules(), "module": moduleRules(), "virtualdevicecontext": contextRules(), "virtualchassis": chassisRules(),
		"poweroutlet": powerOutletRules(), "frontport": frontPortRules(), "rearport": rearPortRules(), "modulebay": moduleBayRules(),
		"devicebay": deviceBayRules(), "inventoryitem": inventoryItemRules(), "interface": interfaceRules(),
		"vlangroup": vlanGroupRules(), "vlan": vlanRules(), "fhrpgroup": fhrpGroupRules(), "fhrpgroupassignment": fhrpAssignmentRules(),
		"l2vpn": l2vpnRules(), "l2vpntermination": terminationRules(), "service": serviceRules(), "servicetemplate": serviceTemplateRules(),
		"vrf": vrfRules(), "routetarget": routeTargetRules(), "rir": rirRules(), "asnrange": asnRangeRules(), "asn": asnRules(),
		"role": roleRules(), "aggregate": aggregateRules(), "prefix": prefixRules(), "iprange": rangeRules(),
		"ipaddress": addressRules(), "clustertype": clusterTypeRules(), "clustergroup": clusterGroupRules(), "cluster": clusterRules(),
		"virtualmachine": machineRules(), "vminterface": vmInterfaceRules(),
		"journalentry":    journalRules(),
		"customlink":      customLinkRules(),
		"imageattachment": imageRules(),
		"savedfilter":     savedFilterRules(),
	}
}

// sharedRules returns the tests of the rules that several types have, by the words with which the rule begins.
func sharedRules() map[string]ruleTest {
	return map[string]ruleTest{
		"weight needs weight_unit; grams as for racks":            weighed,
		"Both counts also stand in the brief form":                bothCounts,
		"display is the name, followed by the label":              labelledRule,
		"Sorted by device type, then":                             templateOrder,
		"A template has neither tags nor custom fields":           templatePlain,
		"Exactly one of device_type and module_type":              templateOneOwner,
		"device_type cannot be changed after creation":            templateFixed,
		"device_type is required and cannot be changed":           templateRequired,
		"The text {module} in name and label":                     templatePosition,
		"The description is not copied":                           templateDescription,
		"Copied: name, label, type.":                              func(t *testing.T, h *hardware) { h.templateCopies(t, "type", "rj-45") },
		"allocated_draw must not exceed":                          drawRule,
		"parent reads and is written as a bare id":                bareParent,
		"device cannot be changed after creation":                 componentFixed,
		"Sorted by device, then by name with digits":              componentOrder,
		"A list POST creates all or none; two entries":            componentList,
		"module, when given, names the module":                    componentModule,
		"Deleting the component also deletes the inventory items": componentItems,
		"cable, cable_end and everything derived":                 cableReadOnly,
		"In the brief form cable is a bare id or null":            briefCable,
		"component is read-only (brief form or null)":             componentPair,
	}
}

// TestRules tests the rules of the catalogue: TestRules/dcim.device/7 is the seventh rule of devices. No two apps have a type of the same
// name.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, typ := range catalogue(t) {
		t.Run(typ.App+"."+typ.Name, func(t *testing.T) {
			t.Parallel()
			h := &hardware{actor: adminOf(apitest.New(t)), of: typ.Name}
			for i, text := range typ.Rules {
				found := testsOfRule(typ.Name, i+1, text)
				if len(found) == 0 {
					continue // TestEveryRuleHasATest says why, or fails
				}
				t.Run(fmt.Sprint(i+1), func(t *testing.T) {
					defer func() { // an answer of another form fails this rule, and not the others
						if p := recover(); p != nil {
							t.Errorf("%v\n%s", p, debug.Stack())
						}
					}()
					found[0](t, h)
				})
			}
		})
	}
}

// TestEveryRuleHasATest compares the catalogue with the tests and the list of rules without one.
func TestEveryRuleHasATest(t *testing.T) {
	t.Parallel()
	rules, shared := map[string]bool{}, map[string]bool{}
	for _, typ := range catalogue(t) {
		for i, text := range typ.Rules {
			name := fmt.Sprintf("%s/%d", typ.Name, i+1)
			rules[name] = true
			found := len(testsOfRule(typ.Name, i+1, text))
			_, listed := rulesWithoutTest[name]
			switch {
			case found > 1:
				t.Errorf("%s has %d tests: %s", name, found, text)
			case found == 1 && listed:
				t.Errorf("%s has a test, and is in the list of rules without one", name)
			case found == 0 && !listed:
				t.Errorf("%s has no test: %s", name, text)
			}
			for words := range sharedRules() {
				shared[words] = shared[words] || strings.HasPrefix(text, words)
			}
		}
	}
	for words, used := range shared {
		if !used {
			t.Errorf("no rule begins with %q", words)
		}
	}
	for typ, tests := range ruleTests() {
		for n := range tests {
			if name := fmt.Sprintf("%s/%d", typ, n); !rules[name] {
				t.Errorf("%s has a test and is no rule of the catalogue", name)
			}
		}
	}
	for name, reason := range rulesWithoutTest {
		if !rules[name] || reason == "" {
			t.Errorf("%s (%s) is listed and is no rule of the catalogue, or has no reason", name, reason)
		}
	}
}

// testsOfRule returns the tests of a rule; there should be one, or none.
func testsOfRule(typ string, n int, text string) (found []ruleTest) {
	if test := ruleTests()[typ][n]; test != nil {
		found = append(found, test)
	}
	for words, test := range sharedRules() {
		if strings.HasPrefix(text, words) {
			found = append(found, test)
		}
	}
	return found
}

// catalogueType is a type of the catalogue.
type catalogueType struct {
	App   string `json:"-"`
	Name  string
	Rules []string
}

// catalogue returns the types of the catalogue that Terrier has.
func catalogue(t *testing.T) (types []catalogueType) {
	t.Helper()
	for _, app := range []string{"dcim", "ipam", "virtualization", "extras"} {
		raw, err := os.ReadFile("../catalogue/" + app + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Types []catalogueType }
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(err)
		}
		for _, typ := range file.Types {
			if !comesLater[typ.Name] {
				typ.App = app
				types = append(types, typ)
			}
		}
	}
	return types
}
