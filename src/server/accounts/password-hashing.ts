import { randomBytes } from 'node:crypto'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { ProblemError } from '#server/http/problem-error.ts'

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
}
/** Hashes run off the main thread; more at once than this would starve the database's sockets. */
const CONCURRENT_HASHES = 2
const WAITING_HASHES = 200

let running = 0
const waiting: (() => void)[] = []

/** @throws ProblemError too-busy when the queue is full */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= CONCURRENT_HASHES) {
    if (waiting.length >= WAITING_HASHES) throw new ProblemError('too-busy', { retryAfterSeconds: 5 })
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, PARAMETERS))
}

const randomPart = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '')

/** Random where a salt and a digest stand, so that no password fits: unknown e-mails cost the same work as known ones. */
const UNMATCHABLE = [
  '$argon2id$v=19',
  `m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}`,
  randomPart(16),
  randomPart(32),
].join('$')

/** Checks a password against its hash, or, for an unknown e-mail, does the same work and says no. */
export async function isPasswordRight(encoded: string | undefined, password: string): Promise<boolean> {
  const known = encoded ?? UNMATCHABLE
  const isRight = await inTurn(() => verify(known, password))
  return encoded !== undefined && isRight
}
