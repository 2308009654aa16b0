import { sql } from 'kysely'
import type { AccessType } from '#contract/catalogue.ts'
import { NO_SETTING } from '#contract/report-settings.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ReportSettingRow } from './report-settings-queries.ts'

/**
 * Refuses a write that rests on an older state than the one that stands now, and says who changed it.
 * @param ifMatch updated_at of the setting that the administrator saw, or 'none'; undefined asks for nothing
 * @throws ProblemError conflict
 */
export async function refuseStaleWrite(
  db: Db,
  actor: Actor,
  type: AccessType,
  { ifMatch, current }: { ifMatch: string | undefined; current: ReportSettingRow | undefined },
): Promise<void> {
  if (ifMatch === undefined || ifMatch === (current?.updated_at.toISOString() ?? NO_SETTING)) return
  await refuseAsChanged(db, actor, type)
}

/** @throws ProblemError conflict, always */
export async function refuseAsChanged(db: Db, actor: Actor, type: AccessType): Promise<never> {
  const last = await db
    .selectFrom('audit_entries')
    .select(['action', 'actor_id', 'actor_email'])
    .where('action', 'in', ['report-setting-saved', 'report-setting-removed'])
    .where(sql<boolean>`coalesce(after, before) ->> 'type' = ${type}`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const what = last?.action === 'report-setting-removed' ? 'removida' : 'alterada'
  const who = last?.actor_id === actor.profile.user_id ? 'você, em outra janela,' : last?.actor_email
  const by = who ? ` por ${who}` : ''
  throw new ProblemError('conflict', {
    detail: `A configuração de ${type} foi ${what}${by} nesse meio-tempo. Confira a configuração atual antes de continuar.`,
  })
}
