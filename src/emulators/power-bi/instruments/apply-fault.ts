import { type Reply, refuse } from '#emulators/power-bi/reply.ts'
import type { Fault } from './fault-script.ts'

const CODES: Record<number, string> = {
  400: 'InvalidRequest',
  401: 'TokenExpired',
  403: 'PowerBINotAuthorizedException',
  404: 'PowerBIEntityNotFound',
  429: 'TooManyRequests',
}

/** What the service itself would say with a scripted status that came without a body. */
function usualFailure(fault: Fault, status: number): Reply {
  const code = fault.errorCode ?? CODES[status] ?? 'InternalServerError'
  const message = fault.message ?? `Scripted failure ${status}`
  if (fault.on !== 'directory') return refuse(status, code, message)
  const error =
    status === 401 ? 'invalid_client' : status >= 500 ? 'temporarily_unavailable' : 'invalid_request'
  return {
    status,
    body: { error: fault.errorCode ?? error, error_description: message, error_codes: [90033] },
  }
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
