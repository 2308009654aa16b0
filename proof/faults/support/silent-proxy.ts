import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { CleanUp } from '#proof/bench/support/run-task.ts'

/** Stands between two programs and may fall silent, as a network does that drops every packet. */
export interface SilentProxy {
  port: number
  /** From now on nothing passes in either direction; connections stay open, new ones are taken and get no answer. */
  fallSilent(): void
  /** Everything passes again, what was held back first. */
  speak(): void
}

/** Listens on a free port and passes everything on to another one of this machine; ends with the run. */
export async function startSilentProxy(target: number, cleanUp: CleanUp): Promise<SilentProxy> {
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
    // Only now: pipe lets it flow.
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
    fallSilent() {
      isSilent = true
      for (const socket of sockets) socket.pause()
    },
    speak() {
      isSilent = false
      for (const socket of sockets) socket.resume()
    },
  }
}
