-- What the libraries written in Lua share: the checks of arguments, and numbers as bytes.
--
-- Their functions are reached through native ones (native.expose), which put the position of the
-- script's call before what is raised as text, and the name it calls them by in place of '?'.
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

-- An argument that is a text, or a number as Lua writes it.
function support.text(number, ...)
  local value = select(number, ...)
  if type(value) ~= 'string' and type(value) ~= 'number' then
    support.refuse_type(number, 'string', ...)
  end
  return tostring(value)
end

-- An argument that is a number, or a text that holds one.
function support.number(number, ...)
  local value = select(number, ...)
  return tonumber(value) or support.refuse_type(number, 'number', ...)
end

function support.truncated(number)
  return number < 0 and ceil(number) or floor(number)
end

-- An argument that is a number without its fraction, or the default where there is none.
function support.whole(number, default, ...)
  if default and select(number, ...) == nil then
    return default
  end
  return support.truncated(support.number(number, ...))
end

-- As whole, cut to 32 bits; zero for what is no number or endless, as in C.
function support.int(number, default, ...)
  local value = support.whole(number, default, ...) % 2 ^ 32
  return value ~= value and 0 or value < 2 ^ 31 and value or value - 2 ^ 32
end

-- The lowest bytes of a whole number, the highest of them first.
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

-- The number of the last eight bytes at most, the highest first. Its halves are exact, so that it
-- is rounded once, as C does.
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
