-- Builds what scripts see as their globals. Runs once for each engine, before any script.
--
-- Lua 5.1 has no read-only tables, so scripts see an empty table in place of each protected one:
-- reads fall through to the real table, writes raise. What would reach the real table behind it
-- (next, rawget, getmetatable and so on) is a native function that knows those tables. What a
-- server denies its scripts, such as getfenv and newproxy, is left out.
local native, libraries, instructions = ...

local getinfo, sethook, getregistry = debug.getinfo, debug.sethook, debug.getregistry
local type, tostring, pairs, next, rawset = type, tostring, pairs, next, rawset
local setmetatable, setfenv = setmetatable, setfenv
local create, wrap = coroutine.create, coroutine.wrap
local concat, gsub = table.concat, string.gsub
local find, match, gmatch = string.find, string.match, string.gmatch
local unpack, rep = unpack, string.rep
local rawequal = rawequal

local behind = {}   -- the empty table scripts see -> the real one
local shown = {}    -- the reverse

local function protect(real)
  if not shown[real] then
    local empty = setmetatable({}, {__index = real, __newindex = native.readonly})
    behind[empty], shown[real] = real, empty
  end
  return shown[real]
end

-- Coroutines: each needs the hook that ends a script, as hooks belong to one thread.
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

-- From now on every line asks, so that no pcall outlives the end of the script.
function internal.pollEachLine()
  sethook(native.poll, 'l', 0)
end

function internal.pollSeldom()
  sethook(native.poll, '', instructions)
end

-- The pieces of a function given to load, up to its end.
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

-- Where an error was raised, seen from its handler: the caller if a native function raised it.
local function place()
  local at = getinfo(3, 'nSl')
  if at and at.what == 'C' then
    at = getinfo(4, 'nSl')
  end
  return at
end

-- The error that last left a replacement function of gsub, and the place it was raised at.
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

-- The error value of a failed script, with the place it failed at.
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

-- The table in which debug.sethook keeps the hook of each thread, dead ones included.
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

-- Removes what scripts left behind: values that table.insert put into protected tables.
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
string.rep = native.rep
math.random = native.random
math.randomseed = native.randomseed

local globals = {
  _VERSION = _VERSION,
  assert = assert,
  collectgarbage = native.collectgarbage,
  coroutine = protect(coroutine),
  error = error,
  gcinfo = gcinfo,
  getmetatable = native.getmetatable,
  ipairs = ipairs,
  load = native.load,
  loadstring = native.loadstring,
  math = protect(math),
  next = native.next,
  pairs = native.pairs,
  pcall = native.pcall,
  rawequal = rawequal,
  rawget = native.rawget,
  rawset = native.rawset,
  select = select,
  setmetatable = native.setmetatable,
  string = protect(string),
  table = protect(table),
  tonumber = tonumber,
  tostring = tostring,
  type = type,
  unpack = native.unpack,
  xpcall = xpcall,
  __redis__err__handler = internal.handler,
}
local loading = protect(setmetatable(libraries.loading, {__index = native.nonexistent}))
libraries.loading = nil
local usual = protect(libraries.redis)
local is_valkey = libraries.redis.SERVER_NAME ~= nil

-- While a library of functions loads, it sees a redis table of its own, and nothing else.
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

setmetatable(globals, {__index = native.nonexistent})
local seen = protect(globals)
globals._G = seen

-- What getmetatable shows of a protected table, and of strings.
local metatables = {
  [seen] = protect({__index = native.nonexistent}),
  [''] = protect({__index = globals.string}),
}

internal.real = {
  getmetatable = getmetatable, gsub = gsub,
  find = find, match = match, gmatch = gmatch, loadstring = loadstring, next = next, rawget = rawget,
  rawset = rawset, setmetatable = setmetatable, collectgarbage = collectgarbage,
  unpack = unpack, rep = rep,
}

-- No function of this file is to lead anywhere else than a script's own globals.
local own = getfenv(1)
for _, f in pairs(internal) do
  if type(f) == 'function' then
    setfenv(f, seen)
  end
end
for name in pairs(own) do
  own[name] = nil
end

return seen, globals, behind, metatables, internal
