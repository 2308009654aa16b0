import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Db } from '#server/database/schema.ts'
import type { Context } from './context.ts'
import { ProblemError } from './problem-error.ts'

/**
 * Makes a change in one transaction. Where the request carries an idempotency key it is made once: whoever asks again
 * within a day, or while it is still being made, gets the first answer. A refusal changes nothing and is decided anew.
 * What is kept for that names nobody and cannot be read without the key.
 * @param change gives the answer, as JSON can hold it
 * @throws ProblemError idempotency-key-reused when the key came with another request before
 */
export function changeOnce<T>({ db, actor, request }: Context, change: (db: Db) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (inside) => {
    if (!request.once) return change(inside)
    const digest = digestBy(request.once.key, actor.profile.user_id)
    const [id, secret, asked] = [digest('id'), digest('answer'), digest(request.once.asked)]
    // Waits for another request under the same key until that is through.
    const isFirst = await inside
      .insertInto('idempotency_keys')
      .values({ id, request: asked })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!isFirst) return readAnswer<T>(inside, { id, secret, asked })
    const answer = await change(inside)
    const sealed = seal(secret, JSON.stringify(answer))
    await inside.updateTable('idempotency_keys').set({ answer: sealed }).where('id', '=', id).execute()
    return answer
  })
}

const digestBy = (key: string, actorId: string) => (what: string) =>
  createHmac('sha256', key).update(`${actorId} ${what}`).digest()

async function readAnswer<T>(
  db: Db,
  { id, secret, asked }: Record<'id' | 'secret' | 'asked', Buffer>,
): Promise<T> {
  const kept = await db
    .selectFrom('idempotency_keys')
    .select(['request', 'answer'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!kept?.answer || !asked.equals(kept.request)) throw new ProblemError('idempotency-key-reused')
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
