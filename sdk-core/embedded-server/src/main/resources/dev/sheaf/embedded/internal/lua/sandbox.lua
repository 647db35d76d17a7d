-- Builds the globals of scripts. Runs once for each engine, before any script.
--
-- Lua 5.1 has no read-only tables, so scripts see an empty table in place of each protected one:
-- reads fall through to the real table, and writes raise an error. Functions that could reach the
-- real table (next, rawget, getmetatable and so on) are replaced by native functions that know these
-- tables, written in Java or in this file (native.expose). Functions that Redis denies to scripts,
-- such as getfenv and newproxy, are left out.
local support, libraries, instructions = ...
local native, expose, refuse, int = support.native, support.native.expose, support.refuse, support.int

local getinfo, sethook, getregistry = debug.getinfo, debug.sethook, debug.getregistry
local error, select, type, tonumber, tostring = error, select, type, tonumber, tostring
local pairs, next, rawget, rawset = pairs, next, rawget, rawset
local getmetatable, setmetatable, setfenv = getmetatable, setmetatable, setfenv
local collectgarbage = collectgarbage
local create, wrap = coroutine.create, coroutine.wrap
local concat, gsub = table.concat, string.gsub
local find, match, gmatch = string.find, string.match, string.gmatch
local unpack, rep, format, floor = unpack, string.rep, string.format, math.floor
local rawequal = rawequal

local READ_ONLY = 'Attempt to modify a readonly table'

-- The longest string: what a reply can hold. Usually a script copies a string next.
local MAX_STRING_BYTES = 512 * 1024 * 1024

local behind = {}   -- the empty table scripts see -> the real one
local shown = {}    -- the reverse

local read_only = expose(function()
  error(READ_ONLY, 0)
end)

local nonexistent = expose(function(...)
  local name = select(2, ...)
  if select('#', ...) ~= 2 then
    error('Wrong number of arguments to luaProtectedTableError', 0)
  elseif type(name) ~= 'string' and type(name) ~= 'number' then
    error('Second argument to luaProtectedTableError must be a string or number', 0)
  end
  name = match(name, '^%Z*')
  error("Script attempted to access nonexistent global variable '" .. name .. "'", 0)
end)

local function protect(real)
  if not shown[real] then
    local empty = setmetatable({}, {__index = real, __newindex = read_only})
    behind[empty], shown[real] = real, empty
  end
  return shown[real]
end

-- Functions of Lua's base library that must respect the empty tables, or need limits.

-- The result of getmetatable for a protected table and for strings.
local metatables

local function on_real(f, plain)
  return expose(function(...)
    local real = behind[(...)]
    if real then
      return f(real, select(2, ...))
    end
    return f(...)
  end, plain)
end

local safe_next = on_real(next, true)

local safe = {next = safe_next, rawget = on_real(rawget)}

safe.rawset = expose(function(...)
  if behind[(...)] and select('#', ...) >= 3 then
    error(READ_ONLY, 0)
  end
  return rawset(...)
end, true)

safe.pairs = expose(function(...)
  local values = ...
  if type(values) ~= 'table' then
    support.refuse_type(1, 'table', ...)
  end
  return behind[values] and safe_next or next, values, nil
end)

safe.getmetatable = expose(function(...)
  local value = ...
  if select('#', ...) == 0 then
    refuse(1, 'value expected')
  elseif type(value) == 'string' or behind[value] then
    return metatables[type(value) == 'string' and '' or value]
  end
  return getmetatable(...)
end)

safe.setmetatable = expose(function(...)
  local values, metatable = ...
  local given = select('#', ...) > 1 and (metatable == nil or type(metatable) == 'table')
  if given and behind[values] then
    error({plain = READ_ONLY})
  end
  return setmetatable(...)
end)

-- Lua's own unpack counts values in 32 bits, and writes past its stack if that overflows.
safe.unpack = expose(function(...)
  local values, _, last = ...
  if type(values) == 'table' then
    last = last == nil and #values or int(3, nil, ...)
    if last - int(2, 1, ...) >= 2 ^ 31 - 1 then
      error('too many results to unpack', 0)
    end
  end
  return unpack(...)
end)

-- Ignores options that outlive the script: a collector that stays off would fill the memory.
safe.collectgarbage = expose(function(...)
  local option = ...
  if option == 'stop' or option == 'restart' or option == 'setpause' or option == 'setstepmul' then
    return 0
  end
  return collectgarbage(...)
end)

safe.rep = expose(function(...)
  local text, count = ...
  if (type(text) == 'string' or type(text) == 'number') and tonumber(count) then
    local bytes = #tostring(text) * int(2, nil, ...)
    if bytes > MAX_STRING_BYTES then
      error(format('resulting string too large (at most %d bytes)', MAX_STRING_BYTES), 0)
    elseif bytes == 0 then
      -- Lua's own loop would run two thousand million times without doing anything.
      return ''
    end
  end
  return rep(...)
end)

-- The generator behind math.random: the 48-bit linear congruential generator of drand48, in two
-- halves. A seed gives the same sequence as in Redis. The sequence continues across scripts until it
-- is seeded again.
local high, low = 0x1234AB, 0xCD330E

local function next_random()
  local product = low * 0xECE66D + 0xB
  high = (high * 0xECE66D + low * 0x5DE + floor(product / 2 ^ 24)) % 2 ^ 24
  low = product % 2 ^ 24
  -- The generator's bound in Redis: the largest value is mapped to zero.
  local bound = 2 ^ 31 - 1
  return floor(high * 2 ^ 7 + low / 2 ^ 17) % bound / bound
end

safe.randomseed = expose(function(...)
  local seed = int(1, nil, ...) % 2 ^ 32
  high, low = floor(seed / 2 ^ 8), seed % 2 ^ 8 * 2 ^ 16 + 0x330E
end)

safe.random = expose(function(...)
  local r, count = next_random(), select('#', ...)
  if count == 0 then
    return r
  elseif count > 2 then
    error('wrong number of arguments', 0)
  end
  local lower = count == 1 and 1 or int(1, nil, ...)
  local upper = int(count, nil, ...)
  if lower > upper then
    refuse(count, 'interval is empty')
  end
  return floor(r * (upper - lower + 1)) + lower
end)

-- Coroutines. Each needs the hook that ends a script, because a hook belongs to one Lua thread.
local coroutinesSeen = false

local function hooked(body)
  coroutinesSeen = true
  return function(...)
    sethook(native.poll, '', instructions)
    return body(...)
  end
end

local internal = {}

function internal.create(body)
  return create(hooked(body))
end

function internal.wrap(body)
  return wrap(hooked(body))
end

-- Checks at every line from now on, so that no pcall outlives the end of the script.
function internal.pollEachLine()
  sethook(native.poll, 'l', 0)
end

function internal.pollSeldom()
  sethook(native.poll, '', instructions)
end

-- Concatenates the pieces that the reader function of load returns.
function internal.gather(reader)
  local pieces = {}
  while true do
    local piece = reader()
    if piece == nil or piece == '' then
      return concat(pieces)
    end
    if type(piece) ~= 'string' and type(piece) ~= 'number' then
      return nil
    end
    pieces[#pieces + 1] = piece
  end
end

-- Returns the position of an error for its handler: the caller if a native function raised it.
local function place()
  local at = getinfo(3, 'nSl')
  if at and at.what == 'C' then
    at = getinfo(4, 'nSl')
  end
  return at
end

-- The last error of a replacement function of gsub, and its position.
local passing = {}

function internal.passed(err)
  if getinfo(2, 'f').func == gsub then
    return {raisedByGsub = err}
  end
  if not rawequal(passing.err, err) then
    passing.err, passing.at = err, place()
  end
  return err
end

-- Adds the position to the error value of a failed script.
function internal.handler(err)
  local at = rawequal(passing.err, err) and passing.at or place()
  passing.err, passing.at = nil, nil
  if type(err) ~= 'table' then
    err = {err = 'ERR ' .. tostring(err)}
  end
  if at then
    err.source = at.source
    err.line = at.currentline
  end
  return err
end

internal.pollSeldom()

-- The table in which debug.sethook keeps the hooks of all Lua threads, including dead ones.
local hooks
for key, value in pairs(getregistry()) do
  if type(key) == 'userdata' and type(value) == 'table' then
    for thread, hook in pairs(value) do
      if hook == native.poll then
        hooks = value
        internal.mainThread = thread
      end
    end
  end
end

-- Removes values that scripts added to protected tables with table.insert.
function internal.sweep()
  passing.err, passing.at = nil, nil
  for empty in next, behind do
    local key = next(empty)
    while key ~= nil do
      rawset(empty, key, nil)
      key = next(empty)
    end
  end
  if coroutinesSeen then
    coroutinesSeen = false
    for thread in pairs(hooks) do
      if thread ~= internal.mainThread then
        hooks[thread] = nil
      end
    end
  end
end

coroutine.create = native.create
coroutine.wrap = native.wrap
string.find, string.match, string.gmatch = native.find, native.match, native.gmatch
string.gfind = native.gmatch
string.gsub = native.gsub
string.rep = safe.rep
math.random, math.randomseed = safe.random, safe.randomseed

local globals = {
  _VERSION = _VERSION,
  assert = assert,
  collectgarbage = safe.collectgarbage,
  coroutine = protect(coroutine),
  error = error,
  gcinfo = gcinfo,
  getmetatable = safe.getmetatable,
  ipairs = ipairs,
  load = native.load,
  loadstring = native.loadstring,
  math = protect(math),
  next = safe.next,
  pairs = safe.pairs,
  pcall = native.pcall,
  rawequal = rawequal,
  rawget = safe.rawget,
  rawset = safe.rawset,
  select = select,
  setmetatable = safe.setmetatable,
  string = protect(string),
  table = protect(table),
  tonumber = tonumber,
  tostring = tostring,
  type = type,
  unpack = safe.unpack,
  xpcall = xpcall,
  __redis__err__handler = internal.handler,
}
local loading = protect(setmetatable(libraries.loading, {__index = nonexistent}))
libraries.loading = nil
local usual = protect(libraries.redis)
local is_valkey = libraries.redis.SERVER_NAME ~= nil

-- While a function library loads, it sees only a redis table of its own.
local hidden = {}
function internal.beginLoading()
  for name, value in next, globals do
    hidden[name] = value
  end
  for name in next, hidden do
    globals[name] = nil
  end
  globals.redis, globals.server = loading, is_valkey and loading or nil
end

function internal.endLoading()
  for name, value in next, hidden do
    globals[name] = value
  end
  globals.redis, globals.KEYS, globals.ARGV = usual, nil, nil
  globals.server = is_valkey and usual or nil
  hidden = {}
end

for name, library in pairs(libraries) do
  globals[name] = protect(library)
end
globals.server = is_valkey and globals.redis or nil

setmetatable(globals, {__index = nonexistent})
local seen = protect(globals)
globals._G = seen

metatables = {
  [seen] = protect({__index = nonexistent}),
  [''] = protect({__index = globals.string}),
}

-- No function of this file must give access to anything but the script's own globals.
local own = getfenv(1)
for _, f in pairs(internal) do
  if type(f) == 'function' then
    setfenv(f, seen)
  end
end
-- Lua's own functions that native functions call.
internal.gsub, internal.loadstring, internal.find = gsub, loadstring, find
internal.match, internal.gmatch = match, gmatch

for name in pairs(own) do
  own[name] = nil
end

return seen, globals, internal
