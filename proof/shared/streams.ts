import { connect } from 'node:net'
import type { CleanUp } from './run-task.ts'

const OK = 'HTTP/1.1 200 '

/** Called for each chunk of events, without the first, with performance.now(). */
export type OnEvents = (events: string, at: number) => void

/**
 * Subscribes to changes until the run ends; resolves with the first event.
 * Uses a bare socket to save CPU time, since clients and server share the machine.
 * @throws Error when the portal refuses the stream
 */
export function openStream(
  portalUrl: string,
  token: string,
  cleanUp: CleanUp,
  onEvents: OnEvents,
): Promise<void> {
  const { hostname, port, host } = new URL(portalUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    cleanUp(() => socket.destroy())
    socket.setEncoding('latin1')
    let head = ''
    const readHead = (chunk: string) => {
      head += chunk
      if (!head.startsWith(OK)) return reject(new Error(`a stream was refused: ${head.slice(0, 40)}`))
      if (!head.includes('data: ')) return
      socket.off('data', readHead)
      socket.on('data', (events: string) => onEvents(events, performance.now()))
      resolve()
    }
    socket.on('data', readHead)
    socket.on('error', reject)
    socket.write(`GET /api/changes HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  })
}
