import { sql } from 'kysely'
import type { BulkEdit } from '#contract/profiles.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { matches } from '#server/profiles/list/match-profiles.ts'

/**
 * The ids of the people whom a bulk edit means, in the one order in which rows are locked.
 * @param lock whether to hold the rows until the transaction ends
 * @throws ProblemError conflict when somebody is gone, or others match than the administrator saw
 */
export async function selectPeople(db: Db, edit: BulkEdit, lock: boolean): Promise<string[]> {
  return 'userIds' in edit ? selectNamed(db, edit.userIds, lock) : selectMatching(db, edit.allMatching, lock)
}

async function selectNamed(db: Db, userIds: readonly string[], lock: boolean): Promise<string[]> {
  const wanted = [...new Set(userIds.map((id) => id.toLowerCase()))]
  const found = await readIds(db, sql`p.user_id = any(${wanted}::uuid[])`, lock)
  if (found.length !== wanted.length)
    throw new ProblemError('conflict', {
      detail: 'Um dos usuários selecionados já não existe. Nada foi alterado: recarregue a lista.',
    })
  return found
}

async function selectMatching(
  db: Db,
  { filter, except, count }: Extract<BulkEdit, { allMatching: unknown }>['allMatching'],
  lock: boolean,
): Promise<string[]> {
  const found = await readIds(db, matches(filter), lock)
  if (found.length !== count)
    throw new ProblemError('conflict', {
      detail: `A lista mudou nesse meio-tempo: eram ${count} usuário(s), agora são ${found.length}. Nada foi alterado.`,
    })
  const excepted = new Set(except.map((id) => id.toLowerCase()))
  return found.filter((id) => !excepted.has(id))
}

async function readIds(db: Db, condition: ReturnType<typeof matches>, lock: boolean): Promise<string[]> {
  const { rows } = await sql<{ ids: string }>`
    with found as (
      select p.user_id from profiles p where ${condition} order by p.user_id ${lock ? sql`for update` : sql``}
    )
    select coalesce(json_agg(user_id), '[]')::text as ids from found`.execute(db)
  return JSON.parse(rows[0]?.ids ?? '[]') as string[]
}
