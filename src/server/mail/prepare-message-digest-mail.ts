import { composeMail } from './compose-mail.ts'
import { isAdministrator } from './is-administrator.ts'
import type { PrepareMail } from './prepare-mail.ts'

const NAMED = 10
const LONGEST_NAME = 40
/** They would let a name turn the text around it. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Owed to administrators while a message that came after the mail was asked for is unread. Names, which anybody may
 * have written, stand in the body alone.
 */
export const prepareMessageDigestMail: PrepareMail = async (transaction, mail, settings) => {
  const unread = await transaction
    .selectFrom('support_messages')
    .select(({ fn }) => ['name', 'created_at', fn.countAll().over().as('total')])
    .where('is_read', '=', false)
    .orderBy('created_at', 'desc')
    .limit(NAMED)
    .execute()
  const newest = unread[0]
  if (!newest || newest.created_at < mail.created_at) return undefined
  if (!(await isAdministrator(transaction, mail.recipient))) return undefined
  const total = Number(newest.total)
  const others = total - unread.length
  const names = unread.map(({ name }) => shorten(name.replace(BIDI_CONTROLS, '')))
  return composeMail(settings.groupName, {
    subject: `${countMessages(total)} no portal ${settings.groupName}`,
    heading: countMessages(total),
    paragraphs: [
      total === 1
        ? 'Esta pessoa escreveu ao suporte do portal de relatórios:'
        : 'Estas pessoas escreveram ao suporte do portal de relatórios, a mais recente primeiro:',
    ],
    list: others > 0 ? [...names, `e mais ${others}`] : names,
    button: { label: 'Abrir as mensagens', link: `${settings.publicUrl}/mensagens` },
    notes: ['Os nomes estão como foram digitados: o formulário de contato é aberto a qualquer pessoa.'],
  })
}

function countMessages(total: number): string {
  return total === 1 ? '1 mensagem não lida' : `${total} mensagens não lidas`
}

function shorten(name: string): string {
  const characters = [...name]
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…` : name
}
