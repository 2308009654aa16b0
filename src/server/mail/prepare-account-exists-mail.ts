import { composeMail } from './compose-mail.ts'
import type { PrepareMail } from './prepare-mail.ts'

/** Owed to people who signed up, or in whose name somebody did, although they have an account. */
export const prepareAccountExistsMail: PrepareMail = async (transaction, mail, settings) => {
  const person = await transaction
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', mail.recipient)
    .where('email_verified_at', 'is not', null)
    .executeTakeFirst()
  if (!person) return undefined
  return composeMail(settings.groupName, {
    subject: `Você já tem uma conta no portal ${settings.groupName}`,
    heading: 'Você já tem uma conta',
    paragraphs: [
      'Alguém pediu uma conta nova no portal de relatórios com este endereço, mas ele já tem uma.',
      'Se foi você, entre com a senha que já usa. Nada mudou na sua conta.',
    ],
    button: { label: 'Entrar no portal', link: `${settings.publicUrl}/login` },
    notes: ['Se não foi você, ignore esta mensagem: ninguém entrou na sua conta.'],
    aside: {
      text: 'Não lembra da senha?',
      label: 'Redefinir senha',
      link: `${settings.publicUrl}/forgot-password`,
    },
  })
}
