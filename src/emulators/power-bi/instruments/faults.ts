import { randomUUID } from 'node:crypto'
import { isObject, type Reply, refuse } from '#emulators/power-bi/reply.ts'

const FAULT_TARGETS = [
  'directory',
  'report',
  'dataset',
  'refreshes',
  'capacities',
  'groups',
  'reports',
  'datasources',
  'generateToken',
  'exportTo',
  'exportStatus',
  'exportFile',
  'frame',
] as const
export type FaultTarget = (typeof FAULT_TARGETS)[number]

/** A scripted reply; `delayMs` in ms, `tokenLifeS` in seconds, `times` counts the remaining replies. */
export interface Fault {
  on: FaultTarget
  status?: number
  body?: unknown
  headers?: Record<string, string>
  delayMs?: number
  tokenLifeS?: number
  message?: string
  detailedMessage?: string
  errorCode?: string
  times: number
}

const FIELDS = 'on status body headers delayMs tokenLifeS message detailedMessage errorCode times'.split(' ')

/** Parses a fault, or returns an error message; values are not validated. */
export function parseFault(input: unknown): Fault | string {
  if (!isObject(input)) return 'the body must be a JSON object'
  const unknown = Object.keys(input).find((name) => !FIELDS.includes(name))
  if (unknown) return `unknown field ${unknown}; known are ${FIELDS.join(', ')}`
  if (!FAULT_TARGETS.includes(input.on as FaultTarget)) return `on must be one of ${FAULT_TARGETS.join(', ')}`
  return { times: 1, ...input } as Fault
}

/** Takes the next scripted fault of a target and decrements its count. */
export function takeFault(faults: Fault[], on: FaultTarget | undefined): Fault | undefined {
  const fault = faults.find((each) => each.on === on)
  if (!fault) return undefined
  fault.times -= 1
  if (fault.times === 0) faults.splice(faults.indexOf(fault), 1)
  return fault
}

const CODES: Record<number, string> = {
  400: 'InvalidRequest',
  401: 'TokenExpired',
  403: 'PowerBINotAuthorizedException',
  404: 'PowerBIEntityNotFound',
  429: 'TooManyRequests',
}

/** Returns the directory's error, AADSTS number and description for a status. */
function describeDirectoryError(status: number): [string, number, string] {
  if (status === 401) return ['invalid_client', 7000215, 'Invalid client secret provided.']
  if (status === 429 || status >= 500)
    return ['temporarily_unavailable', 90033, 'A transient error has occurred. Please try again.']
  return ['invalid_request', 90002, 'The request is not valid.']
}

/**
 * Creates the service's usual reply for a scripted status without a body; for the directory:
 * learn.microsoft.com/entra/identity-platform/reference-error-codes, 'Handling error codes'.
 */
function createDefaultFailure(fault: Fault, status: number): Reply {
  if (fault.on !== 'directory') {
    const code = fault.errorCode ?? CODES[status] ?? 'InternalServerError'
    return refuse(status, code, fault.message)
  }
  const [error, number, text] = describeDirectoryError(status)
  const error_description = fault.message ?? `AADSTS${number}: ${text}`
  const codes = { error_codes: [number], correlation_id: randomUUID() }
  return { status, body: { error: fault.errorCode ?? error, error_description, ...codes } }
}

function buildReply(fault: Fault, normal: Reply): Reply {
  const { status = normal.status, body } = fault
  const requestId = normal.headers?.RequestId
  const kept: Record<string, string> = requestId ? { RequestId: requestId } : {}
  if (typeof body === 'string') {
    // A page of a firewall or captive portal has no request id of the service.
    const headers = body.startsWith('<')
      ? { 'Content-Type': 'text/html' }
      : { ...kept, 'Content-Type': 'application/json' }
    return { status, text: body, headers }
  }
  if (fault.status === undefined && isObject(body) && isObject(normal.body))
    return { ...normal, body: { ...normal.body, ...body } }
  if (body !== undefined) return { status, body, headers: kept }
  return fault.status === undefined || status < 300
    ? { ...normal, status }
    : createDefaultFailure(fault, status)
}

/**
 * Applies a fault: text is sent raw; an object replaces the body if there is a status, else it is
 * merged; a failing status alone gets the service's usual body. The caller applies the delay.
 */
export function applyFault(fault: Fault, normal: Reply): Reply {
  const reply = buildReply(fault, normal)
  return { ...reply, headers: { ...reply.headers, ...fault.headers } }
}
