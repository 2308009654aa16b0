import { composeMail } from './compose-mail.ts'
import type { PrepareMail } from './prepare-mail.ts'

/** Owed to people who are approved; an approval that was taken back in the meantime is not told. */
export const prepareAccountApprovedMail: PrepareMail = async (transaction, mail, settings) => {
  const person = await transaction
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', mail.recipient)
    .where('approved', '=', true)
    .executeTakeFirst()
  if (!person) return undefined
  return composeMail(settings.groupName, {
    subject: `Sua conta no portal ${settings.groupName} foi aprovada`,
    heading: 'Sua conta foi aprovada',
    paragraphs: ['Um administrador aprovou sua conta: os relatórios liberados para você já estão no portal.'],
    button: { label: 'Ver relatórios', link: `${settings.publicUrl}/power-bi` },
    notes: ['Falta alguma área, marca ou estado? Fale com o administrador do portal.'],
  })
}
