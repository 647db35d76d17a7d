-- The struct table: packs and unpacks numbers and strings as C structures.
local support = ...

local error, next, tonumber, type, unpack = error, next, tonumber, type, unpack
local concat, min = table.concat, math.min
local find, format, match = string.find, string.format, string.match
local rep, reverse, sub = string.rep, string.reverse, string.sub
local refuse, truncated = support.refuse, support.truncated
local native = support.native

local INT_BYTES = 4
local MAX_INTEGER_BYTES = 32
local MAX_INTEGER = 2 ^ 31 - 1
local DEFAULT_ALIGNMENT = 8

-- About as many values as fit the Lua stack of a C function.
local MAX_VALUES = 7900

local sizes = {b = 1, B = 1, x = 1, h = 2, H = 2, l = 8, L = 8, T = 8, f = 4, d = 8}

-- Reads a format, option by option, up to its end or a NUL. Each call returns an option and its
-- size, and applies options that only control byte order and alignment.
local function options(form)
  local little, alignment, at = true, 1, 1

  local function number(default)
    local digits, stop = match(form, '^(%d+)()', at)
    if not digits then
      return default
    elseif tonumber(digits) > MAX_INTEGER then
      error('integral size overflow', 0)
    end
    at = stop
    return tonumber(digits)
  end

  local function steer(option)
    if option == '<' or option == '>' then
      little = option == '<'
    elseif option == '!' then
      alignment = number(DEFAULT_ALIGNMENT)
      if native.band(alignment, alignment - 1) ~= 0 or alignment == 0 then
        error(format('alignment %d is not a power of 2', alignment), 0)
      end
    elseif option ~= ' ' then
      refuse(1, "invalid format option '" .. option .. "'")
    end
  end

  local function next_option()
    local option = sub(form, at, at)
    if option == '' or option == '\0' then
      return nil
    end
    at = at + 1
    local size = sizes[option] or 0
    if option == 'c' then
      size = number(1)
    elseif option == 'i' or option == 'I' then
      size = number(INT_BYTES)
      if size > MAX_INTEGER_BYTES then
        error(format('integral size %d is larger than limit of %d', size, MAX_INTEGER_BYTES), 0)
      end
    end
    return option, size
  end

  local function padding(position, option, size)
    if size == 0 or option == 'c' then
      return 0
    end
    local unit = min(size, alignment)
    return native.band(unit - native.band(position, unit - 1), unit - 1)
  end

  -- Converts big-endian bytes to the byte order of the format.
  local function ordered(bytes)
    return little and reverse(bytes) or bytes
  end

  return next_option, steer, padding, ordered
end

-- Converts a number to 64 bits like a C cast, signed or unsigned.
local function cast(number)
  if number >= 2 ^ 64 then
    return 0
  elseif number ~= number or number < -2 ^ 63 then
    return -2 ^ 63
  end
  return truncated(number)
end

local struct = {}

function struct.pack(...)
  local arguments, argument, parts, length = {...}, 1, {}, 0
  local next_option, steer, padding, ordered = options(support.text(1, ...))

  local function add(bytes)
    parts[#parts + 1] = bytes
    length = length + #bytes
  end

  -- The first missing argument is reported as nil, not as absent.
  local function number()
    argument = argument + 1
    local value = arguments[argument]
    return tonumber(value) or refuse(argument, 'number expected, got ' .. type(value))
  end

  for option, size in next_option do
    add(rep('\0', padding(length, option, size)))
    if find(option, '[bBhHlLTiI]') then
      -- Numbers wider than 64 bits are padded with zeros.
      local bytes = support.to_bytes(cast(number()), min(size, 8))
      add(ordered(rep('\0', size - 8) .. bytes))
    elseif option == 'x' then
      add('\0')
    elseif option == 'f' or option == 'd' then
      add(ordered(native.float_bytes(number(), size)))
    elseif option == 'c' or option == 's' then
      argument = argument + 1
      local value = arguments[argument]
      if type(value) ~= 'string' and type(value) ~= 'number' then
        refuse(argument, 'string expected, got ' .. type(value))
      elseif #(value .. '') < size then
        refuse(argument + 1, 'string too short')
      end
      add(size == 0 and value .. '' or sub(value, 1, size))
      add(option == 's' and '\0' or '')
    else
      steer(option)
    end
  end
  return concat(parts)
end

function struct.unpack(...)
  local next_option, steer, padding, ordered = options(support.text(1, ...))
  local data = support.text(2, ...)
  local position = support.whole(3, 1, ...) - 1
  if position == -1 then
    refuse(3, 'offset must be 1 or greater')
  end
  local values, count = {}, 0

  local function check(size)
    -- Both are unsigned in C, so a negative one is past the end of any data.
    if size < 0 or position < 0 or position > #data - size then
      refuse(2, 'data string too short')
    end
  end

  local function add(value)
    count = count + 1
    values[count] = value
  end

  for option, size in next_option do
    position = position + padding(position, option, size)
    check(size)
    if count > MAX_VALUES then
      error('stack overflow (too many results)', 0)
    end
    local bytes = sub(data, position + 1, position + size)
    if find(option, '[bBhHlLTiI]') then
      add(support.from_bytes(ordered(bytes), find(option, '%l')))
    elseif option == 'f' or option == 'd' then
      add(native.float(ordered(bytes)))
    elseif option == 'c' then
      if size == 0 then
        size = tonumber(values[count])
        if not size then
          error("format 'c0' needs a previous size", 0)
        end
        size = truncated(size)
        check(size)
        count = count - 1
        bytes = sub(data, position + 1, position + size)
      end
      add(bytes)
    elseif option == 's' then
      local stop = find(data, '\0', position + 1, true)
      if not stop then
        error('unfinished string in data', 0)
      end
      add(sub(data, position + 1, stop - 1))
      size = stop - position
    elseif option ~= 'x' then
      steer(option)
    end
    position = position + size
  end
  add(position + 1)
  return unpack(values, 1, count)
end

function struct.size(...)
  local next_option, steer, padding = options(support.text(1, ...))
  local position = 0
  for option, size in next_option do
    position = position + padding(position, option, size)
    if option == 's' then
      refuse(1, "option 's' has no fixed size")
    elseif option == 'c' and size == 0 then
      refuse(1, "option 'c0' has no fixed size")
    elseif not find(option, '[%d%a]') then
      steer(option)
    end
    position = position + size
  end
  return position
end

for name, f in next, struct do
  struct[name] = native.expose(f)
end
return struct
