import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { checkMax, checkTime, defineFault, startFaultPortal, verify } from '#proof/shared/fault.ts'
import { countLost, sendAtRate, waitUntil, writeMessage } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import { type Answer, send } from '#proof/shared/requests.ts'
import type { CleanUp } from '#proof/shared/run-task.ts'

/** From the portal's timeouts: 1.2 s for a connection and 3.6 s for a reply. */
const PROMISED_MS = 5_000
/** Longer than that: requests of the last five seconds may be answered afterwards. */
const SILENT_MS = { short: 7_000, whole: 12_000 }

/**
 * All packets between portal and database are dropped for a
 * while, without any connection being closed.
 */
export const databaseSilent = defineFault({
  name: 'database silent, every packet dropped',
  needsPostgres: true,
  async run(run) {
    const { DATABASE_URL, DATA_DIR } = await prepareDatabase('silent', run.cleanUp)
    const url = new URL(DATABASE_URL)
    const proxy = await startSilentProxy(Number(url.port || 5432), run.cleanUp)
    url.port = String(proxy.port)
    const portal = await startFaultPortal(run, run.port, { DATABASE_URL: url.href, DATA_DIR })
    const token = await signInAsAdmin(portal.url)
    const marks: string[] = []
    const read = () => send(portal.url, { path: '/api/profiles/me', token })
    const reads = sendAtRate(50, read)
    const writes = sendAtRate(100, () => writeMessage(portal.url, marks))
    const beats = sendAtRate(100, () => send(portal.url, { path: '/api/health/live' }))
    await wait(1_000)
    proxy.dropTraffic()
    const silentAt = performance.now()
    await wait(run.isShort ? SILENT_MS.short : SILENT_MS.whole)
    const until = performance.now() - PROMISED_MS
    proxy.resume()
    const recoveredMs = await waitUntil(async () => (await read()).status === 200, 20_000)
    await wait(500)
    const all = await Promise.all([reads.stop(), writes.stop(), beats.stop()])
    const alive = all[2]
    const down = [...all[0], ...all[1]].filter(({ sentAt }) => sentAt > silentAt && sentAt < until)
    return [
      {
        promise: 'answers meanwhile are 503',
        held: down.length > 20 && down.every(({ status }) => status === 503),
        seen: `${down.filter(({ status }) => status === 503).length} of ${down.length}`,
      },
      checkTime('slowest of them', findSlowest(down), PROMISED_MS),
      checkMax('liveness meanwhile', findSlowest(alive), 100, 'ms'),
      verify('liveness failures', alive.filter(({ status }) => status !== 200).length, 0),
      checkMax('first good answer afterwards', recoveredMs, 1_000, 'ms'),
      verify('portal processes that died', portal.hasEnded() ? 1 : 0, 0),
      verify(`of ${marks.length} acknowledged messages lost`, await countLost(portal.url, token, marks), 0),
    ]
  },
})

const findSlowest = (answers: Answer[]) => Math.max(...answers.map(({ ms }) => ms))

/** A TCP proxy that can drop all traffic, like a network that loses every packet. */
interface SilentProxy {
  port: number
  /** Stops forwarding in both directions; connections stay open, new ones are accepted but get no reply. */
  dropTraffic(): void
  /** Resumes forwarding, held data first. */
  resume(): void
}

/** Listens on a free port and forwards to another local port; ends with the run. */
async function startSilentProxy(target: number, cleanUp: CleanUp): Promise<SilentProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false
  const add = (socket: Socket, other: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
    socket.pipe(other)
    // Only now, since pipe() resumes the socket.
    if (isSilent) socket.pause()
  }
  const server = createServer((caller) => {
    const upstream = connect(target, '127.0.0.1')
    add(caller, upstream)
    add(upstream, caller)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    dropTraffic() {
      isSilent = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isSilent = false
      for (const socket of sockets) socket.resume()
    },
  }
}
