package web

import (
	"net/http"

	"terrier/internal/ledger"
)

// documentPath is the address of the API document.
const documentPath = "/api/schema/"

// Swagger shows the API document. It has its own frame, because Swagger UI and Bootstrap use the same names for their styles.
func (s *Site) Swagger(w http.ResponseWriter, r *http.Request) {
	v := &Visit{Site: s, W: w, R: r, Ctx: r.Context(), Caller: ledger.CallerFrom(r.Context())}
	f := v.frame(Page{Title: "API documentation", Body: documentPath})
	if err := v.send("swagger", f, http.StatusOK); err != nil {
		s.Fail(w, r, err)
	}
}
