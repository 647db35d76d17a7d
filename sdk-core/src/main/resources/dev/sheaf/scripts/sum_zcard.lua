local call, keys, sum = redis.call, KEYS, 0
for i = 1, #keys do
  sum = sum + call('ZCARD', keys[i])
end
return sum
