import { formatReportTitle } from '#contract/messages.ts'
import type { Mails } from '#server/mail/mails.ts'
import { describeNewestEntries, isAdministrator } from '#server/users/mails.ts'

import { composeFailureMail } from './report-mail.ts'
import { composeUsageMail } from './usage-mail.ts'

const SENTENCES = {
  'report-setting-saved': 'configuração salva',
  'report-setting-removed': 'relatório removido',
}

export const reportMails = {
  /** Sent to administrators when the report of an area changes. */
  async 'report-settings-changed'({ db, groupName, publicUrl }, { recipient }) {
    if (!(await isAdministrator(db, recipient))) return undefined
    const actions = ['report-setting-saved', 'report-setting-removed'] as const
    const changes = await describeNewestEntries(db, actions, ({ action, before, after }) => {
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
