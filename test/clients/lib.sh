# Starts a real Terrier for the scripts that source it. Sourced by test/*/run, not run on its own.
#
# with_postgres "$@"   runs the script again below a private PostgreSQL, unless it already is
# build                puts the binary that TERRIER_TEST_BINARY names into $work, or builds it there
# start_terrier FLAG…  migrates, serves on a free loopback port and waits until it is ready; sets $base. Called again, it
#                      starts another server with a database of its own
# stop_terrier         stops the servers as an operator would, and fails when one does not end well
#
# The caller gets $work, a private directory that is removed with the server when the script ends.
# $password is the password of every user made here.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=
servers=()
password=$(openssl rand -hex 12)

with_postgres() {
  if [[ -z ${TERRIER_TEST_DATABASE_URL:-} ]]; then
    exec "$root/scripts/postgres" run -- "$0" "$@"
  fi
  work=$(mktemp -d "${TMPDIR:-/tmp}/terrier-test.XXXXXX")
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

clean_up() {
  local code=$?
  trap '' INT TERM
  local server
  for server in "${servers[@]}"; do
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  done
  if ((code != 0)) && [[ -s $work/server.log ]]; then
    echo "the last lines of the server's log:" >&2
    tail -n 20 "$work/server.log" >&2
  fi
  rm -rf "$work"
  exit "$code"
}

build() {
  if [[ -n ${TERRIER_TEST_BINARY:-} ]]; then
    ln -s "$TERRIER_TEST_BINARY" "$work/terrier"
    return
  fi
  (cd "$root" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$work/terrier" ./cmd/terrier)
}

# free_port draws below the range from which the kernel hands out ports to clients.
free_port() {
  local port
  for _ in {1..50}; do
    port=$((10000 + RANDOM % 5000))
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
  echo "no free port found" >&2
  return 1
}

start_terrier() {
  local port server
  port=$(free_port)
  base=http://127.0.0.1:$port
  # The database that comes with the private server is as good as a new one: nobody else uses it.
  export TERRIER_DATABASE_URL=$TERRIER_TEST_DATABASE_URL
  if ((${#servers[@]} > 0)); then
    psql --quiet --dbname="$TERRIER_TEST_DATABASE_URL" --command="create database terrier${#servers[@]}"
    TERRIER_DATABASE_URL=${TERRIER_TEST_DATABASE_URL/\/postgres?//terrier${#servers[@]}?}
  fi
  TERRIER_SECRET_KEY=$(openssl rand -hex 32)
  export TERRIER_SECRET_KEY TERRIER_LISTEN=127.0.0.1:$port TERRIER_BASE_URL=$base
  "$work/terrier" migrate 2>"$work/migrate.log" || { cat "$work/migrate.log" >&2; return 1; }
  "$work/terrier" serve "$@" >>"$work/server.log" 2>&1 &
  server=$!
  servers+=("$server")
  for _ in {1..300}; do
    if curl -fsS -o /dev/null "$base/readyz" 2>/dev/null; then
      return
    fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  echo "the server did not become ready" >&2
  return 1
}

# create_user NAME FLAG...: on the server that was started last.
create_user() {
  "$work/terrier" user create "$@" --password-stdin <<<"$password" >/dev/null 2>>"$work/server.log"
}

stop_terrier() {
  local code server
  kill -TERM "${servers[@]}"
  for server in "${servers[@]}"; do
    code=0
    wait "$server" || code=$?
    if ((code != 0)); then
      echo "a server ended with code $code after SIGTERM" >&2
      return 1
    fi
  done
  servers=()
}
