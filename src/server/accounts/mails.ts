import { createHash, randomBytes } from 'node:crypto'
import type { LinkPurpose } from '#server/database/schema.ts'
import { writeInstant } from '#server/mail/compose-mail.ts'
import type { MailContext, Mails, QueuedMail } from '#server/mail/mails.ts'
import { findByEmail } from '#server/users/user-queries.ts'

interface OwnedLink {
  userId: string
  purpose: LinkPurpose
}

const TOKEN_BYTES = 32
const HOUR_MS = 60 * 60_000

/** Pages that links lead to, and how long they are good; people notice late that something was done in their name. */
const LINKS: Record<LinkPurpose, { lifeMs: number; page: (token: string) => string }> = {
  signup: { lifeMs: 24 * HOUR_MS, page: (token) => `/auth/callback#token_hash=${token}&type=signup` },
  recovery: { lifeMs: HOUR_MS, page: (token) => `/reset-password#token_hash=${token}&type=recovery` },
  'disown-account': { lifeMs: 7 * 24 * HOUR_MS, page: (token) => `/nao-fui-eu#token_hash=${token}` },
  'disown-change': { lifeMs: 7 * 24 * HOUR_MS, page: (token) => `/nao-fui-eu#token_hash=${token}` },
}

/** What of a mailed token is stored and looked up. */
export function hashOfLinkToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}

/**
 * Makes a link of its own for one person; the database keeps its token's hash alone. The token stands in the
 * fragment, so that it reaches no server log, and a mail scanner that opens the link uses nothing up.
 * @returns the link, which goes into the mail and nowhere else
 */
export async function mintEmailLink(
  { db, clock, publicUrl }: Pick<MailContext, 'db' | 'clock' | 'publicUrl'>,
  { userId, purpose }: OwnedLink,
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const { lifeMs, page } = LINKS[purpose]
  await db
    .insertInto('email_links')
    .values({
      token_hash: hashOfLinkToken(token),
      user_id: userId,
      purpose,
      expires_at: new Date(clock() + lifeMs),
    })
    .execute()
  return publicUrl + page(token)
}

/**
 * Makes a link that cancels those which its owner got before this mail was asked for. When a later request has
 * overtaken this one on another replica, its link stays.
 */
async function mintNewestLink(context: MailContext, mail: QueuedMail, link: OwnedLink): Promise<string> {
  // Only what was newly asked for cancels: an earlier try of this very mail may have arrived.
  if (mail.attempts === 1)
    await context.db
      .deleteFrom('email_links')
      .where('user_id', '=', link.userId)
      .where('purpose', '=', link.purpose)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom(['mail_outbox as mail', 'mail_outbox as later'])
              .select('later.id')
              .where('mail.id', '=', mail.id)
              .whereRef('later.recipient', '=', 'mail.recipient')
              .whereRef('later.kind', '=', 'mail.kind')
              .whereRef('later.created_at', '>', 'mail.created_at')
              .where('later.attempts', '>', 0),
          ),
        ),
      )
      .execute()
  return mintEmailLink(context, link)
}

export const accountMails = {
  /** Owed to people with an unverified e-mail; each mail carries links of its own. */
  async verification(context, mail) {
    const person = await findByEmail(context.db, mail.recipient)
    if (!person || person.email_verified_at) return undefined
    const userId = person.user_id
    const link = await mintNewestLink(context, mail, { userId, purpose: 'signup' })
    const notMe = await mintEmailLink(context, { userId, purpose: 'disown-account' })
    return {
      subject: `Confirme seu e-mail no portal ${context.groupName}`,
      heading: 'Confirme seu e-mail',
      paragraphs: [
        'Falta confirmar que este endereço de e-mail é seu. Confirme-o no portal de relatórios e você já entra.',
      ],
      button: { label: 'Confirmar e-mail', link },
      notes: [
        'O link vale por 24 horas e serve uma única vez. Se você pediu mais de um, use o mais recente.',
      ],
      aside: {
        text: 'Não foi você que criou esta conta? Não confirme: apague a conta que usa seu endereço.',
        label: 'Não fui eu',
        link: notMe,
      },
    }
  },

  /** Owed to people who signed up, or in whose name somebody did, although they have an account. */
  async 'account-exists'({ db, groupName, publicUrl }, mail) {
    const person = await findByEmail(db, mail.recipient)
    if (!person?.email_verified_at) return undefined
    return {
      subject: `Você já tem uma conta no portal ${groupName}`,
      heading: 'Você já tem uma conta',
      paragraphs: [
        'Alguém pediu uma conta nova no portal de relatórios com este endereço, mas ele já tem uma.',
        'Se foi você, entre com a senha que já usa. Nada mudou na sua conta.',
      ],
      button: { label: 'Entrar no portal', link: `${publicUrl}/login` },
      notes: ['Se não foi você, ignore esta mensagem: ninguém entrou na sua conta.'],
      aside: {
        text: 'Não lembra da senha?',
        label: 'Redefinir senha',
        link: `${publicUrl}/forgot-password`,
      },
    }
  },

  /** Owed to every account, verified or not: the link proves who owns the e-mail. */
  async recovery(context, mail) {
    const person = await findByEmail(context.db, mail.recipient)
    if (!person) return undefined
    const link = await mintNewestLink(context, mail, { userId: person.user_id, purpose: 'recovery' })
    return {
      subject: `Redefina sua senha no portal ${context.groupName}`,
      heading: 'Redefina sua senha',
      paragraphs: ['Recebemos um pedido para criar uma senha nova para sua conta no portal de relatórios.'],
      button: { label: 'Criar senha nova', link },
      notes: [
        'O link vale por 1 hora e serve uma única vez. Se você pediu mais de um, use o mais recente.',
        'Se não foi você que pediu, ignore esta mensagem: sua senha continua a mesma.',
      ],
    }
  },

  /** Owed to whoever's password was changed or reset, so that a stranger's doing is noticed. */
  async 'password-changed'(context, mail) {
    const person = await findByEmail(context.db, mail.recipient)
    if (!person) return undefined
    const link = await mintEmailLink(context, { userId: person.user_id, purpose: 'disown-change' })
    return {
      subject: `Sua senha do portal ${context.groupName} foi alterada`,
      heading: 'Sua senha foi alterada',
      paragraphs: [
        `A senha da sua conta no portal de relatórios foi alterada em ${writeInstant(mail.created_at)}.`,
        'Se foi você, não precisa fazer nada. Se não foi, avise agora: encerramos todas as sessões, a senha nova deixa de valer e você recebe um link para criar outra.',
      ],
      button: { label: 'Não fui eu', link },
      notes: ['O link vale por 7 dias.'],
    }
  },

  /** Owed to people to whose account a browser signed in that had never done so, unless it was their first. */
  async 'new-device'(context, mail) {
    const person = await findByEmail(context.db, mail.recipient)
    if (!person) return undefined
    const link = await mintEmailLink(context, { userId: person.user_id, purpose: 'disown-change' })
    return {
      subject: `Novo acesso à sua conta no portal ${context.groupName}`,
      heading: 'Novo acesso à sua conta',
      paragraphs: [
        `Em ${writeInstant(mail.created_at)} alguém entrou na sua conta no portal de relatórios, com a sua senha, em um navegador que ainda não conhecíamos.`,
        'Se foi você, não precisa fazer nada. Se não foi, avise agora: encerramos todas as sessões, a senha deixa de valer e você recebe um link para criar outra.',
      ],
      button: { label: 'Não fui eu', link },
      notes: ['O link vale por 7 dias. Uma janela anônima ou dados do navegador apagados também contam.'],
    }
  },

  /** Owed to the built-in administrator, whose sign-in skips the human check, after failed attempts. */
  async 'builtin-failures'({ db, groupName, publicUrl }, mail) {
    if (!(await findByEmail(db, mail.recipient))) return undefined
    return {
      subject: `Tentativas de login sem sucesso no portal ${groupName}`,
      heading: 'Tentativas de login sem sucesso',
      paragraphs: [
        `Até ${writeInstant(mail.created_at)} alguém tentou várias vezes entrar no portal de relatórios com o endereço do administrador e uma senha errada.`,
        'Se foi você, não precisa fazer nada. Se não foi, essas tentativas falharam; troque a senha por uma que só você conheça.',
      ],
      button: { label: 'Redefinir senha', link: `${publicUrl}/forgot-password` },
      notes: [
        'Depois de várias falhas o login fica bloqueado por alguns minutos. Redefinir a senha o libera.',
      ],
    }
  },
} satisfies Mails
