-- A missing key gives false, which equals no argument; a wrong type is no string of these bytes.
local found = redis.pcall('GET', KEYS[1])
if found ~= ARGV[1] then
  return 0
end
if ARGV[3] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else
  redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
end
return 1
