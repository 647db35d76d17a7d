#!lua name=counting
redis.register_function('bump', function(keys, args)
  return redis.call('INCRBY', keys[1], args[1])
end)
redis.register_function{function_name='sizes', flags={'no-writes'},
  callback=function(keys, args) return #keys end}
