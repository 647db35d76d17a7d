#!/usr/bin/env bash
# Compares the embedded server with redis-server in one run of redis-benchmark and prints a table of thousands of
# commands per second, with the share of redis-server's. Every case goes to the three servers in turn, ROUNDS times
# after each case has warmed the JVMs; the best round of each counts, as a shared machine only ever slows one down.
#
#   ./mvnw -q -pl sdk-core/embedded-server test-compile dependency:build-classpath -Dmdep.outputFile=target/classpath
#   sdk-core/embedded-server/compare-speed.sh [case…]
#
# Cases: set get mset lrange zadd evalsha, each with :1 or :16 for the pipeline, or both without. ROUNDS (2), CLIENTS
# (50), SECONDS_EACH (1), WARM_UP (10 seconds) and JAVA_OPTS may be set. Needs redis-server and redis-benchmark.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
classpath=$here/target/classes:$(cat "$here/target/classpath")
rounds=${ROUNDS:-2} clients=${CLIENTS:-50} each=${SECONDS_EACH:-1} port=${PORT:-7610}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
names=(redis epoll nio)
scratch=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$scratch"' EXIT

redis-server --port "$port" --save '' --appendonly no --bind 127.0.0.1 --dir "$scratch" >"$scratch/redis.log" &
pids+=($!)
for flag in --epoll ''; do
  port_of=$((port + ${#pids[@]}))
  # shellcheck disable=SC2086 # options are words
  $java ${JAVA_OPTS:-} -cp "$classpath" dev.sheaf.embedded.Main --port "$port_of" $flag >"$scratch/$port_of.log" &
  pids+=($!)
done
value=$(printf 'x%.0s' $(seq 64))
for i in 0 1 2; do
  until redis-cli -p $((port + i)) ping >/dev/null 2>&1; do sleep 0.05; done
  for _ in $(seq 120); do printf 'RPUSH mylist %s\r\n' "$value"; done | redis-cli -p $((port + i)) --pipe >/dev/null
  for k in $(seq 0 999); do printf 'SET key:%012d %s\r\n' "$k" "$value"; done | redis-cli -p $((port + i)) --pipe >/dev/null
done
script="return redis.call('GET', KEYS[1])"
for i in 0 1 2; do sha=$(redis-cli -p $((port + i)) script load "$script"); done

# arguments: case pipeline port requests; prints requests per second
run() {
  local arguments
  case $1 in
    set) arguments=(-r 100000 set key:__rand_int__ "$value") ;;
    get) arguments=(-r 1000 get key:__rand_int__) ;;
    mset)
      arguments=(-r 100000 mset)
      for _ in $(seq 10); do arguments+=(key:__rand_int__ "$value"); done
      ;;
    lrange) arguments=(lrange mylist 0 99) ;;
    zadd) arguments=(-r 100000 zadd zset __rand_int__ element:__rand_int__) ;;
    evalsha) arguments=(-r 1000 evalsha "$sha" 1 key:__rand_int__) ;;
    *) echo "unknown case $1" >&2 && exit 2 ;;
  esac
  redis-benchmark -p "$3" -c "$clients" -P "$2" -n "$4" -q "${arguments[@]}" 2>/dev/null |
    tr '\r' '\n' | sed -n 's/.*: \([0-9.]*\) requests per second.*/\1/p' | tail -1
}

cases=()
for c in "${@:-set get mset lrange zadd evalsha}"; do
  for word in $c; do
    if [[ $word == *:* ]]; then cases+=("$word"); else cases+=("$word:1" "$word:16"); fi
  done
done
printf '%-12s %9s %9s %6s %9s %6s   (thousands/s)\n' case redis epoll '' nio ''
for c in "${cases[@]}"; do
  what=${c%:*} pipeline=${c#*:}
  best=(0 0 0)
  guess=$(run "$what" "$pipeline" "$port" 20000)
  requests=$(awk -v g="$guess" -v e="$each" 'BEGIN { printf "%d", (g * e < 20000 ? 20000 : g * e) }')
  for i in 1 2; do
    until_second=$((SECONDS + ${WARM_UP:-10}))
    while [ "$SECONDS" -lt "$until_second" ]; do run "$what" "$pipeline" $((port + i)) "$requests" >/dev/null; done
  done
  for round in $(seq "$rounds"); do
    for i in 0 1 2; do
      rate=$(run "$what" "$pipeline" $((port + i)) "$requests")
      best[i]=$(awk -v a="${best[i]}" -v b="${rate:-0}" 'BEGIN { print (a > b ? a : b) }')
    done
  done
  awk -v n="$what P=$pipeline" -v r="${best[0]}" -v e="${best[1]}" -v o="${best[2]}" 'BEGIN {
    printf "%-12s %9.1f %9.1f %5.2fx %9.1f %5.2fx\n", n, r/1000, e/1000, e/r, o/1000, o/r }'
done
