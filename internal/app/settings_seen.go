package app

import (
	"context"
	"fmt"
	"strings"

	"terrier/internal/audit"
	"terrier/internal/record"
)

// watchedSettings are the settings whose change is an event of the audit log, with their values: who may see what, who is believed about
// addresses, where requests may go, and how long and where the log is kept.
func (c Config) watchedSettings() map[string]string {
	return map[string]string{
		"TERRIER_AUDIT_LOG":               c.AuditLog,
		"TERRIER_BASE_URL":                c.BaseURL,
		"TERRIER_CHANGELOG_RETENTION":     fmt.Sprint(c.ChangelogRetention),
		"TERRIER_EGRESS_ALLOW":            c.EgressAllow,
		"TERRIER_EXEMPT_VIEW_PERMISSIONS": strings.Join(c.ExemptViewPermissions, ","),
		"TERRIER_LOGIN_REQUIRED":          fmt.Sprint(c.LoginRequired),
		"TERRIER_SECRET_KEY":              c.SecretKey,
		"TERRIER_TRUSTED_PROXIES":         strings.Join(c.TrustedProxies, ","),
		"TERRIER_WEBHOOK_CA_DIR":          c.WebhookCADir,
	}
}

// noteSettings records which watched settings differ from those of the server that started last. The database has proofs of the values,
// not the values. The first start records nothing.
func (a *App) noteSettings(ctx context.Context) error {
	watched := a.cfg.watchedSettings()
	message := func(name string) []byte { return []byte("setting " + name + "\x00" + watched[name]) }
	proofs := map[string]string{}
	for name := range watched {
		proofs[name] = a.keys.Prove(message(name))
	}
	same := func(name, proof string) bool {
		if name == "TERRIER_SECRET_KEY" { // an old key proves other settings, and not that the key is the same
			return proof == proofs[name]
		}
		return a.keys.Proven(message(name), proof)
	}
	var event audit.Event
	changed, err := a.Store.SeeSettings(ctx, proofs, same, func(names []string) audit.Event {
		event = a.Ledger.Event(machine(), audit.SettingsChanged, record.Values{})
		event.Detail, event.Way = audit.Details(names...), "start"
		return event
	})
	if err != nil {
		return err
	}
	if changed {
		a.Ledger.Audit.Write(event)
	}
	return nil
}
