redis.call('SADD', KEYS[1], ARGV[1])
return redis.call('SCARD', KEYS[1])
