#!/usr/bin/env bash
# Runs units of Redis' own test suite against redis-server and the embedded server, and prints how many of their tests
# pass, unit by unit, as docs/reference/redis-suite.md has it. The suite is not part of this repository: it is the folder
# tests/ of a source release of the redis-server that is on the PATH.
#
#   ./mvnw -q -pl sdk-core/embedded-server test-compile dependency:build-classpath -Dmdep.outputFile=target/classpath
#   sdk-core/embedded-server/redis-suite.sh FOLDER_OF_THE_SOURCES [unit…]
#
# A unit that is stopped by an exception, or runs for longer than LIMIT (120) seconds, counts as far as it came. CLASSPATH_FILE,
# PORT (7620) and JAVA_OPTS may be set. Needs redis-server, redis-cli and tclsh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sources=${1:?the folder of the sources of Redis}
shift
units=("$@")
if [ ${#units[@]} = 0 ]; then
  units=(type/string type/incr type/list type/list-2 type/set type/zset type/hash type/stream type/stream-cgroups
    expire scan keyspace sort bitops bitfield geo hyperloglog protocol multi pubsub pubsubshard scripting functions
    acl acl-v2 auth introspection introspection-2 querybuf limits tracking dump slowlog info other)
fi
classpath=${CLASSPATH:-$here/target/classes:$(cat "${CLASSPATH_FILE:-$here/target/classpath}")}
port=${PORT:-7620} limit=${LIMIT:-120}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
scratch=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; wait 2>/dev/null; rm -rf "$scratch"' EXIT

start() { # server
  case $1 in
    redis) redis-server --port "$port" --save '' --bind 127.0.0.1 --dir "$scratch" --enable-debug-command yes ;;
    # shellcheck disable=SC2086 # options are words
    *) $java ${JAVA_OPTS:-} -cp "$classpath" dev.sheaf.embedded.Main --port "$port" ;;
  esac >"$scratch/$1.log" 2>&1 &
  pid=$!
  until redis-cli -p "$port" ping >/dev/null 2>&1; do
    kill -0 "$pid"
    sleep 0.1
  done
}

# Runs a unit on a fresh server and prints how many of its tests pass.
passes() { # server, unit
  start "$1"
  (cd "$sources" && timeout "$limit" tclsh tests/test_helper.tcl --host 127.0.0.1 --port "$port" --single "unit/$2" \
    --clients 1 --tags '-slow -needs:repl' </dev/null >"$scratch/$1.$$.txt" 2>&1) || true
  kill "$pid"
  wait "$pid" 2>/dev/null || true
  pid=
  grep -c '^\[.*ok.*\]:' "$scratch/$1.$$.txt" || true
}

version=$(redis-server --version | sed 's/.*v=\([0-9.]*\).*/\1/')
printf '| Unit | Redis %s | Embedded | |\n|---|---:|---:|---:|\n' "$version"
all_theirs=0 all_ours=0
row() { # title, theirs, ours
  local share=
  [ "$2" = 0 ] || share="$(((200 * $3 / $2 + 1) / 2)) %"
  printf '| %s | %d | %d | %s |\n' "$1" "$2" "$3" "$share"
}
for unit in "${units[@]}"; do
  theirs=$(passes redis "$unit")
  ours=$(passes embedded "$unit")
  row "$unit" "$theirs" "$ours"
  all_theirs=$((all_theirs + theirs)) all_ours=$((all_ours + ours))
done
row 'all' "$all_theirs" "$all_ours"
