local sum = 0
for i = 1, #KEYS do
  sum = sum + tonumber(redis.call('GET', KEYS[i]) or 0)
end
if ARGV[1] then
  return math.min(sum, tonumber(ARGV[1]))
end
return sum
