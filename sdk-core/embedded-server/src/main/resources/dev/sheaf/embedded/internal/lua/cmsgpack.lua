-- The cmsgpack table: MessagePack, compatible with lua-cmsgpack 0.4.0.
local support = ...

local error, next, select, type, unpack = error, next, select, type, unpack
local byte, char, format, sub = string.byte, string.char, string.format, string.sub
local concat, floor = table.concat, math.floor
local from_bytes, to_bytes, whole = support.from_bytes, support.to_bytes, support.whole
local float, float_bytes = support.native.float, support.native.float_bytes

-- The deepest level of nesting. Tables below it are written as nil.
local MAX_NESTING = 16

-- The deepest nesting, and the most values, that can be read at once: about as many as fit the Lua
-- stack of a C function.
local MAX_DEPTH = 2600
local MAX_VALUES = 7900

-- Writes a number after the first of these marks whose size, 1, 2, 4 or 8 bytes, is enough.
local function sized(first_mark, number)
  local width = number <= 0xff and 0 or number <= 0xffff and 1 or number <= 0xffffffff and 2 or 3
  return char(first_mark + width) .. to_bytes(number, 2 ^ width)
end

local function packed_number(number)
  if number ~= floor(number) or number < -2 ^ 63 or number >= 2 ^ 63 then
    local size = float(float_bytes(number, 4)) == number and 4 or 8
    return (size == 4 and '\202' or '\203') .. float_bytes(number, size)
  elseif number >= -32 and number <= 127 then
    return to_bytes(number, 1)
  elseif number >= 0 then
    return sized(0xcc, number)
  end
  local width = number >= -2 ^ 7 and 0 or number >= -2 ^ 15 and 1 or number >= -2 ^ 31 and 2 or 3
  return char(0xd0 + width) .. to_bytes(number, 2 ^ width)
end

-- Returns the size of a table whose keys are 1 to that size, and how many keys it has.
local function array_size(values)
  local count, max, is_array = 0, 0, true
  for key in next, values do
    is_array = is_array and type(key) == 'number' and key > 0 and key == floor(key)
    max = is_array and key > max and key or max
    count = count + 1
  end
  return is_array and max == count and count or nil, count
end

local function collection(size, small, large)
  if size <= 15 then
    return char(small + size)
  elseif size <= 0xffff then
    return char(large) .. to_bytes(size, 2)
  end
  return char(large + 1) .. to_bytes(size, 4)
end

local function write(pieces, value, level)
  local kind, at = type(value), #pieces + 1
  if kind == 'string' then
    pieces[at] = #value < 32 and char(0xa0 + #value) or sized(0xd9, #value)
    pieces[at + 1] = value
  elseif kind == 'boolean' then
    pieces[at] = value and '\195' or '\194'
  elseif kind == 'number' then
    pieces[at] = packed_number(value)
  elseif kind ~= 'table' or level == MAX_NESTING then
    pieces[at] = '\192'
  else
    local size, count = array_size(value)
    pieces[at] = size and collection(size, 0x90, 0xdc) or collection(count, 0x80, 0xde)
    for i = 1, size or 0 do
      write(pieces, value[i], level + 1)
    end
    for key, element in next, size and {} or value do
      write(pieces, key, level + 1)
      write(pieces, element, level + 1)
    end
  end
end

local cmsgpack = {
  _NAME = 'cmsgpack',
  _VERSION = 'lua-cmsgpack 0.4.0',
  _COPYRIGHT = 'Copyright (C) 2012, Salvatore Sanfilippo',
  _DESCRIPTION = 'MessagePack C implementation for Lua',
}

function cmsgpack.pack(...)
  local count, pieces = select('#', ...), {}
  if count == 0 then
    support.refuse(0, 'MessagePack pack needs input.')
  end
  for i = 1, count do
    write(pieces, (select(i, ...)), 0)
  end
  return concat(pieces)
end

local function check_depth(level, what)
  if level > MAX_DEPTH then
    error('stack overflow (' .. what .. ')', 0)
  end
end

-- Reads values from an index, up to a limit. Returns the values, their number and the index after
-- them.
local function read(data, position, most)
  local value

  local function take(count)
    if #data - position < count then
      error('Missing bytes in input.', 0)
    end
    position = position + count
    return sub(data, position - count + 1, position)
  end

  local function array(size, level)
    local result = {}
    check_depth(level, 'in function mp_decode_to_lua_array')
    for i = 1, size do
      result[i] = value(level + 1)
    end
    return result
  end

  local function map(size, level)
    local result = {}
    check_depth(level, 'in function mp_decode_to_lua_hash')
    for _ = 1, size do
      local key, element = value(level + 1), value(level + 1)
      if key == nil or key ~= key then
        error({plain = 'table index is ' .. (key == nil and 'nil' or 'NaN')})
      end
      result[key] = element
    end
    return result
  end

  -- First numbers and marks with fixed values, then values that have a size.
  local function of_mark(mark, level)
    if mark <= 0xcf and mark >= 0xcc then
      -- The C library reads the widest as signed, too.
      return from_bytes(take(2 ^ (mark - 0xcc)), mark == 0xcf)
    elseif mark <= 0xd3 and mark >= 0xd0 then
      return from_bytes(take(2 ^ (mark - 0xd0)), true)
    elseif mark == 0xca or mark == 0xcb then
      return float(take(mark == 0xca and 4 or 8))
    elseif mark == 0xc0 then
      return nil
    elseif mark == 0xc2 or mark == 0xc3 then
      return mark == 0xc3
    elseif mark >= 0xd9 and mark <= 0xdb then
      return take(from_bytes(take(2 ^ (mark - 0xd9))))
    elseif mark == 0xdc or mark == 0xdd then
      return array(from_bytes(take(2 ^ (mark - 0xdb))), level)
    elseif mark == 0xde or mark == 0xdf then
      return map(from_bytes(take(2 ^ (mark - 0xdd))), level)
    end
    error('Bad data format in input.', 0)
  end

  function value(level)
    local mark = byte(take(1))
    if mark < 0x80 then
      return mark
    elseif mark < 0x90 then
      return map(mark - 0x80, level)
    elseif mark < 0xa0 then
      return array(mark - 0x90, level)
    elseif mark < 0xc0 then
      return take(mark - 0xa0)
    elseif mark < 0xe0 then
      return of_mark(mark, level)
    end
    return mark - 0x100
  end

  local values, count = {}, 0
  while position < #data and count < most do
    count = count + 1
    if count > MAX_VALUES then
      check_depth(MAX_DEPTH + 1,
        'too many return values at once; use unpack_one or unpack_limit instead.')
    end
    values[count] = value(0)
  end
  return values, count, position
end

-- Returns the index to continue from, -1 at the end, and then the values.
local function read_some(limit, offset, ...)
  local data = support.text(1, ...)
  if offset < 0 or limit < 0 then
    error(format('Invalid request to unpack with offset of %d and limit of %d.', offset, #data), 0)
  elseif offset > #data then
    error(format('Start offset %d greater than input length %d.', offset, #data), 0)
  end
  -- Like the C library, which reads everything without a limit and an offset.
  local all = limit == 0 and offset == 0
  local values, count, position = read(data, offset, all and 2 ^ 31 or limit)
  if all then
    return unpack(values, 1, count)
  end
  return position == #data and -1 or position, unpack(values, 1, count)
end

function cmsgpack.unpack(...)
  return read_some(0, 0, ...)
end

function cmsgpack.unpack_one(...)
  return read_some(1, whole(2, 0, ...), ...)
end

function cmsgpack.unpack_limit(...)
  return read_some(whole(2, nil, ...), whole(3, 0, ...), ...)
end

for name, f in next, cmsgpack do
  cmsgpack[name] = type(f) == 'function' and support.native.expose(f) or f
end
return cmsgpack
