package metrics

// Family is a metric: all series of one name.
type Family struct {
	Name   string
	Kind   Kind
	Help   string
	Labels []string
	From   string // the processes that have it
}

// Kind is what Prometheus calls the type of a metric.
type Kind string

// The kinds in use.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// The processes that have a family.
const (
	everywhere = "serve, worker"
)

// BuildInfo says which program this is.
var BuildInfo = Family{Name: "terrier_build_info", Kind: Gauge, From: everywhere,
	Help: "1, with the version of the program and of Go.", Labels: []string{"version", "go_version"}}

// A Group is a part of the table in docs/metrics.md.
type Group struct {
	Title    string
	Families []Family
}

// Groups lists every family of ours.
func Groups() []Group {
	return []Group{
		{"The process", []Family{BuildInfo}},
	}
}
