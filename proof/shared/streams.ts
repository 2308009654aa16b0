import { connect } from 'node:net'
import type { CleanUp } from './run-task.ts'

const OK = 'HTTP/1.1 200 '
const ID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g

/** Hears of each message id on each stream, with performance.now() of the moment. */
export type OnId = (id: string, at: number) => void

/**
 * Follows the changes of the inbox until the run ends. A bare socket, since the clients share the machine with the server:
 * what they need is taken from it. Resolves with the first event.
 * @throws Error when the portal refuses the stream
 */
export function openStream(portalUrl: string, token: string, cleanUp: CleanUp, onId: OnId): Promise<void> {
  const { hostname, port, host } = new URL(portalUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    cleanUp(() => socket.destroy())
    socket.setEncoding('latin1')
    socket.once('data', (head: string) => {
      if (!head.startsWith(OK)) return reject(new Error(`a stream was refused: ${head.slice(0, 40)}`))
      resolve()
      socket.on('data', (chunk: string) => {
        const at = performance.now()
        for (const [id] of chunk.matchAll(ID)) onId(id, at)
      })
    })
    socket.on('error', reject)
    socket.write(
      `GET /api/support-messages/changes HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
  })
}
