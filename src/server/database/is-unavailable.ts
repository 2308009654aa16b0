/** Connection exceptions, shutdown, too many connections, cancelled by a time-out, disk full, lock not had in time. */
const PASSING_SQL_STATES = /^(08|57P0|53|57014|55P03)/
const SOCKET_ERRORS = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENOENT)$/
/** What the driver says without a code. */
const DRIVER_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|connection is closed|driver has already been destroyed/

/** Whether a failure is the database's absence (it may pass) and not a fault of the query. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = String((error as { code?: unknown }).code ?? '')
  if (PASSING_SQL_STATES.test(code) || SOCKET_ERRORS.test(code) || DRIVER_MESSAGES.test(error.message))
    return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  return isDatabaseUnavailable(error.cause)
}
