import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Db } from '#server/database/schema.ts'
import { runAdminTransaction } from './admin-transaction.ts'
import type { Context } from './context.ts'
import { ProblemError } from './problem-error.ts'

/**
 * Executes an administrator's work in one transaction. With an idempotency key, repeated requests
 * within a day get the first answer, stored encrypted with the key; refusals are not stored.
 * @param work returns the answer, which must be JSON, or undefined
 * @throws ProblemError idempotency-key-reused if another request used the key before
 */
export function runIdempotent<T>(
  context: Context,
  work: (db: Db) => Promise<T>,
  lockRoles?: (db: Db) => Promise<unknown>,
): Promise<T> {
  const { actor, request } = context
  return runAdminTransaction(
    context,
    async (transaction) => {
      if (!request.idempotency) return work(transaction)
      const digest = createDigest(request.idempotency.key, actor.profile.user_id)
      const [id, secret, fingerprint] = [digest('id'), digest('answer'), digest(request.idempotency.text)]
      // Blocks until a concurrent request with the same key has finished.
      const isFirst = await transaction
        .insertInto('idempotency_keys')
        .values({ id, request: fingerprint })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      if (!isFirst) return readStoredAnswer<T>(transaction, { id, secret, fingerprint })
      const answer = await work(transaction)
      const sealed = seal(secret, JSON.stringify(answer ?? null))
      await transaction.updateTable('idempotency_keys').set({ answer: sealed }).where('id', '=', id).execute()
      return answer
    },
    lockRoles,
  )
}

const createDigest = (key: string, actorId: string) => (what: string) =>
  createHmac('sha256', key).update(`${actorId} ${what}`).digest()

async function readStoredAnswer<T>(
  db: Db,
  { id, secret, fingerprint }: Record<'id' | 'secret' | 'fingerprint', Buffer>,
): Promise<T> {
  const kept = await db
    .selectFrom('idempotency_keys')
    .select(['request', 'answer'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!kept?.answer || !fingerprint.equals(kept.request)) throw new ProblemError('idempotency-key-reused')
  return JSON.parse(open(secret, kept.answer)) as T
}

const [CIPHER, IV_BYTES, TAG_BYTES] = ['aes-256-gcm', 12, 16] as const

function seal(secret: Buffer, text: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, secret, iv)
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

function open(secret: Buffer, sealed: Uint8Array): string {
  const cipher = createDecipheriv(CIPHER, secret, sealed.subarray(0, IV_BYTES))
  cipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return `${cipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8')}${cipher.final('utf8')}`
}
