package doctor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"terrier/internal/record"
)

const settingsGroup = "settings"

var settingsChecks = []Check{
	{settingsGroup, "parse", "fix the settings that are named; docs/configuration.md lists all", 0, (*examination).parse},
	{settingsGroup, "file", "chmod 640 FILE", 0, (*examination).file},
	{settingsGroup, "names", "unset NAME", 0, (*examination).names},
	{settingsGroup, "base-url", "TERRIER_BASE_URL=https://terrier.example.com", 0, (*examination).baseURL},
	{settingsGroup, "key", "TERRIER_SECRET_KEY=$(openssl rand -base64 48)", 0, (*examination).key},
	{settingsGroup, "retention", "TERRIER_CHANGELOG_RETENTION=90 TERRIER_DELIVERY_RETENTION=30", 0, (*examination).retention},
}

func (e *examination) parse(context.Context) (Finding, error) {
	if err := e.Settings.Problem; err != nil {
		return found(Fail, "", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return ok("all settings are understood")
}

// containerSecrets is where containers mount secrets. Everybody in a container is us, and its user has another number than
// the owner of the secrets outside, so they are readable by all there.
const containerSecrets = "/run/secrets/"

// file checks who may read and write the files of settings and secrets.
func (e *examination) file(context.Context) (Finding, error) {
	if len(e.Settings.Files) == 0 {
		return ok("no settings file: all settings come from the environment and flags")
	}
	var seen []string
	for _, path := range e.Settings.Files {
		info, err := os.Stat(path)
		if err != nil {
			return found(Fail, "ls -l "+path, "%s can't be read: %s", path, cause(err))
		}
		f := judgeMode(path, info.Mode().Perm())
		if f.Status != OK {
			return f, nil
		}
		seen = append(seen, f.Seen)
	}
	return ok("%s", some(seen))
}

func judgeMode(path string, mode os.FileMode) Finding {
	isMounted := strings.HasPrefix(filepath.Clean(path), containerSecrets)
	switch {
	case mode&0o022 != 0:
		return Finding{Status: Fail, Remedy: "chmod 640 " + path,
			Seen: fmt.Sprintf("%s can be changed by others than its owner: its mode is %04o", path, mode)}
	case mode&0o004 != 0 && !isMounted:
		return Finding{Status: Warn, Remedy: "chmod 640 " + path,
			Seen: fmt.Sprintf("%s can be read by everybody: its mode is %04o", path, mode)}
	}
	return Finding{Status: OK, Seen: fmt.Sprintf("%s has mode %04o", path, mode)}
}

// cause returns the reason of an error of the file system, without the path.
func cause(err error) string {
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+1:]
}

func (e *examination) names(context.Context) (Finding, error) {
	var unknown []string
	remedy := ""
	for _, name := range e.Settings.Environ {
		if slices.Contains(e.Settings.Names, name) {
			continue
		}
		if near := record.Nearest(name, e.Settings.Names); near != "" {
			unknown = append(unknown, name+" (did you mean "+near+"?)")
		} else {
			unknown = append(unknown, name)
		}
		remedy += " " + name
	}
	if len(unknown) > 0 {
		return found(Warn, "unset"+remedy, "no such setting: %s", some(unknown))
	}
	return ok("%s in the environment, each of them known", count(len(e.Settings.Environ), "setting"))
}

func (e *examination) baseURL(ctx context.Context) (Finding, error) {
	base, err := url.Parse(e.Settings.BaseURL)
	if err != nil || base.Hostname() == "" {
		return skip("TERRIER_BASE_URL is missing or wrong: see settings-parse")
	}
	host := base.Hostname()
	if base.Scheme != "https" && !isLoopback(host) {
		return found(Warn, "TERRIER_BASE_URL=https://"+base.Host,
			"%s is not https: anybody in between can read passwords and session cookies", e.Settings.BaseURL)
	}
	if e.options.Offline {
		return ok("%s; its host was not looked up", e.Settings.BaseURL)
	}
	addrs, err := e.resolver().LookupNetIP(ctx, "ip", host)
	if err != nil {
		return found(Fail, "getent hosts "+host, "%s: host not found, so that links in answers and pages lead nowhere", e.Settings.BaseURL)
	}
	return ok("%s is at %s", e.Settings.BaseURL, some(texts(addrs)))
}

func (e *examination) resolver() *net.Resolver {
	if e.Resolver != nil {
		return e.Resolver
	}
	return net.DefaultResolver
}

func texts(addrs []netip.Addr) []string {
	list := make([]string, len(addrs))
	for i, a := range addrs {
		list[i] = a.Unmap().String()
	}
	return list
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// leastDistinct is how many different characters a random key has at least.
const leastDistinct = 10

func (e *examination) key(context.Context) (Finding, error) {
	if err := e.Settings.Key; err != nil {
		return found(Fail, "", "%s", err)
	}
	distinct := map[rune]bool{}
	for _, c := range e.Settings.SecretKey {
		distinct[c] = true
	}
	if len(distinct) < leastDistinct {
		return found(Warn, "", "the secret key is not random: it has only %d different characters", len(distinct))
	}
	return ok("the secret key is long enough; %s", count(len(e.Settings.Keys.IDs())-1, "old key"))
}

func (e *examination) retention(context.Context) (Finding, error) {
	if err := e.Settings.Retention; err != nil {
		return found(Fail, "", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return ok("changes are kept %s, deliveries %s", days(e.Settings.Keep.Changes), days(e.Settings.Keep.Deliveries))
}

func days(n int) string {
	if n == 0 {
		return "forever"
	}
	return count(n, "day")
}
