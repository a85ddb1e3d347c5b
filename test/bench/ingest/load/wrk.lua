-- wrk's side of the load generator: sends the uploads of a file that wrkLoad.ts has prepared, and counts the responses.
-- In the file, a line with its length in bytes precedes each upload. Arguments: the file, the number of its uploads, the
-- number of connections, then "cycle" to send the uploads again and again, or a number to send so many uploads a second
-- in an open loop.
local ffi = require('ffi')
ffi.cdef('typedef struct { long seconds; long nanoseconds; } timespec; int clock_gettime(int clock, timespec *now);')
ffi.cdef('int getpid(); int kill(int process, int signal);')
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
local answered = 0
sent, began, ended, withoutRetryAfter, statuses = -1, 0, 0, 0, {}

function init(args)
  file = assert(io.open(args[1], 'rb'))
  uploads, connections, cycle = tonumber(args[2]), tonumber(args[3]), args[4] == 'cycle'
  local perSecond = tonumber(args[4])
  if perSecond then delay = openLoop(perSecond) end
end

-- All connections share one schedule: each takes the next due time, and sends at once when that has passed.
-- The connections are made in the first two seconds, before the schedule begins.
local connectSeconds = 2
function openLoop(perSecond)
  local taken, start = 0, nil
  return function()
    local present = seconds()
    start = start or present + connectSeconds
    taken = taken + 1
    -- In milliseconds; an hour for a connection that has nothing left to send.
    if taken > uploads then return 3600000 end
    return math.max(0, math.floor((start + taken / perSecond - present) * 1000 + 0.5))
  end
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
  answered = answered + 1
  -- SIGINT ends wrk with its results. A thread that stops does not: wrk then waits until its time is over.
  if delay then
    if answered == uploads then ffi.C.kill(ffi.C.getpid(), 2) end
  -- Each connection may call `request` once more before the thread stops.
  elseif not cycle and sent >= uploads - connections then
    wrk.thread:stop()
  end
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
