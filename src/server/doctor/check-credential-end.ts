import { type Credential, readCredentialEnd } from '#server/power-bi/credential-end.ts'
import { fault, good, type Result, warning } from './run-checks.ts'

const DAY_MS = 86_400_000
const WARN_DAYS = 30

/** Warns of a credential's end a month before; `setting` names the day of a secret. */
export function checkCredentialEnd(
  credential: Credential,
  { about, setting, document }: { about: string; setting: string; document: string },
): Result {
  const end = readCredentialEnd(credential)
  if (!end)
    return warning(
      `${about}: o portal não sabe quando o segredo vence.`,
      `Escreva o dia em ${setting}: o Entra não o informa ao portal.`,
    )
  const days = Math.floor((end.getTime() - Date.now()) / DAY_MS)
  const todo = `Crie outro no Entra, troque-o no portal e acerte ${setting} (${document}).`
  if (days < 0) return fault(`${about}: o segredo venceu.`, todo)
  return days < WARN_DAYS
    ? warning(`${about}: o segredo vence em ${days} dias.`, todo)
    : good(`${about}: o segredo vale por mais ${days} dias.`)
}
