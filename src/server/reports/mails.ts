import { formatReportTitle } from '#contract/messages.ts'
import type { Db } from '#server/database/schema.ts'
import type { Mails } from '#server/mail/mails.ts'
import { describeNewestEntries, isAdministrator } from '#server/users/mails.ts'

import { composeFailureMail } from './report-mail.ts'
import { isSameState } from './report-settings.ts'
import { composeUsageMail } from './usage-mail.ts'

const SENTENCES = {
  'report-setting-saved': 'configuração salva',
  'report-setting-removed': 'relatório removido',
}

const ACTIONS = ['report-setting-saved', 'report-setting-removed'] as const

export const reportMails = {
  /** Sent to administrators when the report of an area changes. */
  async 'report-settings-changed'({ db, groupName, publicUrl }, { recipient, after_entry }) {
    if (!(await isAdministrator(db, recipient))) return undefined
    if (after_entry !== null && (await isUndone(db, after_entry))) return undefined
    const changes = await describeNewestEntries(db, ACTIONS, ({ action, before, after }) => {
      const { type, name } = { ...before, ...after } as { type?: string; name?: string }
      return `${formatReportTitle(type ?? '', name)}: ${SENTENCES[action as keyof typeof SENTENCES]}`
    })
    return {
      subject: `Os relatórios do portal ${groupName} mudaram`,
      heading: 'A configuração dos relatórios mudou',
      paragraphs: ['As mudanças mais recentes:'],
      list: changes,
      button: { label: 'Conferir a configuração', link: `${publicUrl}/admin` },
      notes: [
        'Se não foi ninguém da sua equipe, troque as senhas de quem administra e confira os relatórios.',
      ],
    }
  },

  'usage-summary': composeUsageMail,

  'report-mail-failed': (context, { recipient }) => composeFailureMail(context, recipient),
} satisfies Partial<Mails>

/** Checks whether every change after an entry was taken back. */
async function isUndone(db: Db, afterEntry: number): Promise<boolean> {
  const entries = await db
    .selectFrom('audit_entries')
    .select(['before', 'after'])
    .where('action', 'in', ACTIONS)
    .where('id', '>', afterEntry)
    .orderBy('id')
    .execute()
  const standing: typeof entries = []
  for (const entry of entries) {
    const undone = standing.findLastIndex(
      ({ before, after }) => isSameState(before, entry.after) && isSameState(after, entry.before),
    )
    if (undone < 0) standing.push(entry)
    else standing.splice(undone, 1)
  }
  return entries.length > 0 && standing.length === 0
}
