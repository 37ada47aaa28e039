-- Load on one route for wrk: every request carries the next token or the next body of a file.
--
--   wrk -t1 … -s load.lua URL -- tokens=FILE path=PATH [body=cast|validate] [first=N] [count=N] [once=1] [rate=N]
--   wrk -t1 … -s load.lua URL -- bodies=FILE path=PATH [first=N] [count=N] [once=1] [rate=N]
--
-- bodies JSON, one a line; sent with POST and without a token.
-- body   `cast` votes, `validate` sends the same ballot with "validateOnly"; without it the request is a GET.
-- once   stop when every line was used, since a member votes only once; otherwise start again with the first.
-- rate   requests per second, spread evenly whatever the answers take; otherwise as many as answers allow.
--
-- One thread only, since threads share nothing and would use the same tokens. Prints one line of JSON.

local ffi = require("ffi")
ffi.cdef [[
typedef struct { long seconds; long nanoseconds; } bench_time;
int clock_gettime(int clock, bench_time *time);
]]

local CLOCK_MONOTONIC = 1
local time = ffi.new("bench_time")

local function microseconds()
    ffi.C.clock_gettime(CLOCK_MONOTONIC, time)
    return tonumber(time.seconds) * 1e6 + tonumber(time.nanoseconds) / 1e3
end

local options = {}
local requests = {}
local sent = 0
local threads = {}

-- Read by `done`, which runs in a Lua state of its own.
began = 0
ended = 0

local function read_requests()
    local first = tonumber(options.first or 1)
    local last = first - 1 + tonumber(options.count or 1e9)
    local number = 0
    for line in io.lines(options.tokens or options.bodies) do
        number = number + 1
        if number >= first and number <= last and options.bodies then
            local headers = { ["Content-Type"] = "application/json" }
            requests[#requests + 1] = wrk.format("POST", options.path, headers, line)
        elseif number >= first and number <= last then
            local headers = { ["Authorization"] = "Bearer " .. line }
            local method, body = "GET", nil
            if options.body then
                method = "POST"
                headers["Content-Type"] = "application/json"
                local feedback = ""
                -- Every tenth ballot has a feedback text.
                if number % 10 == 0 then
                    feedback = ',"feedback":"Good pace, friendly reviews, and the tests are fast again."'
                end
                local suffix = options.body == "validate" and ',"validateOnly":true' or ""
                body = '{"happiness":' .. (number % 11) .. feedback .. suffix .. "}"
            end
            requests[#requests + 1] = wrk.format(method, options.path, headers, body)
        end
    end
end

function setup(thread)
    threads[#threads + 1] = thread
end

function init(args)
    for _, arg in ipairs(args) do
        local key, value = arg:match("^(%w+)=(.*)$")
        if key then options[key] = value end
    end
    read_requests()
    if options.rate then
        local interval = 1e6 / tonumber(options.rate)
        local due
        function delay()
            local now = microseconds()
            due = (due or now) + interval
            return math.max(0, math.floor((due - now) / 1000))
        end
    end
end

function request()
    sent = sent + 1
    -- wrk calls this once before it starts, to check the request; that one is not sent.
    local index = sent - 1
    if index < 1 then return requests[1] end
    if index == 1 then began = microseconds() end
    if index > #requests and options.once then
        if ended == 0 then ended = microseconds() end
        wrk.thread:stop()
        return wrk.format("GET", "/health/live")
    end
    return requests[(index - 1) % #requests + 1]
end

function done(summary, latency)
    local elapsed = summary.duration
    local began, ended = threads[1]:get("began"), threads[1]:get("ended")
    if ended > 0 then elapsed = ended - began end
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50":%.3f,"p99":%.3f,"usedUp":%s}\n',
        summary.requests, elapsed / 1e6, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, tostring(ended > 0)))
end
