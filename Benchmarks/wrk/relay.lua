-- Ballots for a relay, for wrk: the same message under a new ticket each time.
--
--   wrk -t1 … -s relay.lua URL -- message=FILE
--
-- Prints one line of JSON, as load.lua does. A relay in which too many ballots wait refuses further ones.

local message

function init(args)
    for _, arg in ipairs(args) do
        local name = arg:match("^message=(.*)$")
        if name then
            local file = assert(io.open(name, "rb"))
            message = file:read("*a")
            file:close()
        end
    end
    math.randomseed(os.time())
end

function request()
    local ticket = {}
    for number = 1, 4 do ticket[number] = string.format("%08x", math.random(0, 0x7fffffff)) end
    local headers = { ["Content-Type"] = "message/ohttp-req" }
    return wrk.format("PUT", "/mixed/" .. table.concat(ticket), headers, message)
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50":%.3f,"p99":%.3f}\n',
        summary.requests, summary.duration / 1e6, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
