import { createHash } from 'node:crypto'
import type { CapturedMail } from './captured-mail.ts'
import { escapeHtml } from './escape-html.ts'
import { pageStyle } from './page-style.ts'

const styleHash = createHash('sha256').update(pageStyle).digest('base64')

/** The page's own policy: its one style sheet and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const clockFace = new Intl.DateTimeFormat('pt-BR', {
  timeZone: 'America/Sao_Paulo',
  dateStyle: 'short',
  timeStyle: 'medium',
})

/**
 * Writes the mailbox page.
 * @param mails newest first
 * @param selected the mail to be read
 */
export function renderPage(mails: CapturedMail[], selected: CapturedMail | undefined): string {
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
<h2><a href="/demo/mailbox?mail=${mail.id}"${current}>${escapeHtml(mail.subject)}</a></h2>
<p class="quiet">Para ${escapeHtml(mail.to)}</p>
<p>${renderTime(mail)}</p>
${mail.link ? `<p><a href="${escapeHtml(mail.link)}">${labelOf(mail)}</a></p>` : ''}
</li>`
}

function renderMail(mail: CapturedMail): string {
  return `<article>
<p class="back"><a href="/demo/mailbox">Voltar à lista</a></p>
<h2>${escapeHtml(mail.subject)}</h2>
<p class="quiet">Para ${escapeHtml(mail.to)}</p>
<p>${renderTime(mail)}</p>
${mail.link ? `<a class="button" href="${escapeHtml(mail.link)}">${labelOf(mail)}</a>` : ''}
<p class="text">${withLink(mail)}</p>
</article>`
}

function labelOf(mail: CapturedMail): string {
  return mail.kind === 'verification' ? 'Confirmar e-mail' : 'Abrir o link do e-mail'
}

function renderTime({ sentAt }: CapturedMail): string {
  return `<time datetime="${sentAt}">${clockFace.format(new Date(sentAt))}</time>`
}

/** The mail's text, its link made one that can be followed. */
function withLink({ text, link }: CapturedMail): string {
  if (!link) return escapeHtml(text)
  const href = escapeHtml(link)
  return text.split(link).map(escapeHtml).join(`<a href="${href}">${href}</a>`)
}
