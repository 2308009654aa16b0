// The load of one run, in a process of its own: `node run-load.mjs '{"url":…,"headers":…,"connections":…,"seconds":…}'`
// prints requests in all and per second, the 99th percentile of the latency in ms, and how many replies were not 2xx.
import autocannon from 'autocannon'

const { url, headers, connections, seconds } = JSON.parse(process.argv[2])
const { requests, latency, non2xx, errors } = await autocannon({
  url,
  headers,
  connections,
  duration: seconds,
})
process.stdout.write(
  JSON.stringify({
    requests: requests.total,
    perSecond: requests.average,
    p99Ms: latency.p99,
    failures: non2xx + errors,
  }),
)
