import { randomBytes } from 'node:crypto'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { isPreviousVersionActive } from './second-factor.ts'

/** OWASP's parameters for argon2id: 19 MiB, two iterations, one lane. */
const PARAMETERS = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
}
/** Hashes run in the thread pool; more at once would starve the database's sockets. */
const MAX_CONCURRENT_HASHES = 2
const MAX_QUEUED_HASHES = 200

let running = 0
const waiting: (() => void)[] = []

/** Limits concurrent hashes and queues the others. @throws ProblemError too-busy if the queue is full */
async function limitConcurrency<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_CONCURRENT_HASHES) {
    if (waiting.length >= MAX_QUEUED_HASHES) throw new ProblemError('too-busy', { retryAfterSeconds: 5 })
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
  return limitConcurrency(() => hash(password, PARAMETERS))
}

/** Normalizes a password, which devices encode differently, as NIST SP 800-63B asks. */
const normalizePassword = (password: string) => password.normalize('NFKC')

/** Hashes a new password: normalized, but as typed while 0.2 runs, which compares only that. */
export async function hashNewPassword(
  { db, clock }: Pick<PublicContext, 'db' | 'clock'>,
  password: string,
): Promise<string> {
  const normalized = normalizePassword(password)
  const isForOld = normalized !== password && (await isPreviousVersionActive(db, clock()))
  return hashPassword(isForOld ? password : normalized)
}

const randomPart = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '')

/** Hash that no password matches: unknown e-mails cost the same work as known ones. */
const DUMMY_HASH = [
  '$argon2id$v=19',
  `m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}`,
  randomPart(16),
  randomPart(32),
].join('$')

/**
 * Verifies a password against its hash: normalized, and as typed, which hashes of 0.2 hold.
 * Without a hash it does the same work and returns false: only the typed text decides how much.
 */
export async function isPasswordRight(encoded: string | undefined, password: string): Promise<boolean> {
  const known = encoded ?? DUMMY_HASH
  let isRight = false
  for (const form of new Set([normalizePassword(password), password]))
    if (await limitConcurrency(() => verify(known, form))) isRight = true
  return encoded !== undefined && isRight
}
