import { createHash, randomBytes } from 'node:crypto'
import { hasPassed, INVITATION_DAYS } from '#contract/user-rules.ts'
import type { Db, LinkPurpose } from '#server/database/schema.ts'
import { defangText, formatInstant } from '#server/mail/compose-mail.ts'
import type { MailContext, Mails } from '#server/mail/mails.ts'
import { findByEmail } from '#server/users/user-queries.ts'

type MailedPurpose = Exclude<LinkPurpose, 'signup-used'>

type OwnedLink =
  | { userId: string; purpose: Exclude<MailedPurpose, 'invitation' | 'disown-factor'> }
  | { userId: string; purpose: 'disown-factor'; factorId: string }
  | { invitationId: string; purpose: 'invitation' }

const TOKEN_BYTES = 32
export const HOUR_MS = 60 * 60_000
/** Lifetime of a verification link; it may set a password only in its first hour. */
export const SIGN_UP_LINK_MS = 24 * HOUR_MS

/** People may notice a stranger's change late. */
export const NOTICE_LINK_MS = 7 * 24 * HOUR_MS

/** Pages and lifetimes of links. */
const LINKS: Record<MailedPurpose, { lifeMs: number; page: (token: string) => string }> = {
  signup: { lifeMs: SIGN_UP_LINK_MS, page: (token) => `/auth/callback#token_hash=${token}&type=signup` },
  recovery: { lifeMs: HOUR_MS, page: (token) => `/reset-password#token_hash=${token}&type=recovery` },
  invitation: {
    lifeMs: INVITATION_DAYS * 24 * HOUR_MS,
    page: (token) => `/auth/callback#token_hash=${token}&type=invite`,
  },
  // To the place that is the same for every session; the session itself stays where it is.
  factor: { lifeMs: HOUR_MS, page: (token) => `/segunda-etapa#token_hash=${token}` },
  'disown-account': { lifeMs: NOTICE_LINK_MS, page: (token) => `/nao-fui-eu#token_hash=${token}` },
  'disown-change': { lifeMs: NOTICE_LINK_MS, page: (token) => `/nao-fui-eu#token_hash=${token}` },
  'disown-factor': { lifeMs: NOTICE_LINK_MS, page: (token) => `/nao-fui-eu#token_hash=${token}` },
}

/** Returns when an invitation expires. */
export function getInvitationExpiry(invitedAt: Date): Date {
  return new Date(invitedAt.getTime() + LINKS.invitation.lifeMs)
}

/** Whether its link, or the access that it would give, has ended. */
export const isInvitationOver = (
  { invited_at, valid_until }: { invited_at: Date; valid_until: string | null },
  now: number,
) => getInvitationExpiry(invited_at).getTime() <= now || hasPassed(valid_until ?? '', now)

/** Hashes a mailed token; only the hash is stored. */
export function hashLinkToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}

/**
 * Creates a single-use link for a person or invitation; the database stores only the token's hash. The
 * token is in the fragment, so that it reaches no server log and mail scanners do not use the link.
 * @returns the link, which must appear only in the mail
 */
export async function createEmailLink(
  { db, clock, publicUrl }: Pick<MailContext, 'db' | 'clock' | 'publicUrl'>,
  { purpose, ...owner }: OwnedLink,
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const { lifeMs, page } = LINKS[purpose]
  await db
    .insertInto('email_links')
    .values({
      token_hash: hashLinkToken(token),
      user_id: 'userId' in owner ? owner.userId : null,
      invitation_id: 'invitationId' in owner ? owner.invitationId : null,
      factor_id: 'factorId' in owner ? owner.factorId : null,
      purpose,
      expires_at: new Date(clock() + lifeMs),
    })
    .execute()
  return publicUrl + page(token)
}

/**
 * Finds the account of an address that its owner has proved. To any other go only what proves it and
 * what administrators decide: whoever signs an address up could flood it.
 */
export async function findProven(db: Db, email: string) {
  const person = await findByEmail(db, email)
  return person?.email_verified_at ? person : undefined
}

export const accountMails = {
  /** Sent until the invitation is accepted, withdrawn or expired. */
  async invitation(context, mail) {
    const { db, clock, groupName } = context
    const invitation = await db
      .selectFrom('invitations as i')
      .leftJoin('profiles as p', 'p.user_id', 'i.invited_by')
      .select(['i.id', 'i.invited_at', 'i.valid_until', 'p.full_name', 'p.email'])
      .where('i.email', '=', mail.recipient)
      .where('i.withdrawn_at', 'is', null)
      .executeTakeFirst()
    if (!invitation || isInvitationOver(invitation, clock())) return undefined
    const expiresAt = getInvitationExpiry(invitation.invited_at)
    const { full_name, email } = invitation
    const inviter = full_name && email ? `${defangText(full_name)} (${email})` : (email ?? 'Um administrador')
    const link = await createEmailLink(context, { invitationId: invitation.id, purpose: 'invitation' })
    return {
      subject: `Convite para o portal de relatórios ${groupName}`,
      heading: 'Seu acesso está pronto',
      paragraphs: [
        `${inviter} convidou você para o portal de relatórios.`,
        'Crie sua senha e você já entra, com os acessos que foram liberados para você.',
      ],
      button: { label: 'Criar minha senha', link },
      notes: [
        ...(invitation.valid_until
          ? [`O acesso vale até ${invitation.valid_until.split('-').reverse().join('/')}.`]
          : []),
        `O link vale até ${formatInstant(expiresAt)} e serve uma única vez. Depois disso, peça um novo convite.`,
        'Não esperava este convite? Ignore esta mensagem: sem o link ninguém entra, e o convite é apagado.',
      ],
    }
  },

  /** Sent while the e-mail is unverified; each mail has its own links. */
  async verification(context, mail) {
    const person = await findByEmail(context.db, mail.recipient)
    if (!person || person.email_verified_at) return undefined
    const userId = person.user_id
    const link = await createEmailLink(context, { userId, purpose: 'signup' })
    const notMe = await createEmailLink(context, { userId, purpose: 'disown-account' })
    return {
      subject: `Confirme seu e-mail no portal ${context.groupName}`,
      heading: 'Confirme seu e-mail',
      paragraphs: [
        'Falta confirmar que este endereço de e-mail é seu. Confirme-o no portal de relatórios e você já entra.',
      ],
      button: { label: 'Confirmar e-mail', link },
      notes: [
        'Use o link em até 1 hora. Depois, e até 24 horas, ele só serve no navegador em que você já entrou com esta conta.',
        'Em outro navegador ou aparelho, ou depois de meia hora, o portal pede uma senha para sua conta.',
        'O link serve uma única vez. Se você pediu mais de um, qualquer um deles serve.',
      ],
      aside: {
        text: 'Não foi você que criou esta conta? Não confirme: apague a conta que usa seu endereço.',
        label: 'Não fui eu',
        link: notMe,
      },
    }
  },

  /** Sent after a sign-up with a verified e-mail. */
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

  /** Sent to every account, verified or not: the link proves who owns the e-mail. */
  async recovery(context, mail) {
    const person = await findByEmail(context.db, mail.recipient)
    if (!person) return undefined
    const link = await createEmailLink(context, { userId: person.user_id, purpose: 'recovery' })
    return {
      subject: `Redefina sua senha no portal ${context.groupName}`,
      heading: 'Redefina sua senha',
      paragraphs: ['Recebemos um pedido para criar uma senha nova para sua conta no portal de relatórios.'],
      button: { label: 'Criar senha nova', link },
      notes: [
        'O link vale por 1 hora e serve uma única vez. Se você pediu mais de um, qualquer um deles serve.',
        'Se não foi você que pediu, ignore esta mensagem: sua senha continua a mesma.',
      ],
    }
  },

  /** Sent after a changed or reset password, so that the owner notices a stranger's change. */
  async 'password-changed'(context, mail) {
    const person = await findProven(context.db, mail.recipient)
    if (!person) return undefined
    const link = await createEmailLink(context, { userId: person.user_id, purpose: 'disown-change' })
    return {
      subject: `Sua senha do portal ${context.groupName} foi alterada`,
      heading: 'Sua senha foi alterada',
      paragraphs: [
        `A senha da sua conta no portal de relatórios foi alterada em ${formatInstant(mail.created_at)}.`,
        'Se foi você, não precisa fazer nada. Se não foi, avise agora: encerramos todas as sessões, a senha nova deixa de valer e você recebe um link para criar outra.',
      ],
      button: { label: 'Não fui eu', link },
      notes: ['O link vale por 7 dias.'],
    }
  },

  /** Sent after a sign-in from an unknown device, except the account's first. */
  async 'new-device'(context, mail) {
    const person = await findProven(context.db, mail.recipient)
    if (!person) return undefined
    const link = await createEmailLink(context, { userId: person.user_id, purpose: 'disown-change' })
    return {
      subject: `Novo acesso à sua conta no portal ${context.groupName}`,
      heading: 'Novo acesso à sua conta',
      paragraphs: [
        `Em ${formatInstant(mail.created_at)} alguém entrou na sua conta no portal de relatórios, com a sua senha ou conta Microsoft, em um navegador que ainda não conhecíamos.`,
        'Se foi você, não precisa fazer nada. Se não foi, avise agora: encerramos todas as sessões, a senha deixa de valer e você recebe um link para criar outra.',
      ],
      button: { label: 'Não fui eu', link },
      notes: ['O link vale por 7 dias. Uma janela anônima ou dados do navegador apagados também contam.'],
    }
  },

  /**
   * Sent where Microsoft does not vouch for the address, or an account has it already. One link for all
   * that no earlier mail was about: a stranger's request leaves the owner's link as it is.
   */
  async 'microsoft-link'({ db, clock, publicUrl, groupName }, { id, recipient }) {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const { numUpdatedRows } = await db
      .updateTable('microsoft_sign_ins')
      .set({ token_hash: hashLinkToken(token), mail_id: id })
      .where('email', '=', recipient)
      .where((own) => own.or([own('mail_id', 'is', null), own('mail_id', '=', id)]))
      .where('expires_at', '>', new Date(clock()))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return undefined
    return {
      subject: `Confirme sua entrada com a Microsoft no portal ${groupName}`,
      heading: 'Confirme que é você',
      paragraphs: [
        'Alguém quer entrar no portal de relatórios com uma conta Microsoft que tem este endereço.',
        'Se foi você, abra o link no mesmo navegador em que começou. Depois disso, a Microsoft basta.',
      ],
      button: {
        label: 'Confirmar e entrar',
        link: `${publicUrl}/auth/callback#token_hash=${token}&type=microsoft`,
      },
      notes: [
        'O link vale por 1 hora e serve uma única vez. Em outro navegador ele não abre nada.',
        'Se não foi você, ignore esta mensagem: sem o link ninguém entra, e sua conta continua como está.',
      ],
    }
  },

  /** Sent when a Microsoft account was linked, so that the owner notices a stranger's. */
  async 'microsoft-linked'(context, mail) {
    const person = await findProven(context.db, mail.recipient)
    if (!person) return undefined
    const link = await createEmailLink(context, { userId: person.user_id, purpose: 'disown-change' })
    return {
      subject: `Uma conta Microsoft foi ligada à sua no portal ${context.groupName}`,
      heading: 'Conta Microsoft ligada',
      paragraphs: [
        `Desde ${formatInstant(mail.created_at)} você entra no portal de relatórios com a sua conta Microsoft.`,
        'Se não foi você que a ligou, avise agora: a ligação e todas as sessões terminam, a senha deixa de valer e você recebe um link para criar outra.',
      ],
      button: { label: 'Não fui eu', link },
      notes: ['O link vale por 7 dias.'],
    }
  },

  /** Sent when a replaced refresh token was reused: the session may have been copied. */
  async 'session-reuse'({ db, groupName, publicUrl }, mail) {
    if (!(await findProven(db, mail.recipient))) return undefined
    return {
      subject: `Encerramos uma sessão sua no portal ${groupName}`,
      heading: 'Encerramos uma sessão sua',
      paragraphs: [
        `Em ${formatInstant(mail.created_at)} alguém tentou continuar no portal de relatórios com dados antigos de uma sessão sua. Pode ser uma cópia feita sem você saber, então encerramos a sessão.`,
        'Entre novamente. Se você desconfia de alguém, ou se isto se repetir, crie uma senha nova: ela encerra todas as suas sessões.',
      ],
      button: { label: 'Criar senha nova', link: `${publicUrl}/forgot-password` },
      notes: ['Um computador que dormiu sem conexão no meio do uso também pode causar isto.'],
    }
  },

  /** Sent when an administrator ended all of a person's sessions. */
  async 'sessions-ended'({ db, groupName, publicUrl }, mail) {
    if (!(await findByEmail(db, mail.recipient))) return undefined
    return {
      subject: `Suas sessões no portal ${groupName} foram encerradas`,
      heading: 'Suas sessões foram encerradas',
      paragraphs: [
        `Em ${formatInstant(mail.created_at)} um administrador encerrou suas sessões no portal de relatórios, em todos os navegadores e aparelhos.`,
        'Sua senha continua a mesma. Se você perdeu um aparelho ou desconfia de alguém, crie uma senha nova.',
      ],
      button: { label: 'Entrar no portal', link: `${publicUrl}/login` },
      notes: [`Para criar uma senha nova: ${publicUrl}/forgot-password`],
    }
  },

  /** Sent when an administrator cleared a lock-out. */
  async 'account-unlocked'({ db, groupName, publicUrl }, { recipient }) {
    if (!(await findByEmail(db, recipient))) return undefined
    return {
      subject: `Sua entrada no portal ${groupName} foi desbloqueada`,
      heading: 'Você já pode entrar de novo',
      paragraphs: [
        'Um administrador zerou as tentativas de entrada com senha errada na sua conta do portal de relatórios.',
        'Se não foi você que errou a senha, crie uma nova, que só você conheça.',
      ],
      button: { label: 'Entrar no portal', link: `${publicUrl}/login` },
      notes: [`Para criar uma senha nova: ${publicUrl}/forgot-password`],
    }
  },

  /** Sent to a person who became an administrator, or is none any more. */
  async 'role-changed'({ db, groupName, publicUrl }, { recipient }) {
    const person = await findByEmail(db, recipient)
    if (!person) return undefined
    const role = await db
      .selectFrom('user_roles')
      .select('role')
      .where('user_id', '=', person.user_id)
      .executeTakeFirst()
    const isAdministrator = role?.role === 'admin'
    return {
      subject: `Seu papel no portal ${groupName} mudou`,
      heading: isAdministrator ? 'Você agora administra o portal' : 'Você não administra mais o portal',
      paragraphs: [
        isAdministrator
          ? 'Um administrador deu a você a administração do portal de relatórios: aprovar pessoas, mudar acessos e configurar relatórios.'
          : 'Um administrador retirou a sua administração do portal de relatórios. Os relatórios que você vê continuam os mesmos.',
      ],
      button: isAdministrator
        ? { label: 'Abrir a administração', link: `${publicUrl}/admin` }
        : { label: 'Abrir os relatórios', link: `${publicUrl}/power-bi` },
      notes: ['Tudo o que um administrador faz fica registrado com o nome dele.'],
    }
  },

  /** Sent to the built-in administrator, whose sign-in skips the human check, after failed attempts. */
  async 'builtin-failures'({ db, groupName, publicUrl }, mail) {
    if (!(await findProven(db, mail.recipient))) return undefined
    return {
      subject: `Tentativas de login sem sucesso no portal ${groupName}`,
      heading: 'Tentativas de login sem sucesso',
      paragraphs: [
        `Até ${formatInstant(mail.created_at)} alguém tentou várias vezes entrar no portal de relatórios com o endereço do administrador e uma senha errada.`,
        'Se foi você, não precisa fazer nada. Se não foi, essas tentativas falharam; troque a senha por uma que só você conheça.',
      ],
      button: { label: 'Redefinir senha', link: `${publicUrl}/forgot-password` },
      notes: [
        'Depois de várias falhas o login fica bloqueado por alguns minutos. Redefinir a senha o libera.',
      ],
    }
  },
} satisfies Partial<Mails>
