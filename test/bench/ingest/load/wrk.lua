-- wrk's side of the load generator: sends the uploads of a file that wrkLoad.ts has prepared, and counts the responses.
-- In the file, a line with its length in bytes precedes each upload. Arguments: the file, the number of its uploads, the
-- number of connections, and "cycle" to send the uploads again and again.
local ffi = require('ffi')
ffi.cdef('typedef struct { long seconds; long nanoseconds; } timespec; int clock_gettime(int clock, timespec *now);')
local monotonic = ffi.os == 'OSX' and 6 or 1
local now = ffi.new('timespec')

local function seconds()
  ffi.C.clock_gettime(monotonic, now)
  return tonumber(now.seconds) + tonumber(now.nanoseconds) / 1e9
end

-- Belongs to wrk's main state: its only thread, whose counts `done` reads at the end.
local thread

function setup(created)
  thread = created
end

-- Belongs to the thread's state. `done` can read only global variables.
local file, uploads, connections, cycle
sent, began, ended, withoutRetryAfter, statuses = -1, 0, 0, 0, {}

function init(args)
  file = assert(io.open(args[1], 'rb'))
  uploads, connections, cycle = tonumber(args[2]), tonumber(args[3]), args[4] == 'cycle'
end

-- wrk calls `request` once before it begins, and never sends that request: so `sent` begins at -1.
function request()
  if sent <= 0 then began = seconds() end
  sent = sent + 1
  local length = file:read('*l')
  if not length then
    file:seek('set', 0)
    length = file:read('*l')
  end
  return file:read(tonumber(length))
end

function response(status, headers)
  ended = seconds()
  statuses[status] = (statuses[status] or 0) + 1
  if status == 503 and not (headers['Retry-After'] or headers['retry-after']) then
    withoutRetryAfter = withoutRetryAfter + 1
  end
  -- Each connection may call `request` once more before the thread stops.
  if not cycle and sent >= uploads - connections then wrk.thread:stop() end
end

function done(summary, latency)
  local counts = {}
  for status, count in pairs(thread:get('statuses')) do counts[#counts + 1] = string.format('"%d":%d', status, count) end
  local broken = summary.errors.connect + summary.errors.read + summary.errors.write
  if broken > 0 then counts[#counts + 1] = string.format('"0":%d', broken) end
  io.write(string.format(
    'RESULT {"sent":%d,"statuses":{%s},"withoutRetryAfter":%d,"seconds":%.6f,"p50Millis":%.3f,"p99Millis":%.3f,"slowestMillis":%.3f,"cpuSeconds":%.3f}\n',
    thread:get('sent'), table.concat(counts, ','), thread:get('withoutRetryAfter'),
    thread:get('ended') - thread:get('began'),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000, os.clock()
  ))
end
