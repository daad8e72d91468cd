package record_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayNameKinds are the files outside record and the declarations that may name a kind of field, each with its reason.
var mayNameKinds = map[string]string{}

// TestKindsAreNamedInTheirPackageAlone: code that derives something from a field asks for its capabilities and never for its kind, so
// that a new kind is one new file.
func TestKindsAreNamedInTheirPackageAlone(t *testing.T) {
	files := goFiles(t, "../..")
	kinds := kindNames(files)
	if len(kinds) < 15 || !kinds["Ref"] || !kinds["Actions"] {
		t.Fatalf("found only these kinds: %v", kinds)
	}
	if len(mayNameKinds) > 5 {
		t.Errorf("%d files may name kinds, want at most 5", len(mayNameKinds))
	}
	used := map[string]bool{}
	for path, file := range files {
		if strings.HasPrefix(path, "internal/record/") || strings.HasPrefix(path, "internal/inventory/") {
			continue
		}
		for _, name := range namedKinds(file, kinds) {
			used[path] = true
			if mayNameKinds[path] == "" {
				t.Errorf("%s names record.%s: ask for a capability (internal/record/capability.go)", path, name)
			}
		}
	}
	for path := range mayNameKinds {
		if !used[path] {
			t.Errorf("%s names no kind any more: take it off the list", path)
		}
	}
}

// goFiles returns the files of the program without its tests, by their path below root.
func goFiles(t *testing.T, root string) map[string]*ast.File {
	t.Helper()
	files, set := map[string]*ast.File{}, token.NewFileSet()
	for _, dir := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.Name() == "node_modules" {
				return fs.SkipDir
			}
			if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(set, path, nil, 0)
			rel, _ := filepath.Rel(root, path)
			files[filepath.ToSlash(rel)] = file
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// kindNames returns the names of the types of package record that have a Column method, or embed one that has.
func kindNames(files map[string]*ast.File) map[string]bool {
	kinds := map[string]bool{}
	for path, file := range files {
		if filepath.Dir(path) != "internal/record" {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Column" {
				if id, ok := f.Recv.List[0].Type.(*ast.Ident); ok && ast.IsExported(id.Name) {
					kinds[id.Name] = true
				}
			}
		}
	}
	for again := true; again; {
		again = false
		for path, file := range files {
			if filepath.Dir(path) != "internal/record" {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok || kinds[spec.Name.Name] || !spec.Name.IsExported() {
					return true
				}
				if s, ok := spec.Type.(*ast.StructType); ok && embeds(s, kinds) {
					kinds[spec.Name.Name], again = true, true
				}
				return true
			})
		}
	}
	return kinds
}

func embeds(s *ast.StructType, kinds map[string]bool) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		id, ok := f.Type.(*ast.Ident)
		return ok && len(f.Names) == 0 && (kinds[id.Name] || id.Name == "readOnly")
	})
}

func namedKinds(file *ast.File, kinds map[string]bool) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "record" && kinds[sel.Sel.Name] {
			names = append(names, sel.Sel.Name)
		}
		return true
	})
	return names
}
