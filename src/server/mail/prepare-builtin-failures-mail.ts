import { composeMail } from './compose-mail.ts'
import type { PrepareMail } from './prepare-mail.ts'
import { writeInstant } from './write-instant.ts'

/** Owed to the built-in administrator, whose sign-in skips the human check, after failed attempts. */
export const prepareBuiltinFailuresMail: PrepareMail = async (transaction, mail, settings) => {
  const person = await transaction
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', mail.recipient)
    .executeTakeFirst()
  if (!person) return undefined
  return composeMail(settings.groupName, {
    subject: `Tentativas de login sem sucesso no portal ${settings.groupName}`,
    heading: 'Tentativas de login sem sucesso',
    paragraphs: [
      `Até ${writeInstant(mail.created_at)} alguém tentou várias vezes entrar no portal de relatórios com o endereço do administrador e uma senha errada.`,
      'Se foi você, não precisa fazer nada. Se não foi, essas tentativas falharam; troque a senha por uma que só você conheça.',
    ],
    button: { label: 'Redefinir senha', link: `${settings.publicUrl}/forgot-password` },
    notes: ['Depois de várias falhas o login fica bloqueado por alguns minutos. Redefinir a senha o libera.'],
  })
}
