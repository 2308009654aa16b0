import { quoteForeignWords } from '#contract/foreign-words.ts'

/** A refusal by the service: status, code (or several), its words, and the request id for support. */
export class PowerBiRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  readonly retryAfterSeconds: number | undefined
  constructor(
    status: number,
    code: string,
    message: string,
    { requestId, retryAfterSeconds }: { requestId: string | null; retryAfterSeconds?: number | undefined },
  ) {
    super(quoteForeignWords(message))
    this.status = status
    this.code = code
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A refusal by the directory (Microsoft Entra, 'Handling error codes in your application'). */
export class DirectoryRefusal extends Error {
  readonly status: number
  readonly error: string
  readonly requestId: string
  readonly retryAfterSeconds: number | undefined
  constructor(
    status: number,
    body: { error?: unknown; error_description?: unknown; correlation_id?: unknown },
    retryAfterSeconds?: number,
  ) {
    super(quoteForeignWords(String(body.error_description ?? '')))
    this.status = status
    this.error = String(body.error ?? '')
    this.requestId = String(body.correlation_id ?? '')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A web page instead of JSON: the reply of a proxy, a firewall or a captive portal. */
export class ProxyReply extends Error {
  readonly host: string
  readonly status: number
  constructor(host: string, status: number) {
    super(`what came from ${host} with ${status} is no answer of Microsoft's`)
    this.host = host
    this.status = status
  }
}

/** No readable answer of the service or the directory: network, time-out, malformed reply. */
export class NoAnswer extends Error {
  readonly service: 'directory' | 'power-bi'
  constructor(service: NoAnswer['service'], cause: unknown) {
    super(`no answer of ${service}`, { cause })
    this.service = service
  }
}

/** Reads Retry-After in seconds, of a number or a date (RFC 9110 section 10.2.3). */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? ''
  const seconds = Number(value) || Math.ceil((Date.parse(value) - Date.now()) / 1_000)
  return seconds > 0 ? seconds : undefined
}
