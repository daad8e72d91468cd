package health

// What people do to keep a webhook from sending.
const (
	Disabled = "disabled"
	Paused   = "paused"
)

// Standing returns one word for a webhook: disabled or paused if somebody has stopped it, or else its state.
func Standing(enabled, paused bool, state string) string {
	switch {
	case !enabled:
		return Disabled
	case paused:
		return Paused
	case state == "":
		return Healthy
	}
	return state
}

// Sends reports whether a webhook with a standing sends its deliveries. Those of others stay queued.
func Sends(standing string) bool { return standing == Healthy || standing == Failing }
