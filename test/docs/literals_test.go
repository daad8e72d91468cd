package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spoken are the places of code whose comments are for developers. Its string literals become messages, help and labels.
var spoken = []place{{"internal", ".go"}, {"cmd", ".go"}, {"internal/web/assets/own", ".js"}}

// A literal is a text in code, and the line where it begins.
type literal struct {
	line int
	text string
}

// sqlWords are in statements of SQL and in no sentence.
var sqlWords = regexp.MustCompile(`\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM|WHERE|JOIN|VALUES|RETURNING|ALTER|CREATE)\b`)

// literalsOf returns the string literals of a file of Go or JavaScript, without statements of SQL.
func literalsOf(t *testing.T, file string) []literal {
	t.Helper()
	code := read(t, filepath.Join(root, file))
	if strings.HasSuffix(file, ".js") {
		return quotedIn(code)
	}
	found, err := spokenIn(code)
	if err != nil {
		t.Fatal(file, err)
	}
	return found
}

// spokenIn returns the string literals of Go code. Literals that are added up are one text, with … for each value between them.
func spokenIn(code string) ([]literal, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []literal
	var look func(ast.Node) bool
	look = func(node ast.Node) bool {
		expression, ok := node.(ast.Expr)
		if !ok {
			return true
		}
		text, others := flat(expression)
		if text == "" {
			return true
		}
		if !sqlWords.MatchString(text) {
			found = append(found, literal{files.Position(node.Pos()).Line, text})
		}
		for _, other := range others {
			ast.Inspect(other, look)
		}
		return false
	}
	ast.Inspect(parsed, look)
	return found, nil
}

// flat returns the text of a string literal, or of a sum with one, and the parts of the sum that are no literals.
func flat(expression ast.Expr) (string, []ast.Expr) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text, nil
		}
	case *ast.BinaryExpr:
		left, leftOthers := flat(e.X)
		right, rightOthers := flat(e.Y)
		if e.Op != token.ADD || left == "" && right == "" {
			return "", nil
		}
		if left == "" {
			left, leftOthers = "…", []ast.Expr{e.X}
		}
		if right == "" {
			right, rightOthers = "…", []ast.Expr{e.Y}
		}
		return left + right, append(leftOthers, rightOthers...)
	}
	return "", nil
}

// jsTokens are comments, regular expressions and strings of our JavaScript. Only strings have a group.
var jsTokens = regexp.MustCompile(strings.Join([]string{
	`(?s://[^\n]*|/\*.*?\*/)`,
	`(?:[(,=!?:&|{]|return) ?/(?:[^/*\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*/`,
	`'((?:[^'\\\n]|\\.)*)'`, `"((?:[^"\\\n]|\\.)*)"`, "`((?:[^`\\\\]|\\\\.)*)`",
}, "|"))

// quotedIn returns the strings of JavaScript.
func quotedIn(code string) []literal {
	var found []literal
	for _, at := range jsTokens.FindAllStringSubmatchIndex(code, -1) {
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 && at[group] < at[group+1] {
				found = append(found, literal{1 + strings.Count(code[:at[group]], "\n"), code[at[group]:at[group+1]]})
			}
		}
	}
	return found
}

// TestLiterals: the literals of code are found with their lines, comments and SQL are not.
func TestLiterals(t *testing.T) {
	t.Parallel()
	code := "package p // \"a comment\"\nimport \"fmt\"\nvar s struct {\n\tA int `help:\"of a tag\"`\n}\n" +
		"func f(n string) error {\n\tquery(\"SELECT please FROM t\")\n\treturn fmt.Errorf(\"a sum \"+\n\t\t\"goes on: \"+g(\"inner\")+\".\")\n}\n"
	found, err := spokenIn(code)
	want := []literal{{2, "fmt"}, {4, `help:"of a tag"`}, {8, "a sum goes on: …."}, {9, "inner"}}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("%+v, %v", found, err)
	}
	script := "// it's a comment\nconst a = x.replace(/[\"']/g, 'one') + \"two's\"; /* 'not\n this' */\nreturn /'$/.test(`three\n${a}`);\n"
	if found, want := quotedIn(script), []literal{{2, "one"}, {2, "two's"}, {4, "three\n${a}"}}; !slices.Equal(found, want) {
		t.Errorf("%+v", found)
	}
}
