import { sql } from 'kysely'
import {
  type AccessTemplate,
  type AccessTemplateChange,
  type AccessTemplateForm,
  accessTemplateMessages,
  MAX_TEMPLATES,
} from '#contract/access-templates.ts'
import type { Catalogue } from '#contract/catalogue.ts'
import { LISTS, mapLists, NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import { lockCatalogue, rejectUnknownItems } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { sortEntitlements } from './entitlements.ts'

export function listAccessTemplates(db: Db): Promise<AccessTemplate[]> {
  return db.selectFrom('access_templates').selectAll().orderBy(sql`name collate "und-x-icu"`).execute()
}

/** @throws ProblemError invalid-input: name taken, empty, unknown or archived items, too many templates */
export function addAccessTemplate(context: Context, wanted: AccessTemplateForm): Promise<AccessTemplate> {
  return changeTemplates(context, async (db, catalogue) => {
    const others = await listAccessTemplates(db)
    if (others.length >= MAX_TEMPLATES) throw toFieldError('name', accessTemplateMessages.tooMany)
    const values = await normalize(db, catalogue, wanted)
    const template = await db
      .insertInto('access_templates')
      .values(values)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordAudit({ ...context, db }, { action: 'access-template-added', after: pick(template) })
    return template
  })
}

/**
 * Changes a template but not the people it was applied to. Archived items may stay in it.
 * @throws ProblemError not-found, invalid-input, conflict with a stale ifMatch
 */
export function changeAccessTemplate(
  context: Context,
  { id, ifMatch, change }: { id: string; ifMatch: string | undefined; change: AccessTemplateChange },
): Promise<AccessTemplate> {
  return changeTemplates(context, async (db, catalogue) => {
    const before = await findTemplate(db, id, ifMatch)
    const wanted = {
      name: change.name ?? before.name,
      ...mapLists((list) => change[list] ?? before[list]),
    }
    const values = await normalize(db, catalogue, wanted, before)
    if (JSON.stringify(pick({ ...before, ...values })) === JSON.stringify(pick(before))) return before
    const after = await db
      .updateTable('access_templates')
      .set({ ...values, version: before.version + 1 })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const entry = { action: 'access-template-changed', before: pick(before), after: pick(after) } as const
    await recordAudit({ ...context, db }, entry)
    return after
  })
}

/** @throws ProblemError not-found, conflict with a stale ifMatch or while groups give it */
export function removeAccessTemplate(
  context: Context,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
): Promise<void> {
  return changeTemplates(context, async (db) => {
    const before = await findTemplate(db, id, ifMatch)
    await sql`lock table group_mappings in share mode`.execute(db)
    const groups = await db
      .selectFrom('group_mappings')
      .select('name')
      .where('template_id', '=', id)
      .orderBy(sql`name collate "und-x-icu"`)
      .execute()
    if (groups.length > 0) {
      const detail = accessTemplateMessages.usedByGroups(groups.map(({ name }) => name))
      throw new ProblemError('conflict', { detail })
    }
    await db.deleteFrom('access_templates').where('id', '=', id).execute()
    await recordAudit({ ...context, db }, { action: 'access-template-removed', before: pick(before) })
  })
}

/** Serializes changes of templates, and excludes renames of areas meanwhile. */
function changeTemplates<T>(
  context: Context,
  change: (db: Db, catalogue: Catalogue) => Promise<T>,
): Promise<T> {
  return runIdempotent(context, async (db) => {
    const catalogue = await lockCatalogue(db)
    await sql`lock table access_templates in share row exclusive mode`.execute(db)
    return change(db, catalogue)
  })
}

async function findTemplate(db: Db, id: string, ifMatch: string | undefined): Promise<AccessTemplate> {
  const template = await db.selectFrom('access_templates').selectAll().where('id', '=', id).executeTakeFirst()
  if (!template) throw new ProblemError('not-found', { detail: accessTemplateMessages.gone })
  if (ifMatch !== undefined && ifMatch !== String(template.version))
    throw new ProblemError('conflict', { detail: accessTemplateMessages.changedMeanwhile })
  return template
}

/**
 * Validates and returns the stored form: lists in the catalogue's order, without duplicates.
 * @param before the current template, whose archived items may stay
 */
async function normalize(db: Db, catalogue: Catalogue, wanted: AccessTemplateForm, before?: AccessTemplate) {
  rejectUnknownItems(catalogue, wanted, before ?? NO_ENTITLEMENTS)
  if (LISTS.every((list) => wanted[list].length === 0))
    throw toFieldError('types', accessTemplateMessages.nothing)
  const taken = await db
    .selectFrom('access_templates')
    .select('id')
    .where(sql<boolean>`fold_text(name) = fold_text(${wanted.name})`)
    .$if(before !== undefined, (query) => query.where('id', '!=', before?.id as string))
    .executeTakeFirst()
  if (taken) throw toFieldError('name', accessTemplateMessages.nameTaken)
  return { name: wanted.name, ...sortEntitlements(catalogue, wanted) }
}

const pick = ({ name, types, marcas, estados }: AccessTemplateForm) => ({ name, types, marcas, estados })
