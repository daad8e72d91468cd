package jinja

// filter is a filter, which follows a bar.
type filter struct {
	params parameters
	apply  func(r *run, v value, args []value) value
	stream bool // returns a generator, whatever the value
}

// filters has all filters except those in peritem.go, which take the name of another one.
var filters = map[string]filter{
	// any value
	"default":     {takes("default_value?", "boolean?"), defaultValue, false},
	"d":           {takes("default_value?", "boolean?"), defaultValue, false},
	"string":      {takes(), toText, false},
	"tojson":      {takes("indent?"), toJSON, false},
	"escape":      {takes(), escapeHTML, false},
	"e":           {takes(), escapeHTML, false},
	"forceescape": {takes(), forceEscape, false},
	"safe":        {takes(), func(r *run, v value, _ []value) value { return markup(r.str(v)) }, false},
	"urlencode":   {takes(), urlEncode, false},
	"length":      {takes(), count, false},
	"count":       {takes(), count, false},

	// numbers
	"int":            {takes("default?", "base?"), toInt, false},
	"float":          {takes("default?"), toFloat, false},
	"abs":            {takes(), absolute, false},
	"round":          {takes("precision?", "method?"), round, false},
	"filesizeformat": {takes("binary?"), fileSize, false},

	// texts
	"upper":      {takes(), onString((*run).upper), false},
	"lower":      {takes(), onString((*run).lower), false},
	"capitalize": {takes(), onString((*run).capitalize), false},
	"title":      {takes(), func(r *run, v value, _ []value) value { return r.titleWords(r.str(v)) }, false},
	"trim":       {takes("chars?"), trim, false},
	"replace":    {takes("old", "new", "count?"), replaceFilter, false},
	"center":     {takes("width?"), center, false},
	"indent":     {takes("width?", "first?", "blank?"), indent, false},
	"truncate":   {takes("length?", "killwords?", "end?", "leeway?"), truncate, false},
	"wordwrap":   {takes("width?", "break_long_words?", "wrapstring?", "break_on_hyphens?"), wordWrap, false},
	"wordcount":  {takes(), wordCount, false},
	"format":     {takes("*", "**"), formatFilter, false},

	// lists
	"list":     {takes(), func(r *run, v value, _ []value) value { return &list{items: r.copyAll(v)} }, false},
	"join":     {takes("d?", "attribute?"), joinFilter, false},
	"first":    {takes(), first, false},
	"last":     {takes(), last, false},
	"reverse":  {takes(), reverseFilter, false},
	"sum":      {takes("attribute?", "start?"), sum, false},
	"min":      {takes("case_sensitive?", "attribute?"), extreme("<"), false},
	"max":      {takes("case_sensitive?", "attribute?"), extreme(">"), false},
	"sort":     {takes("reverse?", "case_sensitive?", "attribute?"), sortFilter, false},
	"dictsort": {takes("case_sensitive?", "by?", "reverse?"), dictSort, false},
	"unique":   {takes("case_sensitive?", "attribute?"), unique, true},
	"groupby":  {takes("attribute", "default?", "case_sensitive?"), groupBy, false},
	"batch":    {takes("linecount", "fill_with?"), batch, true},
	"slice":    {takes("slices", "fill_with?"), sliceFilter, true},
	"items":    {takes(), itemsFilter, true},
}

// given returns an argument, or the other value if it was left out.
func given(v, otherwise value) value {
	if v == missing {
		return otherwise
	}
	return v
}

// flag returns the truth of an argument, or the other value if it was left out.
func flag(v value, otherwise bool) bool {
	return truth(given(v, otherwise))
}

func defaultValue(_ *run, v value, args []value) value {
	if isUndefined(v) || flag(args[1], false) && !truth(v) {
		return given(args[0], "")
	}
	return v
}

// toText is Jinja2's soft_str: escaped text stays escaped.
func toText(r *run, v value, _ []value) value {
	return like(v, r.str(v))
}

func escapeHTML(r *run, v value, _ []value) value {
	if _, ok := v.(markup); ok {
		return v
	}
	return markup(r.escape(r.str(v)))
}

func forceEscape(r *run, v value, _ []value) value {
	return markup(r.escape(r.str(v)))
}

func count(r *run, v value, _ []value) value {
	n, ok := r.length(v)
	if !ok {
		if _, isLoop := v.(*loop); isLoop {
			refuse("the length of loop")
		}
		fail("'%s' has no length", typeName(v))
	}
	return int64(n)
}

// urlEncode escapes a text for a path, or pairs for a query.
func urlEncode(r *run, v value, _ []value) value {
	if _, ok := asText(v); ok || !isIterable(v) {
		return r.quoteURL(r.str(v), false)
	}
	pairs := v
	if d, ok := v.(*dict); ok {
		pairs = &view{d, "items"}
	}
	var parts []string
	for _, item := range r.all(pairs) {
		pair := r.all(item)
		if len(pair) != 2 {
			fail("urlencode needs pairs")
		}
		r.alloc(48)
		parts = append(parts, r.quoteURL(r.str(pair[0]), true)+"="+r.quoteURL(r.str(pair[1]), true))
	}
	return r.joined(parts, "&")
}

func (r *run) quoteURL(s string, query bool) string {
	r.text(3 * len(s))
	b := make([]byte, 0, 3*len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c), 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '.', c == '-', c == '~', c == '/' && !query:
			b = append(b, c)
		case c == ' ' && query:
			b = append(b, '+')
		default:
			b = append(b, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return string(b)
}
