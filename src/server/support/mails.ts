import { defangText } from '#server/mail/compose-mail.ts'
import type { Mails } from '#server/mail/mails.ts'
import { isAdministrator } from '#server/users/mails.ts'

const MAX_NAMED = 10
const MAX_NAME_LENGTH = 40

const formatMessageCount = (total: number) =>
  total === 1 ? '1 mensagem não lida' : `${total} mensagens não lidas`

function shorten(name: string): string {
  const characters = [...name]
  return characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…` : name
}

export const supportMails = {
  /**
   * Sent to administrators while a message newer than the queued mail is unread. Names are untrusted
   * input, so they only appear in the body.
   */
  async 'message-digest'({ db, groupName, publicUrl }, mail) {
    const unread = await db
      .selectFrom('support_messages')
      .select(({ fn }) => ['name', 'created_at', fn.countAll().over().as('total')])
      .where('is_read', '=', false)
      .orderBy('created_at', 'desc')
      .limit(MAX_NAMED)
      .execute()
    const newest = unread[0]
    if (!newest || newest.created_at < mail.created_at) return undefined
    if (!(await isAdministrator(db, mail.recipient))) return undefined
    const total = Number(newest.total)
    const others = total - unread.length
    const names = unread.map(({ name }) => defangText(shorten(name)))
    return {
      subject: `${formatMessageCount(total)} no portal ${groupName}`,
      heading: formatMessageCount(total),
      paragraphs: [
        total === 1
          ? 'Esta pessoa escreveu ao suporte do portal de relatórios:'
          : 'Estas pessoas escreveram ao suporte do portal de relatórios, a mais recente primeiro:',
      ],
      list: others > 0 ? [...names, `e mais ${others}`] : names,
      button: { label: 'Abrir as mensagens', link: `${publicUrl}/mensagens` },
      notes: [
        'Os nomes estão como foram digitados, mas sem links: o formulário de contato é aberto a qualquer pessoa.',
      ],
    }
  },
} satisfies Partial<Mails>
