import { composeMail } from './compose-mail.ts'
import { cancelOlderLinks, mintEmailLink } from './email-links.ts'
import type { PrepareMail } from './prepare-mail.ts'

/** Owed to everybody with an account, verified or not: the link proves who owns the address. */
export const prepareRecoveryMail: PrepareMail = async (transaction, mail, settings) => {
  const person = await transaction
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', mail.recipient)
    .executeTakeFirst()
  if (!person) return undefined
  const owner = { userId: person.user_id, purpose: 'recovery' } as const
  // Only what was newly asked for cancels: an earlier try of this very mail may have arrived.
  if (mail.attempts === 1) await cancelOlderLinks(transaction, owner, mail)
  const link = await mintEmailLink(transaction, settings, owner)
  return composeMail(settings.groupName, {
    subject: `Redefina sua senha no portal ${settings.groupName}`,
    heading: 'Redefina sua senha',
    paragraphs: ['Recebemos um pedido para criar uma senha nova para sua conta no portal de relatórios.'],
    button: { label: 'Criar senha nova', link },
    notes: [
      'O link vale por 1 hora e serve uma única vez. Se você pediu mais de um, use o mais recente.',
      'Se não foi você que pediu, ignore esta mensagem: sua senha continua a mesma.',
    ],
  })
}
