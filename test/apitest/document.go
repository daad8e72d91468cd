package apitest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"terrier/internal/app"
)

// documents are the OpenAPI documents of the servers of this process, each loaded once: loading one takes longer than
// a test. The key is what a document depends on besides the program.
var documents sync.Map // of string → func() (routers.Router, error)

// document returns the routes of the document that a server with these settings serves, as its first such server
// returns it.
func document(cfg app.Config, handler http.Handler) (routers.Router, error) {
	key := fmt.Sprintf("%s %s %+v", cfg.BaseURL, cfg.Version, cfg.Types)
	load, _ := documents.LoadOrStore(key, sync.OnceValues(func() (routers.Router, error) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, cfg.BaseURL+"/api/schema/", nil))
		return loadDocument(w.Body.Bytes())
	}))
	return load.(func() (routers.Router, error))()
}

func loadDocument(raw []byte) (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, fmt.Errorf("the API document can't be read: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("the API document is not valid: %w", err)
	}
	return gorillamux.NewRouter(doc)
}
