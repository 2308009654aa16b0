import { randomUUID } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import type { Config } from '#server/config.ts'
import { composeMail } from '#server/mail/compose-mail.ts'
import { createSmtpMailer, verifySmtpServer } from '#server/mail/smtp-mailer.ts'
import { listDnsCauses } from './check-network.ts'
import { type Check, check, good, type Result, warning } from './run-checks.ts'

const SILENCE_MS = 10_000
const SEND_TIMEOUT_MS = 20_000
const DNS_MS = 5_000
/** Selectors of common mail services; others are not found. */
const COMMON_SELECTORS = ['default', 'google', 'selector1', 'selector2', 'dkim', 'mail', 'k1', 's1', 'smtp']

/**
 * Checks the mail server, and the sender's DNS records.
 * @param mailTo receives a test mail; none is sent without it
 * @param dnsServers replace the machine's in tests
 */
export function listMailChecks(config: Config, mailTo?: string, dnsServers?: string[]): Check[] {
  const { isDemo, smtpUrl, mailFrom } = config
  if (isDemo) {
    const run = async () => good('E-mail: a demonstração guarda os e-mails em /demo/mailbox.')
    return [check('mail', 'E-mail', 1_000, run)]
  }
  const domain = (/@([^>]+)>?$/.exec(mailFrom)?.[1] ?? '').toLowerCase()
  const dns = new Resolver({ timeout: DNS_MS, tries: 1 })
  if (dnsServers) dns.setServers(dnsServers)
  return [
    createMailServerCheck(smtpUrl),
    ...(mailTo ? [check('mail-sent', 'E-mail de teste', 25_000, () => sendTestMail(config, mailTo))] : []),
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

async function sendTestMail({ smtpUrl, mailFrom, group, publicUrl }: Config, to: string): Promise<Result> {
  const content = composeMail(
    { groupName: group.name, publicUrl },
    {
      subject: `Teste do portal ${group.name}`,
      heading: 'Os e-mails do portal chegam',
      paragraphs: ['Este e-mail foi pedido por quem instala ou cuida do portal, para ver se ele chega.'],
      button: { label: 'Abrir o portal', link: publicUrl },
      notes: ['Veja também se ele não foi parar no lixo eletrônico.'],
    },
  )
  const messageId = `<${randomUUID()}@${new URL(publicUrl).hostname}>`
  const mailer = createSmtpMailer({ url: smtpUrl, from: mailFrom, sendTimeoutMs: SEND_TIMEOUT_MS })
  await mailer.deliver({ ...content, messageId, to, kind: 'test' })
  return good(`E-mail de teste: o servidor aceitou o e-mail para ${to}; veja se chegou.`)
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
