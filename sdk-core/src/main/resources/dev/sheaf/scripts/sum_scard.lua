local sum = 0
for i = 1, #KEYS do
  sum = sum + redis.call('SCARD', KEYS[i])
end
return sum
