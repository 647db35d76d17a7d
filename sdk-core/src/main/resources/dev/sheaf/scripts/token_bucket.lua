local capacity = tonumber(ARGV[1])
local per_second = tonumber(ARGV[2])
local wanted = tonumber(ARGV[3])
if not capacity or capacity < 1 then
  return redis.error_reply('ERR the capacity must be at least 1, but was ' .. ARGV[1])
end
if not per_second or not (per_second > 0) then
  return redis.error_reply('ERR the tokens per second must be above 0, but were ' .. ARGV[2])
end
if not wanted or wanted < 0 or wanted > capacity then
  return redis.error_reply('ERR the tokens to take must be from 0 to the capacity, but were ' .. ARGV[3])
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = math.min(tonumber(stored[1]) or capacity, capacity)
-- A clock that was set back must not take tokens away.
local passed = math.max(0, now - (tonumber(stored[2]) or now))
tokens = math.min(capacity, tokens + passed * per_second / 1000)

local wait = 0
if tokens >= wanted then
  tokens = tokens - wanted
else
  wait = math.max(1, math.ceil((wanted - tokens) * 1000 / per_second))
end
local until_full = math.ceil((capacity - tokens) * 1000 / per_second)
if until_full == 0 then
  redis.call('DEL', KEYS[1])
else
  redis.call('HSET', KEYS[1], 'tokens', string.format('%.17g', tokens), 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], until_full)
end
return wait
