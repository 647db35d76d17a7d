-- KEYS[1] counts the visits of one visitor. ARGV: the most visits, the milliseconds of the window.
-- Gives 0 for a visit that is allowed, else the milliseconds until one will be.
local visits = redis.call('INCR', KEYS[1])
if visits == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
if visits <= tonumber(ARGV[1]) then
  return 0
end
return math.max(redis.call('PTTL', KEYS[1]), 1)
