package background_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoroutinesStartHere: no other package has a go statement, or calls Go of sync.WaitGroup or errgroup.Group, which take a function
// and no name. A panic there would end the process. Packages of tests are free.
func TestGoroutinesStartHere(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, root := range []string{"../../internal", "../../cmd"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "/internal/dbtest/") || path == "../../internal/background/background.go" {
				return err
			}
			seen++
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if bare(n) {
					t.Errorf("%s: start it with package background, which recovers its panics", files.Position(n.Pos()))
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 300 {
		t.Errorf("looked at %d files", seen)
	}
}

// bare reports whether a node starts a goroutine without a name.
func bare(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		called, ok := n.Fun.(*ast.SelectorExpr)
		return ok && (called.Sel.Name == "Go" || called.Sel.Name == "TryGo") && len(n.Args) == 1
	}
	return false
}
