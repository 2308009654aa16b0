import { randomUUID } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { sql } from 'kysely'
import { formatDuration } from '#contract/timing.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/database/schema.ts'
import { composeMail } from '#server/mail/compose-mail.ts'
import { ANSWER_TIMEOUT_MS, createSmtpMailer, verifySmtpServer } from '#server/mail/smtp-mailer.ts'
import { BLAMES, type Blame, classifyFailure } from '#server/mail/smtp-outcomes.ts'
import { IS_GIVEN_UP } from '#server/operations/metrics.ts'
import { formatCommand } from '#server/version.ts'
import { listDnsCauses } from './check-network.ts'
import { type Check, check, fault, good, type Result, warning } from './run-checks.ts'

const SILENCE_MS = 10_000
const DNS_MS = 5_000
/** Selectors of common mail services; others are not found. */
const COMMON_SELECTORS = ['default', 'google', 'selector1', 'selector2', 'dkim', 'mail', 'k1', 's1', 'smtp']

interface Options {
  /** Receives a test mail; without it the last answer is told. */
  mailTo?: string | undefined
  db?: Db | undefined
  /** Replace the machine's in tests. */
  dnsServers?: string[]
}

/** Checks the mail server, what it answered, and the sender's DNS records. */
export function listMailChecks(config: Config, { mailTo, db, dnsServers }: Options): Check[] {
  const { isDemo, smtpUrl, mailFrom, group, publicUrl } = config
  if (isDemo) {
    const run = async () => good('E-mail: a demonstração guarda os e-mails em /demo/mailbox.')
    return [check('mail', 'E-mail', 1_000, run)]
  }
  const domain = (/@([^>]+)>?$/.exec(mailFrom)?.[1] ?? '').toLowerCase()
  const dns = new Resolver({ timeout: DNS_MS, tries: 1 })
  if (dnsServers) dns.setServers(dnsServers)
  const sender = { smtpUrl, mailFrom, groupName: group.name, publicUrl }
  return [
    createMailServerCheck(smtpUrl),
    ...(mailTo ? [createTestMailCheck(sender, mailTo)] : []),
    ...(db ? listAnswerChecks(db, mailTo !== undefined) : []),
    ...(['spf', 'dkim', 'dmarc'] as const).map((kind) =>
      check(`mail-${kind}`, kind.toUpperCase(), 25_000, () => checkSenderDns(dns, kind, domain)),
    ),
  ]
}

/** Checks that the mail server accepts the portal's account. */
export function createMailServerCheck(smtpUrl: string): Check {
  const about = `Servidor de e-mail ${new URL(smtpUrl).host}`
  const run = async () => {
    await verifySmtpServer(smtpUrl, SILENCE_MS)
    return good(`${about}: atende e aceita o portal.`)
  }
  return { ...check('mail', about, 2.5 * SILENCE_MS, run), causes: listDnsCauses(smtpUrl) }
}

type TestSender = Record<'smtpUrl' | 'mailFrom' | 'groupName' | 'publicUrl', string>

/** Sends a real mail, to the server's last answer. */
export function createTestMailCheck(
  { smtpUrl, mailFrom, groupName, publicUrl }: TestSender,
  to: string,
): Check {
  const about = 'E-mail de teste'
  const run = async () => {
    const content = composeMail(
      { groupName, publicUrl },
      {
        subject: `Teste do portal ${groupName}`,
        heading: 'Os e-mails do portal chegam',
        paragraphs: ['Este e-mail foi pedido por quem instala ou cuida do portal, para ver se ele chega.'],
        button: { label: 'Abrir o portal', link: publicUrl },
        notes: ['Veja também se ele não foi parar no lixo eletrônico.'],
      },
    )
    const messageId = `<${randomUUID()}@${new URL(publicUrl).hostname}>`
    try {
      const mailer = createSmtpMailer({ url: smtpUrl, from: mailFrom })
      await mailer.deliver({ ...content, messageId, to, kind: 'test' })
    } catch (error) {
      const { blame, words, mayHaveArrived } = classifyFailure(error)
      // What the network says is explained as for any service.
      if (!mayHaveArrived && !(error as { response?: unknown }).response) throw error
      return fault(`${about}: ${quoteAnswer(blame, words)}.`, BLAMES[blame].todo)
    }
    return good(`${about}: o servidor aceitou o e-mail para ${to}; veja se chegou.`)
  }
  return { ...check('mail-sent', about, ANSWER_TIMEOUT_MS + 60_000, run), causes: listDnsCauses(smtpUrl) }
}

const quoteAnswer = (blame: Blame, words: string | null) =>
  `${BLAMES[blame].says}${words ? ` (“${words}”)` : ''}`

const toBlame = (blame: string | null) => (blame && blame in BLAMES ? blame : 'server') as Blame

interface Answer {
  answer: string | null
  blame: string | null
}

/** Lists what the server last answered to mails of the portal, and how long ago; and what was given up. */
function listAnswerChecks(db: Db, onlyGivenUp: boolean): Check[] {
  const checkAnswer = async (about: string): Promise<Result> => {
    const { rows } = await sql<Answer & { seconds: number }>`
      select answer, blame, extract(epoch from now() - answered_at)::float8 as seconds from mail_outbox
      where answered_at is not null and (blame is null or sent_at is null)
      order by answered_at desc limit 1`.execute(db)
    const [last] = rows
    if (!last)
      return good(
        `${about}: nenhum saiu ainda; ${formatCommand('doctor')} --mail-to ENDEREÇO envia um de teste.`,
      )
    const says = `${about}, há ${formatDuration(last.seconds)}:`
    if (!last.blame) return good(`${says} o servidor o aceitou (“${last.answer}”).`)
    const blame = toBlame(last.blame)
    const answer = `${says} ${quoteAnswer(blame, last.answer)}.`
    return blame === 'recipient' ? good(answer) : fault(answer, BLAMES[blame].todo)
  }
  const checkGivenUp = async (about: string): Promise<Result> => {
    const isLost = sql`blame is distinct from 'recipient'`
    const { rows } = await sql<Answer & { count: number; isLost: boolean }>`
      select answer, blame, (count(*) over ())::int as count, ${isLost} as "isLost"
      from mail_outbox where ${IS_GIVEN_UP} order by ${isLost} desc, answered_at desc nulls last limit 1`.execute(
      db,
    )
    const [last] = rows
    if (!last) return good(`${about}: nenhum em 7 dias.`)
    const blame = toBlame(last.blame)
    const says = `${about}: ${last.count} em 7 dias; o último: ${quoteAnswer(blame, last.answer)}.`
    const retry = `Depois, ${formatCommand('mail')} retry os envia de novo.`
    return last.isLost ? fault(says, `${BLAMES[blame].todo} ${retry}`) : good(says)
  }
  const create = (name: string, about: string, run: (about: string) => Promise<Result>): Check => ({
    ...check(name, about, 25_000, () => run(about)),
    causes: ['database', 'migrations'],
  })
  return [
    ...(onlyGivenUp ? [] : [create('mail-answer', 'Último e-mail', checkAnswer)]),
    create('mail-given-up', 'E-mails sem entrega', checkGivenUp),
  ]
}

const RECORDS = {
  spf: { begins: /^v=spf1\b/i, todo: 'Publique um registro TXT v=spf1 … que inclua o servidor de e-mail.' },
  dkim: {
    begins: /(^|;\s*)(v=DKIM1|k=rsa|p=)/i,
    todo: 'Ligue a assinatura DKIM no servidor de e-mail e publique a chave; se já assina com outro seletor, ignore este aviso.',
  },
  dmarc: { begins: /^v=DMARC1\b/i, todo: 'Publique um registro TXT em _dmarc com v=DMARC1; p=…' },
}

async function checkSenderDns(dns: Resolver, kind: keyof typeof RECORDS, domain: string): Promise<Result> {
  const names = {
    spf: [domain],
    dkim: COMMON_SELECTORS.map((selector) => `${selector}._domainkey.${domain}`),
    dmarc: [`_dmarc.${domain}`],
  }[kind]
  const { begins, todo } = RECORDS[kind]
  const says = `${kind.toUpperCase()} de ${domain}:`
  try {
    const texts = (await Promise.all(names.map((name) => resolveTxt(dns, name)))).flat()
    const isThere = texts.some((text) => begins.test(text))
    return isThere ? good(`${says} publicado.`) : warning(`${says} não encontrado no DNS.`, todo)
  } catch {
    return warning(`${says} o DNS não respondeu.`, 'Confira o DNS desta máquina e rode de novo.')
  }
}

/** Returns the TXT records of a name; none if it does not exist. */
async function resolveTxt(dns: Resolver, name: string): Promise<string[]> {
  try {
    return (await dns.resolveTxt(name)).map((parts) => parts.join(''))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENODATA' || code === 'ENOTFOUND') return []
    throw error
  }
}
