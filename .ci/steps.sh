# shellcheck shell=bash
# Runs the steps of a run one after the other, or two lists of them beside each other. Sourced by .ci/run.
#
# step NAME CMD...       runs CMD. The run ends at the first step that fails, and names it
# beside FUNCTION...     calls functions that consist of steps at the same time. What a step prints is kept, and printed whole when the step
#                        ends. If one fails, the others are stopped
# second_try TEXT        notes what passed only when it was tried again. It is named at the end
# times_of_steps         prints how many seconds each step took
#
# bin/ci-times keeps the seconds of the last run, one line for each step.

ci_work=$(mktemp -d "${TMPDIR:-/tmp}/terrier-ci.XXXXXX")
ci_times=${CI_TIMES:-bin/ci-times}
ci_kept= # set where output is kept until the step ends
ci_groups=()

begin_steps() {
  mkdir -p "$(dirname "$ci_times")"
  : >"$ci_times"
  : >"$ci_work/second"
  trap end_steps EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

end_steps() {
  local code=$?
  trap '' INT TERM
  stop_groups
  times_of_steps
  [[ ! -e $ci_work/failed ]] || echo "==> failed: $(paste -sd ',' "$ci_work/failed")"
  rm -rf "$ci_work"
  exit "$code"
}

step() {
  local name=$1 began=$SECONDS code=0 output=
  shift
  if [[ -n $ci_kept ]]; then
    output=$(mktemp "$ci_work/output.XXXXXX")
    flock "$ci_work/lock" echo "==> $name: started" # not amid the output of another step
    "$@" >"$output" 2>&1 || code=$?
  else
    echo "==> $name"
    "$@" || code=$?
  fi
  finished "$name" $((SECONDS - began)) "$code" "$output" || exit 1
}

# finished NAME SECONDS CODE OUTPUT: one step at a time, so that two outputs are never mixed.
finished() {
  (
    flock 9
    printf '%5d\t%s\n' "$2" "$1" >>"$ci_times"
    if [[ -n $4 ]]; then
      echo "==> $1"
      cat "$4"
    fi
    if (($3 == 0)); then
      echo "==> $1: ok, $2 s ($SECONDS s in all)"
    else
      echo "==> $1: FAILED after $2 s ($SECONDS s in all)"
      echo "$1" >>"$ci_work/failed"
    fi
    exit "$3"
  ) 9>"$ci_work/lock"
}

beside() {
  local list code=0
  set -m # each list is a process group, so that all that it started can be stopped
  for list in "$@"; do
    (
      trap 'exit 143' TERM
      trap - EXIT
      ci_kept=yes
      "$list"
    ) &
    ci_groups+=($!)
  done
  set +m
  for list in "$@"; do
    wait -n || code=$?
    ((code == 0)) || exit 1
  done
  ci_groups=()
}

# stop_groups ends what still runs, and waits for it: private databases stop and remove their files.
stop_groups() {
  local group
  for group in "${ci_groups[@]}"; do
    kill -TERM -- "-$group" 2>/dev/null || continue
    for _ in {1..600}; do
      kill -0 -- "-$group" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$group" 2>/dev/null || true
  done
}

second_try() { echo "$*" >>"$ci_work/second"; }

times_of_steps() {
  echo "==> seconds of each step:"
  cat "$ci_times"
  if [[ -s $ci_work/second ]]; then
    echo "==> passed only on the second try:"
    sort -u "$ci_work/second"
  fi
}
