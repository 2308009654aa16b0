/** A call to the directory or the REST API; `status` is null until the reply. */
export interface RecordedCall {
  at: string
  method: string
  path: string
  status: number | null
  body: unknown
}

const MAX_CALLS = 5_000
const SECRET_FIELDS = ['client_secret', 'client_assertion']

const mask = (name: string, value: unknown) => (SECRET_FIELDS.includes(name) ? '***' : value)

/** Parses a body for the log: forms and JSON as objects with masked secrets, other text as it is. */
export function parseBody(text: string, contentType: string): unknown {
  if (text === '') return null
  if (contentType.includes('x-www-form-urlencoded'))
    return Object.fromEntries(
      [...new URLSearchParams(text)].map(([name, value]) => [name, mask(name, value)]),
    )
  try {
    return JSON.parse(text, mask)
  } catch {
    return text
  }
}

/** Records a call at arrival, so that pending ones are visible; keeps the last 5,000. */
export function recordCall(calls: RecordedCall[], call: RecordedCall): void {
  calls.push(call)
  if (calls.length > MAX_CALLS) calls.shift()
}
