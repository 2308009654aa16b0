import { connect } from 'node:net'
import type { CleanUp } from './run-task.ts'

const OPENED_AT_ONCE = 50
const OK = 'HTTP/1.1 200 '
const ID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g

/** Hears of each message id on each stream, with performance.now() of the moment. */
export type OnId = (id: string, at: number) => void

/**
 * Opens streams of message changes and keeps them open until the run ends.
 * @param accessTokens one for each stream
 * @throws Error when one is refused or cannot be opened
 */
export async function openStreams(
  portalUrl: string,
  accessTokens: readonly string[],
  onId: OnId,
  cleanUp: CleanUp,
): Promise<void> {
  for (let first = 0; first < accessTokens.length; first += OPENED_AT_ONCE) {
    const batch = accessTokens.slice(first, first + OPENED_AT_ONCE)
    await Promise.all(batch.map((token) => openStream(new URL(portalUrl), token, onId, cleanUp)))
  }
}

/**
 * A bare socket, since the clients share the machine with the server: what they need is taken from it. Resolves
 * with the first event.
 */
function openStream({ hostname, port, host }: URL, accessToken: string, onId: OnId, cleanUp: CleanUp) {
  return new Promise<void>((resolve, reject) => {
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
      `GET /api/support-messages/changes HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${accessToken}\r\n\r\n`,
    )
  })
}
