package web

import "testing"

func TestCheckMapsURL(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"":                                  true,
		"https://maps.example/?q={place}":   true,
		"http://10.0.0.1:8080/at/{place}#x": true,
		"https://maps.example/":             false,
		"javascript:alert({place})":         false,
		"/maps?q={place}":                   false,
		"https://{place}/":                  false,
		"https://maps.example:x/{place}":    false,
	} {
		if err := CheckMapsURL(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}
