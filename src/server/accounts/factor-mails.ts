import { formatInstant } from '#server/mail/compose-mail.ts'
import type { MailContext, Mails } from '#server/mail/mails.ts'
import { findByEmail } from '#server/users/user-queries.ts'
import { createEmailLink, findProven } from './mails.ts'

interface Notice {
  subject: string
  heading: string
  /** What happened, after 'Em 3 de março, às 14:02, '. */
  event: string
  advice: string
}

/** Creates a mail about the second step, with a link to where the person sees it. */
const toNotice =
  ({ subject, heading, event, advice }: Notice) =>
  async ({ db, groupName, publicUrl }: MailContext, mail: { recipient: string; created_at: Date }) => {
    if (!(await findProven(db, mail.recipient))) return undefined
    return {
      subject: `${subject} no portal ${groupName}`,
      heading,
      paragraphs: [`Em ${formatInstant(mail.created_at)}, ${event}`, advice],
      button: { label: 'Ver a segurança da conta', link: `${publicUrl}/profile/seguranca` },
      notes: [`Se não foi você, crie já uma senha nova: ${publicUrl}/forgot-password`],
    }
  }

export const factorMails = {
  /** Allows the browser that asked to enrol a factor. */
  async 'factor-link'(context, mail) {
    const person = await findByEmail(context.db, mail.recipient)
    if (!person) return undefined
    const link = await createEmailLink(context, { userId: person.user_id, purpose: 'factor' })
    return {
      subject: `Confirme que é você no portal ${context.groupName}`,
      heading: 'Configure a verificação em duas etapas',
      paragraphs: [
        'Alguém que entrou na sua conta do portal de relatórios quer configurar a verificação em duas etapas.',
        'Se é você, abra o link no mesmo navegador, onde você já entrou, e continue por lá.',
      ],
      button: { label: 'Continuar a configuração', link },
      notes: [
        'O link vale por 1 hora e serve uma única vez.',
        `Se não é você, não abra o link: alguém sabe sua senha. Crie outra: ${context.publicUrl}/forgot-password`,
      ],
    }
  },

  /** Sent after each new factor, with a link that undoes it. */
  async 'factor-added'(context, mail) {
    const { db } = context
    const factor = db.selectFrom('factors').select(['id as factorId', 'user_id as userId'])
    // One that was removed meanwhile needs no link any more.
    const found = mail.about && (await factor.where('id', '=', mail.about).executeTakeFirst())
    if (!found) return undefined
    const link = await createEmailLink(context, { ...found, purpose: 'disown-factor' })
    return {
      subject: `Nova segunda etapa na sua conta no portal ${context.groupName}`,
      heading: 'Sua conta tem uma nova segunda etapa',
      paragraphs: [
        `Em ${formatInstant(mail.created_at)} um aplicativo de códigos ou uma chave de acesso foi cadastrado na sua conta do portal de relatórios.`,
        'Se foi você, não precisa fazer nada. Se não foi, avise agora: o que foi cadastrado neste momento e depois dele é removido, encerramos todas as sessões, a senha deixa de valer e você recebe um link para criar outra.',
      ],
      button: { label: 'Não fui eu', link },
      notes: ['O link vale por 7 dias.'],
    }
  },

  'factor-removed': toNotice({
    subject: 'Segunda etapa removida',
    heading: 'Uma segunda etapa foi removida',
    event:
      'um aplicativo de códigos ou uma chave de acesso foi removido da sua conta do portal de relatórios.',
    advice: 'Se foi você, não precisa fazer nada.',
  }),
  'recovery-codes-replaced': toNotice({
    subject: 'Novos códigos de recuperação',
    heading: 'Seus códigos de recuperação foram trocados',
    event: 'foram criados novos códigos de recuperação para a sua conta do portal de relatórios.',
    advice: 'Os códigos anteriores não servem mais. Guarde os novos em lugar seguro.',
  }),
  'recovery-code-used': toNotice({
    subject: 'Código de recuperação usado',
    heading: 'Um código de recuperação foi usado',
    event:
      'alguém entrou na sua conta do portal de relatórios com a sua senha e um código de recuperação. As outras sessões foram encerradas.',
    advice:
      'Se foi você e o aparelho se perdeu, remova-o em Segurança e cadastre outro: confirmaremos por e-mail que é você.',
  }),
  'factor-reset': toNotice({
    subject: 'Verificação em duas etapas retirada',
    heading: 'Sua verificação em duas etapas foi retirada',
    event:
      'um administrador removeu da sua conta do portal de relatórios os aplicativos de códigos, as chaves de acesso e os códigos de recuperação, e encerrou suas sessões.',
    advice: 'Entre com a sua senha e configure de novo: confirmaremos por e-mail que é você.',
  }),
  'factor-failures': toNotice({
    subject: 'Códigos errados',
    heading: 'Alguém errou o código da segunda etapa',
    event:
      'alguém que sabe a sua senha errou várias vezes o código da segunda etapa no portal de relatórios.',
    advice: 'Se foi você, não precisa fazer nada. Ninguém entrou na sua conta com esses códigos.',
  }),
} satisfies Partial<Mails>
