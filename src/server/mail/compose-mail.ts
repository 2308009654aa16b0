import { escapeHtml, PRIVACY_PATH } from '#contract/portal.ts'
import { cleanLine, toLines, toOneLine } from '#contract/text-rules.ts'

/** Dark enough for white text (AA), and readable in clients that invert mails. */
const ACCENT = '#0f5c7d'
const FONT = "font-family:'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const PARAGRAPH = 'margin:0 0 24px'
const SMALL = 'margin:0 0 12px;font-size:14px;line-height:20px;color:#52606d'

/** Content of a mail as plain text; the layout is the same for all. */
export interface MailContent {
  subject: string
  heading: string
  /** The first one follows the greeting. */
  paragraphs: string[]
  /** Items, one line each, some with a link. */
  list?: (string | { text: string; link: string })[]
  /** The main action. */
  button: { label: string; link: string }
  notes: string[]
  /** A secondary action in small print: 'não fui eu'. */
  aside?: { text: string; label: string; link: string }
  /** Ends the mail when it is posted to (RFC 8058). */
  unsubscribeUrl?: string
}

/** Whose portal it is, and its origin. */
interface Sender {
  groupName: string
  publicUrl: string
}

/** Composes a mail as plain text and as HTML with the same content. */
export function composeMail({ groupName, publicUrl }: Sender, content: MailContent) {
  return {
    subject: toOneLine(content.subject),
    text: toLines(renderText(groupName, `${publicUrl}${PRIVACY_PATH}`, content)),
    html: toLines(renderHtml(escapeHtml(groupName), escapeHtml(`${publicUrl}${PRIVACY_PATH}`), content)),
    link: content.button.link,
    ...(content.unsubscribeUrl !== undefined && { unsubscribeUrl: content.unsubscribeUrl }),
  }
}

function renderText(groupName: string, privacy: string, content: MailContent): string {
  const { paragraphs, list = [], button, notes, aside } = content
  const parts = [
    'Olá!',
    ...paragraphs,
    ...(list.length > 0 ? [list.map(renderTextItem).join('\n')] : []),
    `${button.label}:\n${button.link}`,
    ...notes,
    ...(aside ? [`${aside.text} ${aside.label}:\n${aside.link}`] : []),
    groupName,
    `Privacidade: ${privacy}`,
  ]
  return `${parts.join('\n\n')}\n`
}

type Item = NonNullable<MailContent['list']>[number]

const renderTextItem = (item: Item) =>
  typeof item === 'string' ? `- ${item}` : `- ${item.text}: ${item.link}`

const renderItem = (item: Item) =>
  typeof item === 'string'
    ? escapeHtml(item)
    : `<a href="${escapeHtml(item.link)}" style="color:${ACCENT}">${escapeHtml(item.text)}</a>`

function renderHtml(group: string, privacy: string, content: MailContent): string {
  const title = escapeHtml(content.heading)
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
</head>
<body style="margin:0;padding:24px 12px;background:#f4f6f8">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"
  style="max-width:520px;background:#ffffff;border:1px solid #e1e6eb;border-radius:12px">
<tr><td style="padding:32px;${FONT};font-size:16px;line-height:24px;color:#1f2933">
<p style="margin:0 0 24px;font-size:14px;line-height:20px;color:#52606d">${group}</p>
<h1 style="margin:0 0 12px;font-size:22px;line-height:28px;font-weight:600">${title}</h1>
${renderBody(content)}
<p style="${SMALL};margin:0;padding-top:12px"><a href="${privacy}" style="color:${ACCENT}">Privacidade</a></p>
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

function renderBody({ paragraphs, list = [], button, notes, aside }: MailContent): string {
  const [first = '', ...rest] = paragraphs
  const items = list.map((item) => `<li style="margin:0 0 4px">${renderItem(item)}</li>`)
  const href = escapeHtml(button.link)
  return [
    ...[`Olá! ${first}`, ...rest].map((text) => `<p style="${PARAGRAPH}">${escapeHtml(text)}</p>`),
    ...(items.length > 0 ? [`<ul style="${PARAGRAPH};padding-left:20px">${items.join('\n')}</ul>`] : []),
    `<p style="${PARAGRAPH}"><a href="${href}"
  style="display:inline-block;padding:12px 24px;border-radius:8px;background:${ACCENT};color:#ffffff;font-weight:600;text-decoration:none"
  >${escapeHtml(button.label)}</a></p>`,
    `<p style="${SMALL}">Se o botão não abrir, copie este endereço no navegador:<br>
<a href="${href}" style="color:${ACCENT};word-break:break-all">${href}</a></p>`,
    ...notes.map((note) => `<p style="${SMALL}">${escapeHtml(note)}</p>`),
    ...(aside ? [renderAside(aside)] : []),
  ].join('\n')
}

function renderAside({ text, label, link }: NonNullable<MailContent['aside']>): string {
  return `<p style="${SMALL};padding-top:12px;border-top:1px solid #e1e6eb">${escapeHtml(text)}
<a href="${escapeHtml(link)}" style="color:${ACCENT}">${escapeHtml(label)}</a></p>`
}

/** The colon of '://', and dots (also IDNA's) within a word: 'www.', bare domains, IP addresses. */
const LINK_PARTS = /:(?=\/\/)|[.。．｡](?=[\p{L}\p{N}])/gu

/** Defangs a line that a stranger typed: mail clients find no link, and it cannot reverse the rest. */
export function defangText(text: string): string {
  return cleanLine(text).replace(LINK_PARTS, '$& ')
}

/** Created lazily: loading the time zones takes ten milliseconds. */
let dateTimeFormat: Intl.DateTimeFormat | undefined

/** Formats an instant in São Paulo: '21/11/2026, 09:05'. */
export function formatDateTime(at: Date): string {
  dateTimeFormat ??= new Intl.DateTimeFormat('pt-BR', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: 'America/Sao_Paulo',
  })
  return dateTimeFormat.format(at)
}

/** Formats an instant with its time zone: '21/11/2026, 09:05 (horário de Brasília)'. */
export const formatInstant = (at: Date): string => `${formatDateTime(at)} (horário de Brasília)`

/** Formats a day in São Paulo: '21/11/2026'. */
export const formatDay = (at: Date): string => formatDateTime(at).replace(/,.*/, '')
