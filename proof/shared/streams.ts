import { connect } from 'node:net'
import type { CleanUp } from './run-task.ts'

const OK = 'HTTP/1.1 200 '
const ID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g

/** Called for each message id on each stream, with performance.now(). */
export type OnId = (id: string, at: number) => void

/**
 * Subscribes to the inbox's changes until the run ends; resolves with the first event.
 * Uses a bare socket to save CPU time, since clients and server share the machine.
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
