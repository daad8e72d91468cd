package store_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLockNumbersDiffer: no two advisory locks have one number.
func TestLockNumbersDiffer(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "locks.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{} // by number
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			literal, ok := spec.Values[i].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s is not a plain number", name.Name)
			}
			number := constant.MakeFromLiteral(literal.Value, literal.Kind, 0).ExactString()
			if other, taken := names[number]; taken {
				t.Errorf("%s and %s are one lock", other, name.Name)
			}
			names[number] = name.Name
		}
		return true
	})
	if len(names) < 6 {
		t.Errorf("found %d lock numbers", len(names))
	}
}

// lockNumber finds a number where an advisory lock gets its argument: in the statement, or beside it.
var lockNumber = regexp.MustCompile(`pg_(try_)?advisory_\w*\(\d|pg_(try_)?advisory_[^\n]*,\s*(int64\()?\d|` +
	`(\b|[a-z])[lL]ock\s*(int64\s*)?=\s*\d`)

// TestLockNumbersAreInOneBlock: no other file has the number of an advisory lock. dbtest locks another database, that of the templates.
func TestLockNumbersAreInOneBlock(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, root := range []string{"../../internal", "../../cmd", "../../test"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "/internal/dbtest/") ||
				filepath.Base(path) == "locks.go" || filepath.Base(path) == "locks_test.go" {
				return err
			}
			seen++
			text := source(t, path)
			for _, found := range lockNumber.FindAllString(text, -1) {
				if !strings.Contains(found, "hashtextextended") {
					t.Errorf("%s: %s", path, found)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 500 {
		t.Errorf("looked at %d files", seen)
	}
}

func source(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
