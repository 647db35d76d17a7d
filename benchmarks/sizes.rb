# Sums the sizes of sorted sets with Ruby's client: ZCARD one after the other, of a tenth of the keys, and all in
# pipelines of 10,000. Arguments: the server's port and the number of keys sizes:0, sizes:1, ...
require 'redis'

RUNS = 5
redis = Redis.new(host: '127.0.0.1', port: ARGV[0].to_i)
keys = Array.new(ARGV[1].to_i) { |i| "sizes:#{i}" }

# The median of some runs after one that does not count.
def millis(expected)
  times = Array.new(RUNS + 1) do
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    sum = yield
    abort "#{sum} and not #{expected}" unless sum == expected
    (Process.clock_gettime(Process::CLOCK_MONOTONIC) - from) * 1_000
  end
  times.drop(1).sort[RUNS / 2]
end

some = keys.take(keys.size / 10)
loop_millis = 10 * millis(some.size) { some.sum { |key| redis.zcard(key) } }
pipeline_millis = millis(keys.size) do
  keys.each_slice(10_000).sum { |part| redis.pipelined { |pipe| part.each { |key| pipe.zcard(key) } }.sum }
end
puts format('{"client": "redis-rb (Ruby)", "keys": %d, "loopMillis": %f, "pipelineMillis": %f}', keys.size, loop_millis, pipeline_millis)
