module follow

go 1.25

require github.com/mattn/go-sqlite3 v1.14.52
