import { composeMail } from './compose-mail.ts'
import { isAdministrator } from './is-administrator.ts'
import type { PrepareMail } from './prepare-mail.ts'

const NAMED = 10

/** Owed to administrators while somebody waits for approval; names the newest. */
export const prepareWaitingDigestMail: PrepareMail = async (transaction, mail, settings) => {
  const waiting = await transaction
    .selectFrom('profiles')
    .select(({ fn }) => ['email', 'email_verified_at', fn.countAll().over().as('total')])
    .where('approved', '=', false)
    .orderBy('created_at', 'desc')
    .limit(NAMED)
    .execute()
  if (waiting.length === 0 || !(await isAdministrator(transaction, mail.recipient))) return undefined
  const total = Number(waiting[0]?.total)
  const lines = waiting.map(
    ({ email, email_verified_at }) => email + (email_verified_at ? '' : ' (e-mail ainda não verificado)'),
  )
  const others = total - waiting.length
  return composeMail(settings.groupName, {
    subject: `${countPeople(total)} no portal ${settings.groupName}`,
    heading: countPeople(total),
    paragraphs: [
      total === 1
        ? 'Esta pessoa criou uma conta no portal de relatórios e espera que um administrador a aprove:'
        : 'Estas pessoas criaram contas no portal de relatórios e esperam que um administrador as aprove:',
    ],
    list: others > 0 ? [...lines, `e mais ${others}`] : lines,
    button: { label: 'Abrir a administração', link: `${settings.publicUrl}/admin` },
    notes: [
      'Aprove só quem você conhece: enquanto o e-mail não for verificado, ninguém provou que o endereço é seu.',
    ],
  })
}

function countPeople(total: number): string {
  return total === 1 ? '1 pessoa aguarda aprovação' : `${total} pessoas aguardam aprovação`
}
