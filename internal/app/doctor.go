package app

import (
	"context"
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"terrier/internal/account"
	"terrier/internal/doctor"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Doctor runs the checks of `terrier doctor`. The settings may be wrong and the database may be away: then checks
// fail or are skipped. Refused are the problems of settings that could not even be taken over.
func Doctor(ctx context.Context, cfg Config, refused []error, options doctor.Options) (doctor.Report, error) {
	subject, err := cfg.Subject(refused)
	if err != nil {
		return doctor.Report{}, err
	}
	return doctor.Run(ctx, subject, options), nil
}

// Subject returns what doctor needs of the settings.
func (c Config) Subject(refused []error) (doctor.Subject, error) {
	reg, err := record.NewRegistry(append(inventory.Types(), c.Types...)...)
	if err != nil {
		return doctor.Subject{}, err
	}
	s := doctor.Settings{Files: c.files(), Names: SettingNames(), Environ: settingsIn(os.Environ())}
	s.Key, s.Retention = c.validateSecretKeys(), c.validateRetention()
	if s.Key == nil {
		s.SecretKey = c.SecretKey
		s.Keys, s.Key = account.NewKeyring(c.SecretKey, c.SecretKeyOld)
	}
	s.HeldAfter = c.WebhookHeldAfter
	s.Keep = store.Retention{Changes: c.ChangelogRetention, Deliveries: c.DeliveryRetention}
	s.Problem = errors.Join(append(refused, c.validateOthers(), checkExempt(c, reg))...)
	if c.ValidateDatabase() == nil {
		s.DatabaseURL = c.DatabaseURL
	}
	if c.validateAddresses() == nil {
		s.BaseURL = c.BaseURL
	}
	if proxies, err := c.ProxyNetworks(); err == nil {
		s.Proxies = proxies
	}
	if client, err := c.egressClient(); err == nil {
		s.Egress = client
	}
	return doctor.Subject{Settings: s, Registry: reg, Program: c.Version, Now: time.Now}, nil
}

// validateOthers is Validate without what has checks of its own: the secret keys, and the order of the retention.
func (c Config) validateOthers() error {
	c.SecretKey, c.SecretKeyFile = strings.Repeat("x", minSecretKey), ""
	c.SecretKeyOld, c.SecretKeyOldFile = nil, ""
	c.ChangelogRetention, c.DeliveryRetention = 0, 0
	return c.Validate()
}

// files lists the files that settings and secrets are read from, whether that was done or is to be done.
func (c Config) files() []string {
	paths := slices.Concat([]string{c.SettingsFile, c.TLSKey}, c.filesRead)
	value := reflect.ValueOf(c)
	for field, name := range settingFields() {
		if strings.HasSuffix(name, "_FILE") {
			paths = append(paths, value.FieldByIndex(field.Index).String())
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// settingFields yields each field that is a setting, with its name in the environment.
func settingFields() func(yield func(reflect.StructField, string) bool) {
	return func(yield func(reflect.StructField, string) bool) {
		for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
			if name := field.Tag.Get("env"); name != "" && !yield(field, name) {
				return
			}
		}
	}
}

// ConfigVariable names the settings file in the environment.
const ConfigVariable = "TERRIER_CONFIG"

// SettingNames lists the names of all settings in the environment.
func SettingNames() []string {
	names := []string{ConfigVariable}
	for _, name := range settingFields() {
		names = append(names, name)
	}
	return names
}

// ofService matches what Kubernetes sets in every container if there is a service named terrier.
var ofService = regexp.MustCompile(`^TERRIER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP)(_\w+)?)$`)

// settingsIn returns the names in an environment that look like settings, those that are not empty.
func settingsIn(environ []string) (names []string) {
	inKubernetes := false
	for _, entry := range environ {
		inKubernetes = inKubernetes || strings.HasPrefix(entry, "KUBERNETES_SERVICE_HOST=")
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "TERRIER_") && value != "" && !(inKubernetes && ofService.MatchString(name)) {
			names = append(names, name)
		}
	}
	return names
}
