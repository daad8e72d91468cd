package ci_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRaced reads every package and checks that scripts/raced gives those to the race detector that start goroutines or share state. The
// script only looks for words.
func TestRaced(t *testing.T) {
	t.Parallel()
	yes, no := raced(t, "yes"), raced(t, "no")
	for _, pattern := range []string{"internal", "cmd", "test"} {
		err := filepath.WalkDir(filepath.Join("../..", pattern), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				if err == nil && entry.Name() == "node_modules" {
					return filepath.SkipDir
				}
				return err
			}
			dir, err := filepath.Rel("../..", filepath.Dir(path))
			if err != nil {
				return err
			}
			name := "terrier/" + filepath.ToSlash(dir)
			if slices.Contains(yes, name) == slices.Contains(no, name) {
				t.Errorf("%s is tested both ways, or not at all", name)
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err == nil && concurrent(file, strings.HasSuffix(path, "_test.go")) && !slices.Contains(yes, name) {
				t.Errorf("%s starts goroutines or shares state, and %s would be tested without the race detector", path, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"delivery", "feed", "store", "ledger", "rest", "server", "app"} {
		if !slices.Contains(yes, "terrier/internal/"+name) {
			t.Errorf("internal/%s would be tested without the race detector", name)
		}
	}
}

func raced(t *testing.T, answer string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "../../scripts/raced", answer, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// concurrent reports whether a file starts goroutines or, unless it is a test, has state that they share.
func concurrent(file *ast.File, test bool) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if called, ok := x.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Go" {
				found = true
			}
		case *ast.ChanType:
			found = found || !test
		case *ast.SelectorExpr:
			from, ok := x.X.(*ast.Ident)
			shared := ok && (slices.Contains([]string{"atomic", "background", "limit"}, from.Name) && ast.IsExported(x.Sel.Name) ||
				from.Name == "sync" && !strings.HasPrefix(x.Sel.Name, "OnceVal"))
			found = found || shared && !test
		}
		return !found
	})
	return found
}
