import { type Reply, refuse } from '#emulators/power-bi/reply.ts'
import type { Fault } from './fault-script.ts'

const CODES: Record<number, string> = {
  400: 'InvalidRequest',
  401: 'TokenExpired',
  403: 'PowerBINotAuthorizedException',
  404: 'PowerBIEntityNotFound',
  429: 'TooManyRequests',
}

/** The directory's own words for a status: error, AADSTS number and description. */
function directoryWords(status: number): [string, number, string] {
  if (status === 401) return ['invalid_client', 7000215, 'Invalid client secret provided.']
  if (status === 429 || status >= 500)
    return ['temporarily_unavailable', 90033, 'A transient error has occurred. Please try again.']
  return ['invalid_request', 90002, 'The request is not valid.']
}

/** What the service itself would say with a scripted status that came without a body. */
function usualFailure(fault: Fault, status: number): Reply {
  if (fault.on !== 'directory') {
    const code = fault.errorCode ?? CODES[status] ?? 'InternalServerError'
    return refuse(status, code, fault.message ?? `Scripted failure ${status}`)
  }
  const [error, number, text] = directoryWords(status)
  const error_description = fault.message ?? `AADSTS${number}: ${text}`
  return { status, body: { error: fault.errorCode ?? error, error_description, error_codes: [number] } }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function answered(fault: Fault, normal: Reply): Reply {
  const { status, body } = fault
  const requestId = normal.headers?.RequestId
  const kept: Record<string, string> = requestId ? { RequestId: requestId } : {}
  if (typeof body === 'string') {
    return {
      status: status ?? normal.status,
      text: body,
      headers: { ...kept, 'Content-Type': 'application/json' },
    }
  }
  if (body !== undefined && status === undefined && isObject(body) && isObject(normal.body)) {
    return { ...normal, body: { ...normal.body, ...body } }
  }
  if (body !== undefined) return { status: status ?? normal.status, body, headers: kept }
  if (status === undefined) return normal
  return status < 300 ? { ...normal, status } : usualFailure(fault, status)
}

/**
 * The reply as the script wants it: a text body goes out raw; an object replaces the normal body when a status
 * is given and is merged over it otherwise; a failing status alone gets the service's usual shape; a fault
 * without either leaves the reply alone. The delay is the caller's.
 */
export function applyFault(fault: Fault, normal: Reply): Reply {
  const reply = answered(fault, normal)
  return { ...reply, headers: { ...reply.headers, ...fault.headers } }
}
