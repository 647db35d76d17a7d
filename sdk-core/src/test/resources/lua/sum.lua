local sum = tonumber(ARGV[1])
for i = 1, #KEYS do
  sum = sum + tonumber(redis.call('GET', KEYS[i]) or 0)
end
return sum
