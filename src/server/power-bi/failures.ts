/** What the service said when it refused: its status, its own code and message, and the id to quote to support. */
export class PowerBiRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  constructor(status: number, code: string, message: string, requestId: string | null) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

/** A failure that may pass by itself: 429 or 5xx, of the service or of the directory. */
export class PassingFailure extends Error {
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  constructor(status: number, retryAfterSeconds: number | undefined) {
    super(`asked to try later with ${status}`)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}
