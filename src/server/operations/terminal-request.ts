import { randomUUID } from 'node:crypto'
import type { RequestInfo } from '#server/http/request-info.ts'

/** What the audit trail says of a change that was made at the terminal. */
export function terminalRequest(): RequestInfo {
  return { requestId: randomUUID(), ip: 'terminal', userAgent: 'npm run admin' }
}
