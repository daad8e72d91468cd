#!/usr/bin/env bash
# Keeps an exact copy of records in SQLite. It needs curl and sqlite3.
#
#     TERRIER_URL=https://terrier.example TERRIER_TOKEN=… ./follow.sh copy.db dcim.site dcim.device
#
# The copy is the table record (type, id, version, state). Stop it or kill it at any moment: it goes on where it was.
set -euo pipefail
copy=$(realpath "$1")
shift
types=$(IFS=, && echo "$*")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

sql() { sqlite3 -bail -cmd '.timeout 5000' "$copy"; }

# ask FILE PATH: writes the answer to a file, and prints the status.
ask() {
  curl --silent --show-error --max-time 600 --output "$1" --write-out '%{http_code}' \
    --config <(echo "header = \"Authorization: Token $TERRIER_TOKEN\"") "$TERRIER_URL/api/extras/feed/$2"
}

# Replaces the copy by a snapshot of each type, in one transaction.
start() {
  local type status
  for type in "$@"; do
    status=$(ask "$type" "snapshot/?type=$type") && [[ $status == 200 ]] && tail -n 1 "$type" | grep -q '^{"end":true' || return 1
  done
  {
    echo "BEGIN; DELETE FROM record; DELETE FROM follower; CREATE TEMP TABLE line (line TEXT);"
    printf '.mode ascii\n.separator "\\037" "\\n"\n'
    for type in "$@"; do
      # The first snapshot is the oldest. What the others have of the changes since will come again.
      echo "DELETE FROM line;
.import $type line
INSERT OR IGNORE INTO follower SELECT '$types', line ->> 'position' FROM line WHERE line ->> 'position' IS NOT NULL;
INSERT INTO record SELECT '$type', line ->> 'id', line ->> 'version', line -> 'state' FROM line WHERE line ->> 'id' IS NOT NULL;"
    done
    echo "COMMIT;"
  } | sql
}

# Applies a page of changes. A change that the copy has already is recognised by its version. A deleted record has no state any more.
# SQLite reads the JSON itself, so that every state stays as it was sent.
apply() {
  sql <<'SQL'
BEGIN;
INSERT INTO record
SELECT value ->> 'object_type', value ->> 'object_id', value ->> 'version', value -> 'snapshots' -> 'postchange'
FROM json_each(readfile('page'), '$.results') WHERE true
ON CONFLICT DO UPDATE SET version = excluded.version, state = excluded.state WHERE excluded.version > version;
DELETE FROM record WHERE state = 'null';
UPDATE follower SET position = CAST(readfile('page') AS TEXT) ->> 'next';
COMMIT;
SQL
}

sql <<'SQL' >/dev/null
PRAGMA journal_mode = WAL; -- others may read the copy meanwhile
CREATE TABLE IF NOT EXISTS record (type TEXT, id INTEGER, version INTEGER, state TEXT, PRIMARY KEY (type, id));
CREATE TABLE IF NOT EXISTS follower (types TEXT PRIMARY KEY, position INTEGER);
SQL
while true; do
  position=$(sql <<<"SELECT position FROM follower WHERE types = '$types'")
  if [[ -z $position ]]; then
    start "$@" || sleep 2
    continue
  fi
  status=$(ask page "?after=$position&types=$types&limit=500&wait=20") || status=none
  case $status in
    200) apply ;;
    410) start "$@" || sleep 2 ;; # the changes after this position are no longer kept
    400 | 403) cat page >&2 && exit 1 ;;
    *) sleep 2 ;;
  esac
done
