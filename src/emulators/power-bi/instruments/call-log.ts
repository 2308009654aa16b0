/** One call that the directory or the REST API received; `status` is null while it is being answered. */
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

/** The body as the log keeps it: forms and JSON as objects with secrets masked, other text as it came. */
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

/** Notes a call as it arrives, so that one still being answered is seen too; of more than 5,000 the oldest falls out. */
export function recordCall(calls: RecordedCall[], call: RecordedCall): void {
  calls.push(call)
  if (calls.length > MAX_CALLS) calls.shift()
}
