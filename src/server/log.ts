import pino from 'pino'

export type Log = pino.Logger

/** Anything under these names is cut from every log line, however it got there. */
const SECRET_NAMES = [
  'password',
  'newPassword',
  'access_token',
  'refresh_token',
  'token',
  'token_hash',
  'captcha',
  'secret',
  'authorization',
  'cookie',
  'email',
]

const REQUEST_LOG_BATCH_BYTES = 4096

/** JSON lines, secrets cut out; on standard output unless another destination is given. */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[cortado]',
    },
    serializers: { err: describeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * The log of requests, a line each: a logger of its own without redaction, because the caller picks what goes in
 * and looking for secrets in every line would cost more than the rest of a small request. Lines are written in
 * batches, after a second at the latest and before the process ends.
 */
export function createRequestLog(level: string): Log {
  const destination = pino.destination({ dest: 1, sync: false, minLength: REQUEST_LOG_BATCH_BYTES })
  setInterval(() => destination.flush(), 1000).unref()
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}

/** Type, message and stack of an error and its causes; no further fields, since drivers put values there. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  return {
    type: error.constructor.name,
    message: error.message,
    code: (error as { code?: unknown }).code,
    host: (error as { host?: unknown }).host,
    stack: error.stack,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}

/** Runs the work; a failure says which host it was about, which those of a time-out do not by themselves. */
export async function namingHost<T>(host: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error) Object.assign(error, { host })
    throw error
  }
}

/** Runs the work without failing; of a row of failures the first one is logged. */
export function logFirstFailure(log: Log, message: string, work: () => Promise<void>): () => Promise<void> {
  let isFailing = false
  return async () => {
    try {
      await work()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, message)
      isFailing = true
    }
  }
}
