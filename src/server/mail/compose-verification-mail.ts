import { escapeHtml } from './escape-html.ts'
import type { ComposedMail } from './prepare-mail.ts'

/** Dark enough for white text on it (AA) and readable in clients that turn mails dark. */
const BUTTON = 'background:#0f5c7d;color:#ffffff'
const FONT = "font-family:'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/**
 * Writes the mail that asks a person to confirm the address. The token stands in the link's fragment, so
 * that it reaches no server log and a mail scanner that opens the link uses nothing up.
 */
export function composeVerificationMail(values: {
  publicUrl: string
  groupName: string
  token: string
}): ComposedMail {
  const link = `${values.publicUrl}/auth/callback#token_hash=${values.token}&type=signup`
  return {
    subject: `Confirme seu e-mail no portal ${values.groupName}`,
    text: writeText(values.groupName, link),
    html: writeHtml(values.groupName, link),
    link,
  }
}

const ASK = 'Falta confirmar que este endereço de e-mail é seu.'
const VALIDITY =
  'O link vale por 24 horas e serve uma única vez. Se você pediu mais de um, use o mais recente.'
const NOT_ME = 'Se você não tem conta neste portal, ignore esta mensagem: sem o link, nada é confirmado.'

function writeText(groupName: string, link: string): string {
  return `Olá!

${ASK} Abra o link abaixo para confirmá-lo no portal de relatórios ${groupName}:

${link}

${VALIDITY}

${NOT_ME}

${groupName}
`
}

function writeHtml(groupName: string, link: string): string {
  const group = escapeHtml(groupName)
  const href = escapeHtml(link)
  const small = 'margin:0 0 12px;font-size:14px;line-height:20px;color:#52606d'
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Confirme seu e-mail</title>
</head>
<body style="margin:0;padding:24px 12px;background:#f4f6f8">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"
  style="max-width:520px;background:#ffffff;border:1px solid #e1e6eb;border-radius:12px">
<tr><td style="padding:32px;${FONT};font-size:16px;line-height:24px;color:#1f2933">
<p style="margin:0 0 24px;font-size:14px;line-height:20px;color:#52606d">${group}</p>
<h1 style="margin:0 0 12px;font-size:22px;line-height:28px;font-weight:600">Confirme seu e-mail</h1>
<p style="margin:0 0 24px">Olá! ${ASK} Use o botão para confirmá-lo no portal de relatórios.</p>
<p style="margin:0 0 24px"><a href="${href}"
  style="display:inline-block;padding:12px 24px;border-radius:8px;${BUTTON};font-weight:600;text-decoration:none"
  >Confirmar e-mail</a></p>
<p style="${small}">Se o botão não abrir, copie este endereço no navegador:<br>
<a href="${href}" style="color:#0f5c7d;word-break:break-all">${href}</a></p>
<p style="${small}">${VALIDITY}</p>
<p style="${small};margin:0">${NOT_ME}</p>
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}
