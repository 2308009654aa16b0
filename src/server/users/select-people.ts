import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { BulkEdit } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { matches } from './user-filter.ts'

/**
 * The ids of the people whom a bulk edit means, in the one order in which rows are locked.
 * @param lock whether to hold the rows until the transaction ends
 * @throws ProblemError conflict when somebody is gone (its fields say who), or others match than the administrator saw
 */
export async function selectPeople(db: Db, edit: BulkEdit, lock: boolean): Promise<string[]> {
  return 'userIds' in edit ? selectNamed(db, edit.userIds, lock) : selectMatching(db, edit.allMatching, lock)
}

/** Stands for exactly these people, whose ids are given in the order of selectPeople. */
export function fingerprintOf(ids: readonly string[]): string {
  return createHash('sha256').update(ids.join()).digest('base64url')
}

async function selectNamed(db: Db, userIds: readonly string[], lock: boolean): Promise<string[]> {
  const wanted = userIds.map((id) => id.toLowerCase())
  const found = await readIds(db, sql`p.user_id = any(${[...new Set(wanted)]}::uuid[])`, lock)
  const there = new Set(found)
  const gone = new Set(wanted.filter((id) => !there.has(id)))
  if (gone.size === 0) return found
  throw new ProblemError('conflict', {
    detail: `${inWords(gone.size)} dos usuários selecionados já não ${gone.size === 1 ? 'existe' : 'existem'}. Nada foi alterado.`,
    fields: wanted.flatMap((id, index) =>
      gone.has(id) ? [{ path: `userIds.${index}`, message: 'Este usuário já não existe.' }] : [],
    ),
  })
}

async function selectMatching(
  db: Db,
  { filter, except, count, fingerprint }: Extract<BulkEdit, { allMatching: unknown }>['allMatching'],
  lock: boolean,
): Promise<string[]> {
  const found = await readIds(db, matches(filter), lock)
  if (found.length !== count)
    throw listChanged(`eram ${inWords(count)} usuário(s), agora são ${inWords(found.length)}`)
  const excepted = new Set(except.map((id) => id.toLowerCase()))
  const meant = found.filter((id) => !excepted.has(id))
  if (fingerprint !== undefined && fingerprint !== fingerprintOf(meant))
    throw listChanged('o número é o mesmo, mas as pessoas não')
  return meant
}

function listChanged(how: string): ProblemError {
  return new ProblemError('conflict', {
    detail: `A lista mudou nesse meio-tempo: ${how}. Nada foi alterado.`,
  })
}

const inWords = (count: number) => count.toLocaleString('pt-BR')

async function readIds(db: Db, condition: ReturnType<typeof matches>, lock: boolean): Promise<string[]> {
  const { rows } = await sql<{ ids: string }>`
    with found as (
      select p.user_id from profiles p where ${condition} order by p.user_id ${lock ? sql`for update` : sql``}
    )
    select coalesce(json_agg(user_id), '[]')::text as ids from found`.execute(db)
  return JSON.parse(rows[0]?.ids ?? '[]') as string[]
}
