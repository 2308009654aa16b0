import pino from 'pino'
import { escapeJsonLine } from '#contract/text-rules.ts'

export type Log = pino.Logger

/** Fields with these names are redacted from every log line, at any depth. */
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

/** JSON leaves what moves or hides text in a terminal. */
const hooks = { streamWrite: escapeJsonLine }

/** Creates a logger of JSON lines with redacted secrets, to standard output by default. */
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
    hooks,
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Creates the request logger, without redaction, which would cost more than the rest of a small
 * request: callers choose the fields. Lines are written in batches, within a second and on exit.
 */
export function createRequestLog(level: string): Log {
  const destination = pino.destination({ dest: 1, sync: false, minLength: REQUEST_LOG_BATCH_BYTES })
  setInterval(() => destination.flush(), 1000).unref()
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks }, destination)
}

/** Returns type, message and stack of an error and its causes; drivers put values into other fields. */
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

/** Adds the host to errors of the work, which time-outs lack. */
export async function withHost<T>(host: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error) Object.assign(error, { host })
    throw error
  }
}

/** Wraps work so that it never throws; logs only the first of consecutive failures. */
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
