import { composeMail } from './compose-mail.ts'
import { mintEmailLink } from './email-links.ts'
import type { PrepareMail } from './prepare-mail.ts'
import { writeInstant } from './write-instant.ts'

/** Owed to whoever's password was changed or reset, so that a stranger's doing is noticed. */
export const preparePasswordChangedMail: PrepareMail = async (transaction, mail, settings) => {
  const person = await transaction
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', mail.recipient)
    .executeTakeFirst()
  if (!person) return undefined
  const owner = { userId: person.user_id, purpose: 'disown-change' } as const
  const link = await mintEmailLink(transaction, settings, owner)
  return composeMail(settings.groupName, {
    subject: `Sua senha do portal ${settings.groupName} foi alterada`,
    heading: 'Sua senha foi alterada',
    paragraphs: [
      `A senha da sua conta no portal de relatórios foi alterada em ${writeInstant(mail.created_at)}.`,
      'Se foi você, não precisa fazer nada. Se não foi, avise agora: encerramos todas as sessões, a senha nova deixa de valer e você recebe um link para criar outra.',
    ],
    button: { label: 'Não fui eu', link },
    notes: ['O link vale por 7 dias.'],
  })
}
