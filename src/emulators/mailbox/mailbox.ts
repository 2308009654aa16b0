import { createHash } from 'node:crypto'
import { escapeHtml } from '#contract/portal.ts'

/** The kept fields of a delivered mail. */
interface DeliveredMail {
  to: string
  kind: string
  subject: string
  text: string
  /** The main link of the mail. */
  link: string | null
}

/** A mail in the list of GET /demo/mailbox.json. */
interface CapturedMail extends DeliveredMail {
  id: string
  /** ISO 8601, UTC */
  sentAt: string
}

const MAX_MAILS = 500
const PATH = '/demo/mailbox'

/** Creates the demo's mail server, which shows its last 500 mails in the browser. */
export function createMailbox(clock: () => number = Date.now) {
  const mails: CapturedMail[] = []
  let delivered = 0
  return {
    deliver({ to, kind, subject, text, link }: DeliveredMail): void {
      const sentAt = new Date(clock()).toISOString()
      mails.push({ id: String(++delivered), to, kind, subject, link, text, sentAt })
      if (mails.length > MAX_MAILS) mails.shift()
    },
    /** Handles GET /demo/mailbox, a page, and GET /demo/mailbox.json?to=ADDRESS, a list, oldest first. */
    handle: async (request: Request) => answer(request, mails),
  }
}

function answer(request: Request, mails: CapturedMail[]): Response {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname !== PATH && pathname !== `${PATH}.json`)
    return new Response('Não encontrado', { status: 404, headers: createHeaders('text/plain') })
  if (!['GET', 'HEAD'].includes(request.method))
    return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
  if (pathname.endsWith('.json')) {
    const to = searchParams.get('to')?.trim().toLowerCase()
    const wanted = to ? mails.filter((mail) => mail.to.toLowerCase() === to) : mails
    return new Response(JSON.stringify(wanted), { headers: createHeaders('application/json') })
  }
  const selected = mails.find(({ id }) => id === searchParams.get('mail'))
  const headers = { ...createHeaders('text/html'), 'Content-Security-Policy': pagePolicy }
  return new Response(renderPage(mails.toReversed(), selected), { headers })
}

function createHeaders(type: string): Record<string, string> {
  return { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' }
}

/** The inline style sheet, allowed by its hash. */
const pageStyle = `
:root{color-scheme:light dark;--ground:#f4f6f8;--sheet:#fff;--line:#d9e0e6;--ink:#1f2933;--quiet:#52606d;
  --accent:#0f5c7d;--on-accent:#fff;--chosen:#e6f0f5}
@media (prefers-color-scheme:dark){:root{--ground:#111418;--sheet:#1a1f25;--line:#323a43;--ink:#e6eaee;
  --quiet:#a3afbb;--accent:#7cc4e4;--on-accent:#0b2330;--chosen:#1f303a}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/24px system-ui,'Segoe UI',Roboto,sans-serif;
  overflow-wrap:anywhere}
a{color:var(--accent);text-underline-offset:2px}
a:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
header,main{max-width:1120px;margin:0 auto;padding:0 16px}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 16px;padding-top:24px;padding-bottom:16px}
h1{margin:0;font-size:22px;line-height:28px}
header p{margin:0;color:var(--quiet);font-size:14px;line-height:20px;flex:1 1 auto}
main{display:grid;gap:16px;padding-bottom:32px;align-items:start}
ol,article,.empty{margin:0;padding:0;background:var(--sheet);border:1px solid var(--line);border-radius:12px}
ol{list-style:none;overflow:hidden}
li{padding:12px 16px;border-top:1px solid var(--line)}
li:first-child{border-top:0}
li[data-chosen]{background:var(--chosen)}
li p,article p{margin:0}
li h2{margin:0;font-size:16px;line-height:24px;font-weight:600}
.quiet,time{color:var(--quiet);font-size:14px;line-height:20px;font-variant-numeric:tabular-nums}
article{padding:20px 16px}
article h2{margin:0 0 4px;font-size:20px;line-height:28px}
article .back{margin-bottom:12px}
.text{margin:16px 0 0;padding:16px 0 0;border-top:1px solid var(--line);font:inherit;white-space:pre-wrap}
.button{display:inline-block;margin:16px 0 0;padding:8px 16px;border-radius:8px;background:var(--accent);
  color:var(--on-accent);font-weight:600;text-decoration:none}
.empty{padding:48px 16px;text-align:center}
.empty h2{margin:0 0 8px;font-size:20px;line-height:28px}
.empty p{margin:0 auto;max-width:44ch}
@media (min-width:800px){main.open{grid-template-columns:minmax(0,2fr) minmax(0,3fr)}
  .open article{position:sticky;top:16px;padding:24px}.open .back{display:none}}
@media (max-width:799px){.open ol{display:none}}
`

const styleHash = createHash('sha256').update(pageStyle).digest('base64')

/** The page's policy, which only allows its style sheet. */
const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Created on first use, because loading the time zones takes ten milliseconds. */
let timeFormat: Intl.DateTimeFormat | undefined

/** @param mails newest first */
function renderPage(mails: CapturedMail[], selected: CapturedMail | undefined): string {
  const list = mails.map((mail) => renderItem(mail, mail === selected)).join('\n')
  const content = mails.length > 0 ? `<ol>${list}</ol>${selected ? renderMail(selected) : ''}` : EMPTY
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(selected?.subject ?? 'E-mails capturados')} – Demonstração</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>E-mails capturados</h1>
<p>Na demonstração nenhum e-mail sai desta máquina.</p>
<a href="/demo/mailbox">Atualizar</a>
</header>
<main${selected ? ' class="open"' : ''}>${content}</main>
</body>
</html>
`
}

const EMPTY = `<div class="empty">
<h2>Nenhum e-mail por aqui</h2>
<p class="quiet">Os e-mails que o portal enviar aparecem nesta página. Para ver um, entre com uma conta de e-mail não
verificado e use “Reenviar e-mail de verificação”.</p>
</div>`

function renderItem(mail: CapturedMail, isSelected: boolean): string {
  const current = isSelected ? ' aria-current="true"' : ''
  return `<li${isSelected ? ' data-chosen' : ''}>
${renderHead(mail, `<a href="/demo/mailbox?mail=${mail.id}"${current}>${escapeHtml(mail.subject)}</a>`)}
${mail.link ? `<p><a href="${escapeHtml(mail.link)}">${getLinkLabel(mail)}</a></p>` : ''}
</li>`
}

function renderMail(mail: CapturedMail): string {
  return `<article>
<p class="back"><a href="/demo/mailbox">Voltar à lista</a></p>
${renderHead(mail, escapeHtml(mail.subject))}
${mail.link ? `<a class="button" href="${escapeHtml(mail.link)}">${getLinkLabel(mail)}</a>` : ''}
<p class="text">${renderText(mail)}</p>
</article>`
}

function getLinkLabel(mail: CapturedMail): string {
  return mail.kind === 'verification' ? 'Confirmar e-mail' : 'Abrir o link do e-mail'
}

function renderHead({ to, sentAt }: CapturedMail, title: string): string {
  const where = { timeZone: 'America/Sao_Paulo', dateStyle: 'short', timeStyle: 'medium' } as const
  timeFormat ??= new Intl.DateTimeFormat('pt-BR', where)
  const time = `<time datetime="${sentAt}">${timeFormat.format(new Date(sentAt))}</time>`
  return `<h2>${title}</h2>\n<p class="quiet">Para ${escapeHtml(to)}</p>\n<p>${time}</p>`
}

/** Renders the mail's text with a clickable link. */
function renderText({ text, link }: CapturedMail): string {
  if (!link) return escapeHtml(text)
  const href = escapeHtml(link)
  return text.split(link).map(escapeHtml).join(`<a href="${href}">${href}</a>`)
}
