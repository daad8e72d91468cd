package doctor

import (
	"os"
	"testing"
)

// TestJudgeMode: nobody else may change a file with secrets, and not everybody may read it, except where containers mount
// them.
func TestJudgeMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path string
		mode os.FileMode
		want Status
	}{
		{"/etc/terrier/key", 0o600, OK},
		{"/etc/terrier/key", 0o640, OK},
		{"/etc/terrier/key", 0o444, Warn},
		{"/etc/terrier/key", 0o660, Fail},
		{"/etc/terrier/key", 0o602, Fail},
		{"/run/secrets/key", 0o444, OK},
		{"/run/secrets/terrier/key", 0o444, OK},
		{"/run/secrets/terrier/key", 0o666, Fail},
		{"/run/secrets/../key", 0o444, Warn},
		{"/run/secrets-of-others", 0o444, Warn},
	} {
		if f := judgeMode(c.path, c.mode); f.Status != c.want || (f.Remedy == "") != (c.want == OK) {
			t.Errorf("%s %04o: %+v", c.path, c.mode, f)
		}
	}
}
