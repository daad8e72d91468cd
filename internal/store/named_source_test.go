package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// unnamed are the functions whose errors get their names elsewhere, and where.
var unnamed = map[string]string{
	"Answer":              "read and HoldAnswer name their errors",
	"CheckPooling":        "each error names the connection, or is what was found",
	"Hosts":               "poolConfig names the setting, which is the only error",
	"Inspect":             "openPool names the connection, poolConfig the setting",
	"Inspector.Read":      "each question names its errors",
	"Open":                "as Inspect, and its own statement is named",
	"OpenPool":            "as Inspect",
	"Store.PartitionsLow": "PartitionsAhead names its errors",
	"Store.Read":          "waiting, begin, Flush and the end are named; other errors are those of fn",
	"Store.Rehearse":      "as Read",
	"Store.Samples":       "newest names its errors; others are those of each",
	"Store.VerifyChain":   "what it looks for is no failure; others are named",
	"Store.Write":         "as Read",
}

// TestErrorsAreNamed: every exported function that may ask the database and returns an error names what it was doing, or only returns the
// result of another exported one.
func TestErrorsAreNamed(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !asks(fn.Type) {
				continue
			}
			name := fullName(fn)
			seen[name] = true
			switch named, reason := namesErrors(fn.Body), unnamed[name]; {
			case named && reason != "":
				t.Errorf("%s: %s names its errors: remove it from the list", files.Position(fn.Pos()), name)
			case !named && reason == "" && !passesOn(fn.Body):
				t.Errorf("%s: begin %s with: defer named(&err, \"…\")", files.Position(fn.Pos()), name)
			}
		}
	}
	for name := range unnamed {
		if !seen[name] {
			t.Errorf("there is no %s: remove it from the list", name)
		}
	}
	if len(seen) < 140 {
		t.Errorf("looked at %d functions", len(seen))
	}
}

// asks reports whether a function has a context and returns an error.
func asks(fn *ast.FuncType) bool {
	if fn.Results == nil || !isNamed(fn.Results.List[len(fn.Results.List)-1].Type, "error") {
		return false
	}
	for _, p := range fn.Params.List {
		if isNamed(p.Type, "Context") {
			return true
		}
	}
	return false
}

// fullName returns the name of a function, and the type that it is a method of before it.
func fullName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	of := fn.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	return of.(*ast.Ident).Name + "." + fn.Name.Name
}

// namesErrors reports whether a function begins or goes on with defer named(…).
func namesErrors(body *ast.BlockStmt) bool {
	for _, statement := range body.List {
		if d, ok := statement.(*ast.DeferStmt); ok && isNamed(d.Call.Fun, "named") {
			return true
		}
	}
	return false
}

// passesOn reports whether a function only returns the result of an exported one.
func passesOn(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	back, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(back.Results) != 1 {
		return false
	}
	call, ok := back.Results[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	switch called := call.Fun.(type) {
	case *ast.Ident:
		return called.IsExported()
	case *ast.SelectorExpr: // a method of its own receiver, and not of a pool in it
		_, own := called.X.(*ast.Ident)
		return own && called.Sel.IsExported()
	}
	return false
}

// isNamed reports whether an expression is a name, of this package or of another one.
func isNamed(e ast.Expr, name string) bool {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name == name
	case *ast.SelectorExpr:
		return x.Sel.Name == name
	}
	return false
}
