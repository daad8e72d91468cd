package limit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestEveryBudgetIsDocumented: docs/limits.md names each budget by its name, and each other semaphore, pool of connections, connection of
// its own and channel with room by its file and name.
func TestEveryBudgetIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, root := range []string{"../../internal", "../../cmd"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "/internal/limit/") || strings.Contains(path, "/internal/dbtest/") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			short := strings.TrimPrefix(strings.TrimPrefix(path, "../../"), "internal/")
			for _, name := range shared(file) {
				found++
				want := "| `" + short + "` " + name + " |"
				if text, err := strconv.Unquote(name); err == nil {
					want = "| `" + text + "` |"
				}
				if !strings.Contains(string(page), want) {
					t.Errorf("docs/limits.md has no row that begins with %q", want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 20 {
		t.Errorf("found %d budgets", found)
	}
}

// shared returns what a file shares between requests: the names of budgets, quoted, and the names of what holds other semaphores.
func shared(file *ast.File) (names []string) {
	texts := map[string]string{} // constants
	var held []string            // what the nodes around the present one are called
	visit := func(n ast.Node) (name string) {
		switch x := n.(type) {
		case *ast.ValueSpec:
			for i, value := range x.Values {
				if text, ok := value.(*ast.BasicLit); ok {
					texts[x.Names[i].Name] = text.Value
				}
			}
			return x.Names[0].Name
		case *ast.KeyValueExpr:
			if key, ok := x.Key.(*ast.Ident); ok {
				return key.Name
			}
		case *ast.AssignStmt:
			return nameOf(x.Lhs[0])
		case *ast.FuncDecl:
			return x.Name.Name
		case *ast.StructType:
			for _, field := range x.Fields.List {
				if star, ok := field.Type.(*ast.StarExpr); ok && nameOf(star.X) == "pgxpool.Pool" && len(field.Names) > 0 {
					names = append(names, field.Names[0].Name)
				}
			}
		}
		return ""
	}
	var stack []string
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, visit(n))
		held = held[:0]
		for _, name := range stack {
			if name != "" {
				held = append(held, name)
			}
		}
		switch x := n.(type) {
		case *ast.CompositeLit:
			if nameOf(x.Type) == "limit.Budget" {
				names = append(names, budgetName(x, texts))
			}
		case *ast.CallExpr:
			switch called := nameOf(x.Fun); {
			case called == "semaphore.NewWeighted", called == "pgx.ConnectConfig", called == "pgxpool.New", called == "pgxpool.NewWithConfig",
				called == "make" && len(x.Args) == 2 && isSignals(x.Args[0]):
				names = append(names, held[len(held)-1])
			}
		}
		return true
	})
	return names
}

func isSignals(e ast.Expr) bool {
	channel, ok := e.(*ast.ChanType)
	if !ok {
		return false
	}
	element, ok := channel.Value.(*ast.StructType)
	return ok && len(element.Fields.List) == 0
}

func budgetName(x *ast.CompositeLit, texts map[string]string) string {
	for _, element := range x.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && nameOf(pair.Key) == "Name" {
			if text, ok := pair.Value.(*ast.BasicLit); ok {
				return text.Value
			}
			return texts[nameOf(pair.Value)]
		}
	}
	return `"a budget without a name"`
}

// nameOf returns an identifier, or the two parts of a selector.
func nameOf(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return nameOf(x.X) + "." + x.Sel.Name
	}
	return ""
}
