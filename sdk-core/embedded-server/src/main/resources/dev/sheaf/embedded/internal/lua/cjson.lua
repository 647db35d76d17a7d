-- The cjson table: JSON with the rules, settings and error texts of lua-cjson 2.1.
local support = ...

local error, next, rawequal, rawget = error, next, rawequal, rawget
local select, tonumber, tostring, type = select, tonumber, tostring, type
local concat, floor, huge = table.concat, math.floor, math.huge
local char, find, format, gsub = string.char, string.find, string.format, string.gsub
local match, sub = string.match, string.sub
local refuse, truncated = support.refuse, support.truncated
local expose, null = support.native.expose, support.native.null

local MAX_INTEGER = 2 ^ 31 - 1
local MAX_PRECISION = 14

-- The decimal separator of C, which depends on the locale of the process.
local point = match(tostring(0.5), '[^05]')

local escapes = {['\b'] = '\\b', ['\t'] = '\\t', ['\n'] = '\\n', ['\f'] = '\\f', ['\r'] = '\\r'}
local unescaped = {b = '\b', t = '\t', n = '\n', f = '\f', r = '\r'}
for _, c in next, {'"', '/', '\\'} do
  escapes[c], unescaped[c] = '\\' .. c, c
end
for code = 0, 127 do
  local c = char(code)
  if (code < 32 or code == 127) and not escapes[c] then
    escapes[c] = format('\\u%04x', code)
  end
end

local function refused(value, reason)
  error('Cannot serialise ' .. type(value) .. ': ' .. reason, 0)
end

local function digits(number, settings)
  if number ~= number or number == huge or number == -huge then
    if not settings.encodes_invalid then
      refused(number, 'must not be NaN or Inf')
    elseif settings.encodes_invalid == 'null' then
      return 'null'
    elseif number ~= number then
      return 'nan'
    end
  end
  local text = format('%.' .. settings.precision .. 'g', number)
  return point == '.' and text or (gsub(text, '[^%w+-]', '.'))
end

local function quoted(text)
  return '"' .. gsub(text, '[%c"/\\]', escapes) .. '"'
end

-- Returns the highest index of a table that has no other keys; nil for an object.
local function array_length(values, settings)
  local length, items = 0, 0
  for key in next, values do
    if type(key) ~= 'number' or key < 1 or key > MAX_INTEGER or floor(key) ~= key then
      return nil
    end
    length = key > length and key or length
    items = items + 1
  end
  local ratio = settings.sparse_ratio
  if ratio > 0 and length > items * ratio and length > settings.sparse_safe then
    if not settings.sparse_convert then
      refused(values, 'excessively sparse array')
    end
    return nil
  end
  return length > 0 and length or nil
end

local function encode(root, settings)
  local pieces, count = {}, 0

  local function add(piece)
    count = count + 1
    pieces[count] = piece
  end

  local function write(value, depth)
    local kind = type(value)
    if kind == 'string' then
      return add(quoted(value))
    elseif kind == 'number' then
      return add(digits(value, settings))
    elseif kind == 'boolean' then
      return add(tostring(value))
    elseif kind == 'nil' or rawequal(value, null) then
      return add('null')
    elseif kind ~= 'table' then
      refused(value, 'type not supported')
    elseif depth == settings.encode_depth then
      error(format('Cannot serialise, excessive nesting (%d)', depth + 1), 0)
    end
    local length = array_length(value, settings)
    if length then
      for i = 1, length do
        add(i == 1 and '[' or ',')
        write(rawget(value, i), depth + 1)
      end
      return add(']')
    end
    local separator = '{'
    for key, element in next, value do
      local name = type(key) == 'string' and quoted(key)
        or type(key) == 'number' and '"' .. digits(key, settings) .. '"'
        or refused(key, 'table key must be a number or string')
      add(separator .. name .. ':')
      write(element, depth + 1)
      separator = ','
    end
    add(separator == '{' and '{}' or '}')
  end

  write(root, 0)
  return concat(pieces)
end

-- The tokens of one character, with their names in error messages.
local tokens = {
  ['{'] = 'T_OBJ_BEGIN', ['}'] = 'T_OBJ_END', ['['] = 'T_ARR_BEGIN', [']'] = 'T_ARR_END',
  [':'] = 'T_COLON', [','] = 'T_COMMA', ['\0'] = 'T_END', [''] = 'T_END',
}
local scalars = {T_STRING = true, T_NUMBER = true, T_BOOLEAN = true, T_NULL = true}
local closing = {T_OBJ_BEGIN = 'T_OBJ_END', T_ARR_BEGIN = 'T_ARR_END'}

-- Whether the text is a number that C's strtod accepts and JSON does not allow.
local function is_foreign(text, at)
  return find(text, '^%+', at) or find(text, '^%-?0[xX%d]', at)
    or find(text, '^%-?[iI][nN][fF]', at) or find(text, '^%-?[nN][aA][nN]', at)
end

-- Returns the end of what strtod accepts as a number. Each pattern scans the text only once.
local function end_of_number(text, at)
  local from = match(text, '^[+-]?()', at)
  if find(text, '^0[xX]%.?%x', from) then
    local stop = match(text, '^0[xX]%x*%.?%x*()', from)
    return match(text, '^[pP][+-]?%d+()', stop) or stop
  elseif find(text, '^%.?%d', from) then
    local stop = match(text, '^%d*%.?%d*()', from)
    return match(text, '^[eE][+-]?%d+()', stop) or stop
  end
  return match(text, '^[iI][nN][fF][iI][nN][iI][tT][yY]()', from)
    or match(text, '^[iI][nN][fF]()', from)
    or match(text, '^[nN][aA][nN]%([%w_]*%)()', from)
    or match(text, '^[nN][aA][nN]()', from)
end

local function utf8(code)
  local function rest(divisor)
    return 0x80 + floor(code / divisor) % 64
  end
  if code < 0x80 then
    return char(code)
  elseif code < 0x800 then
    return char(0xC0 + floor(code / 64), rest(1))
  elseif code < 0x10000 then
    return char(0xE0 + floor(code / 4096), rest(64), rest(1))
  end
  return char(0xF0 + floor(code / 262144), rest(4096), rest(64), rest(1))
end

-- Returns the character of the escape at an index, which can be a surrogate pair, and its length.
local function unicode(text, at)
  local code = tonumber(match(text, '^\\u(%x%x%x%x)', at) or '', 16)
  if not code or code >= 0xDC00 and code < 0xE000 then
    return nil
  elseif code < 0xD800 or code >= 0xE000 then
    return utf8(code), 6
  end
  local low = tonumber(match(text, '^\\u(%x%x%x%x)', at + 6) or '', 16)
  if low and low >= 0xDC00 and low < 0xE000 then
    return utf8(0x10000 + (code - 0xD800) * 1024 + low - 0xDC00), 12
  end
end

local function decode(text, settings)
  local position = 1

  -- The current token: its name or error, its start, and its value.
  local token, start, value

  local function fail(reason, at)
    token, start = reason, at
  end

  local function read_string()
    local parts = {}
    while true do
      local plain, stop = match(text, '^([^"\\%z]*)()', position)
      local c, letter = sub(text, stop, stop), sub(text, stop + 1, stop + 1)
      parts[#parts + 1] = plain
      position = stop + 1
      if c == '"' then
        token, value = 'T_STRING', concat(parts)
        return
      elseif c ~= '\\' then
        return fail('unexpected end of string', stop)
      end
      local character, length = unescaped[letter], 2
      if letter == 'u' then
        character, length = unicode(text, stop)
      end
      if not character then
        return fail(letter == 'u' and 'invalid unicode escape code' or 'invalid escape code', stop)
      end
      parts[#parts + 1] = character
      position = stop + length
    end
  end

  local function read_number()
    local stop = end_of_number(text, start)
    if not stop then
      return fail('invalid number', start)
    end
    local number = sub(text, start, stop - 1)
    token, position = 'T_NUMBER', stop
    value = tonumber(point == '.' and number or (gsub(number, '%.', point)))
  end

  local function read_word()
    local word = match(text, '^true', start) or match(text, '^false', start)
      or match(text, '^null', start)
    if not word then
      return fail('invalid token', start)
    end
    position = start + #word
    token, value = 'T_BOOLEAN', word == 'true'
    if word == 'null' then
      token, value = 'T_NULL', null
    end
  end

  local function advance()
    start = find(text, '[^ \t\r\n]', position) or #text + 1
    position = start + 1
    local c = sub(text, start, start)
    token = tokens[c]
    if token then
      return
    elseif c == '"' then
      return read_string()
    end
    local numeric = find(c, '[%d-]')
    if not is_foreign(text, start) then
      return (numeric and read_number or read_word)()
    elseif settings.decodes_invalid then
      return read_number()
    end
    fail(numeric and 'invalid number' or 'invalid token', start)
  end

  local function unexpected(expected)
    error('Expected ' .. expected .. ' but found ' .. token .. ' at character ' .. start, 0)
  end

  local read

  local function read_key()
    local key = value
    if token ~= 'T_STRING' then
      unexpected('object key string')
    end
    advance()
    if token ~= 'T_COLON' then
      unexpected('colon')
    end
    advance()
    return key
  end

  -- Reads the value that starts with the current token.
  function read(depth)
    local stop = closing[token]
    if scalars[token] then
      return value
    elseif not stop then
      unexpected('value')
    elseif depth == settings.decode_depth then
      error(format('Found too many nested data structures (%d) at character %d', depth + 1, start), 0)
    end
    local array = stop == 'T_ARR_END'
    local result, index = {}, 0
    advance()
    if token == stop then
      return result
    end
    while true do
      index = index + 1
      local key = array and index or read_key()
      result[key] = read(depth + 1)
      advance()
      if token == stop then
        return result
      elseif token ~= 'T_COMMA' then
        unexpected(array and 'comma or array end' or 'comma or object end')
      end
      advance()
    end
  end

  advance()
  local result = read(0)
  advance()
  if token ~= 'T_END' then
    unexpected('the end')
  end
  return result
end

-- Checks that a function has no more than this number of arguments, and returns them.
local function at_most(count, ...)
  if select('#', ...) > count then
    refuse(count + 1, 'found too many arguments')
  end
  return ...
end

-- Returns the new value of a numeric setting; the current value if none is given.
local function number(argument, given, current, low, high)
  if given == nil then
    return current
  end
  local value = tonumber(given) or refuse(argument, 'number expected, got ' .. type(given))
  value = truncated(value)
  if not (low <= value and value <= high) then
    refuse(1, format('expected integer between %d and %d', low, high))
  end
  return value
end

-- Returns the new value of a setting that is on, off or, for some, a third word; the current value
-- if none is given.
local function choice(argument, given, current, third)
  if given == nil then
    return current
  elseif type(given) == 'boolean' then
    return given
  elseif type(given) ~= 'string' and type(given) ~= 'number' then
    refuse(argument, 'string expected, got ' .. type(given))
  end
  local name = match(given, '^%Z*')
  if name ~= 'on' and name ~= 'off' and name ~= third then
    refuse(argument, "invalid option '" .. name .. "'")
  end
  return name == third and third or name == 'on'
end

-- Creates a table with its own settings.
local function new()
  local settings = {
    sparse_convert = false, sparse_ratio = 2, sparse_safe = 10,
    encode_depth = 1000, decode_depth = 1000,
    encodes_invalid = false, decodes_invalid = true,
    keeps_buffer = true, precision = MAX_PRECISION,
  }
  local library = {new = new}

  function library.encode(...)
    if select('#', ...) ~= 1 then
      refuse(1, 'expected 1 argument')
    end
    return encode((...), settings)
  end

  function library.decode(...)
    if select('#', ...) ~= 1 then
      refuse(1, 'expected 1 argument')
    end
    local text = support.text(1, ...)
    if #text > 1 and find(sub(text, 1, 2), '%z') then
      error('JSON parser does not support UTF-16 or UTF-32', 0)
    end
    return decode(text, settings)
  end

  function library.encode_sparse_array(...)
    local convert, ratio, safe = at_most(3, ...)
    settings.sparse_convert = choice(1, convert, settings.sparse_convert)
    settings.sparse_ratio = number(2, ratio, settings.sparse_ratio, 0, MAX_INTEGER)
    settings.sparse_safe = number(3, safe, settings.sparse_safe, 0, MAX_INTEGER)
    return settings.sparse_convert, settings.sparse_ratio, settings.sparse_safe
  end

  local function set(name, setting, check, low_or_third, high)
    library[name] = function(...)
      settings[setting] = check(1, at_most(1, ...), settings[setting], low_or_third, high)
      return settings[setting]
    end
  end

  set('encode_max_depth', 'encode_depth', number, 1, MAX_INTEGER)
  set('decode_max_depth', 'decode_depth', number, 1, MAX_INTEGER)
  set('encode_number_precision', 'precision', number, 1, MAX_PRECISION)
  set('encode_keep_buffer', 'keeps_buffer', choice)
  set('encode_invalid_numbers', 'encodes_invalid', choice, 'null')
  set('decode_invalid_numbers', 'decodes_invalid', choice)

  for name, f in next, library do
    library[name] = expose(f)
  end
  library.null, library._NAME, library._VERSION = null, 'cjson', '2.1.0'
  return library
end

return new()
