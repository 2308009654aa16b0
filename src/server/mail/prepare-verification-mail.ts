import { composeMail } from './compose-mail.ts'
import { cancelOlderLinks, mintEmailLink } from './email-links.ts'
import type { PrepareMail } from './prepare-mail.ts'

/** Owed to people whose address nobody has proved yet; each mail carries links of its own. */
export const prepareVerificationMail: PrepareMail = async (transaction, mail, settings) => {
  const person = await transaction
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', mail.recipient)
    .where('email_verified_at', 'is', null)
    .executeTakeFirst()
  if (!person) return undefined
  const userId = person.user_id
  // Only what was newly asked for cancels: an earlier try of this very mail may have arrived.
  if (mail.attempts === 1) await cancelOlderLinks(transaction, { userId, purpose: 'signup' }, mail)
  const link = await mintEmailLink(transaction, settings, { userId, purpose: 'signup' })
  const notMe = await mintEmailLink(transaction, settings, { userId, purpose: 'disown-account' })
  return composeMail(settings.groupName, {
    subject: `Confirme seu e-mail no portal ${settings.groupName}`,
    heading: 'Confirme seu e-mail',
    paragraphs: [
      'Falta confirmar que este endereço de e-mail é seu. Confirme-o no portal de relatórios e você já entra.',
    ],
    button: { label: 'Confirmar e-mail', link },
    notes: ['O link vale por 24 horas e serve uma única vez. Se você pediu mais de um, use o mais recente.'],
    aside: {
      text: 'Não foi você que criou esta conta? Não confirme: apague a conta que usa seu endereço.',
      label: 'Não fui eu',
      link: notMe,
    },
  })
}
