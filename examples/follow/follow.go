// Follow keeps an exact copy of records in SQLite.
//
//	TERRIER_URL=https://terrier.example TERRIER_TOKEN=… go run . copy.db dcim.site dcim.device
//
// The copy is the table record (type, id, version, state). Stop it or kill it at any moment: it goes on where it was.
package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

const tables = `
	PRAGMA journal_mode = WAL; -- others may read the copy meanwhile
	CREATE TABLE IF NOT EXISTS record (type TEXT, id INTEGER, version INTEGER, state TEXT, PRIMARY KEY (type, id));
	CREATE TABLE IF NOT EXISTS follower (types TEXT PRIMARY KEY, position INTEGER);`

// SQLite reads the JSON itself, so that every state stays as it was sent.
const addLine = "INSERT INTO record SELECT ?1, ?2 ->> 'id', ?2 ->> 'version', ?2 -> 'state'"

// A change that the copy has already is recognised by its version. A deleted record has no state any more.
const (
	applyPage = `
		INSERT INTO record
		SELECT value ->> 'object_type', value ->> 'object_id', value ->> 'version', value -> 'snapshots' -> 'postchange'
		FROM json_each(?1, '$.results') WHERE true
		ON CONFLICT DO UPDATE SET version = excluded.version, state = excluded.state WHERE excluded.version > version`
	dropDeleted  = "DELETE FROM record WHERE state = 'null'"
	keepPosition = "UPDATE follower SET position = ?1 ->> 'next'"
)

var errGone = errors.New("the changes after this position are no longer kept")

func main() {
	db, err := sql.Open("sqlite3", os.Args[1])
	if err == nil {
		_, err = db.Exec(tables)
	}
	if err != nil {
		log.Fatal(err)
	}
	for {
		if err := follow(db, os.Args[2:]); err != nil {
			log.Print(err)
			time.Sleep(2 * time.Second)
		}
	}
}

// follow takes one step: a snapshot where there is no copy, else a page of changes.
func follow(db *sql.DB, types []string) error {
	var position int64
	err := db.QueryRow("SELECT position FROM follower WHERE types = ?", strings.Join(types, ",")).Scan(&position)
	if err == nil {
		err = goOn(db, types, position)
	}
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, errGone) {
		return inTx(db, func(tx *sql.Tx) error { return start(tx, types) })
	}
	return err
}

// start replaces the copy by a snapshot of each type.
func start(tx *sql.Tx, types []string) error {
	if _, err := tx.Exec("DELETE FROM record; DELETE FROM follower"); err != nil {
		return err
	}
	for _, kind := range types {
		if err := load(tx, kind, strings.Join(types, ",")); err != nil {
			return fmt.Errorf("snapshot of %s: %w", kind, err)
		}
	}
	return nil
}

// load adds a snapshot of one type.
func load(tx *sql.Tx, kind, types string) error {
	answer, err := ask("snapshot/?type=" + kind)
	if err != nil {
		return err
	}
	defer answer.Close()
	lines := bufio.NewReader(answer)
	for count := -1; ; count++ {
		text, err := lines.ReadString('\n')
		if err != nil {
			return err // also at the end: the last line was missing
		}
		var line struct {
			Position *int64
			End      bool
			Count    int
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			return err
		}
		switch {
		case line.End && line.Count == count:
			return nil
		case line.End:
			return io.ErrUnexpectedEOF
		case line.Position != nil: // The first snapshot is the oldest. What the others have of the changes since will come again.
			_, err = tx.Exec("INSERT OR IGNORE INTO follower VALUES (?, ?)", types, *line.Position)
		default:
			_, err = tx.Exec(addLine, kind, text)
		}
		if err != nil {
			return err
		}
	}
}

// goOn applies the changes after a position. It waits until there are some, but not for long.
func goOn(db *sql.DB, types []string, position int64) error {
	answer, err := ask(fmt.Sprintf("?after=%d&types=%s&limit=500&wait=20", position, strings.Join(types, ",")))
	if err != nil {
		return err
	}
	defer answer.Close()
	page, err := io.ReadAll(answer)
	if err != nil {
		return err
	}
	return inTx(db, func(tx *sql.Tx) error {
		_, err := tx.Exec(applyPage, string(page))
		if err == nil {
			_, err = tx.Exec(dropDeleted)
		}
		if err == nil {
			_, err = tx.Exec(keepPosition, string(page))
		}
		return err
	})
}

func inTx(db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func ask(path string) (io.ReadCloser, error) {
	request, err := http.NewRequest(http.MethodGet, os.Getenv("TERRIER_URL")+"/api/extras/feed/"+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Token "+os.Getenv("TERRIER_TOKEN"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	switch answer.StatusCode {
	case http.StatusOK:
		return answer.Body, nil
	case http.StatusGone:
		return nil, errors.Join(errGone, answer.Body.Close())
	}
	defer answer.Body.Close()
	reason, _ := io.ReadAll(answer.Body)
	return nil, fmt.Errorf("%s: %s", answer.Status, reason)
}
