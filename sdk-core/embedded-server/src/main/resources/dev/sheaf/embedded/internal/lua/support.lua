-- Functions shared by the libraries written in Lua: argument checks, and numbers as bytes.
--
-- Scripts call the libraries through native functions (native.expose). These put the position of
-- the script's call before error texts, and replace '?' by the name in that call.
local native = ...

local error, select, tonumber, tostring, type = error, select, tonumber, tostring, type
local byte, char, sub = string.byte, string.char, string.sub
local ceil, floor = math.ceil, math.floor

local support = {native = native}

function support.refuse(number, text)
  error('bad argument #' .. number .. " to '?' (" .. text .. ')', 0)
end

function support.refuse_type(number, expected, ...)
  local got = select('#', ...) < number and 'no value' or type((select(number, ...)))
  support.refuse(number, expected .. ' expected, got ' .. got)
end

-- Returns an argument that is a string, or a number as Lua formats it.
function support.text(number, ...)
  local value = select(number, ...)
  if type(value) ~= 'string' and type(value) ~= 'number' then
    support.refuse_type(number, 'string', ...)
  end
  return tostring(value)
end

-- Returns an argument that is a number, or a string that contains one.
function support.number(number, ...)
  local value = select(number, ...)
  return tonumber(value) or support.refuse_type(number, 'number', ...)
end

function support.truncated(number)
  return number < 0 and ceil(number) or floor(number)
end

-- Returns a numeric argument without its fraction, or the default if it is missing.
function support.whole(number, default, ...)
  if default and select(number, ...) == nil then
    return default
  end
  return support.truncated(support.number(number, ...))
end

-- Like whole, reduced to 32 bits; zero for NaN and infinity, as in C.
function support.int(number, default, ...)
  local value = support.whole(number, default, ...) % 2 ^ 32
  return value ~= value and 0 or value < 2 ^ 31 and value or value - 2 ^ 32
end

-- Returns the lowest bytes of an integer, big-endian.
function support.to_bytes(number, count)
  local bytes = ''
  for _ = 1, count do
    bytes = char(number % 256) .. bytes
    number = floor(number / 256)
  end
  return bytes
end

local function unsigned(bytes)
  local number = 0
  for i = 1, #bytes do
    number = number * 256 + byte(bytes, i)
  end
  return number
end

-- Converts big-endian bytes, at most the last eight, to a number. Both halves are exact, so the
-- result is rounded once, as in C.
function support.from_bytes(bytes, signed)
  bytes = sub(bytes, -8)
  local high, low = unsigned(sub(bytes, 1, -5)), unsigned(sub(bytes, -4))
  if signed and bytes ~= '' and byte(bytes) >= 128 then
    if #bytes > 4 then
      high = high - 256 ^ (#bytes - 4)
    else
      low = low - 256 ^ #bytes
    end
  end
  return high * 2 ^ 32 + low
end

return support
