import { isPreviousVersionActive } from '#server/accounts/second-factor.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/database/schema.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import { IS_RECENT_BREAK, readUnsealedSeconds } from '#server/operations/metrics.ts'
import { createReceivers, readSendDelays } from '#server/operations/send-trail.ts'
import { findCause } from './explain-error.ts'
import { type Check, check, fault, good, type Result, warning } from './run-checks.ts'

const WITHIN_MS = 25_000
/** As in deploy/alerts.yaml; a row is sealed within ten seconds, and sent a second later. */
const LATE_SECONDS = 60
const LATE_SEND_SECONDS = 600

/** Checks that the trail gets its seals, and that they reach the receivers of the settings. */
export function listTrailChecks(db: Db, { trail }: Pick<Config, 'trail'>): Check[] {
  const receivers = createReceivers(trail)
  return [
    check('trail-seals', 'Selos da trilha', WITHIN_MS, () => checkSeals(db)),
    check('trail-outside', 'Selos fora do banco', WITHIN_MS, async () => checkOutside(trail)),
    ...(receivers.length > 0
      ? [
          check('trail-receivers', 'Envio da trilha', WITHIN_MS, async () => {
            const delays = await readSendDelays(db)
            return receivers.map(({ name }) => describeDelay(name, delays))
          }),
        ]
      : []),
  ]
}

function checkOutside({ hashMail, webhook, isOnStdout }: Config['trail']): Result {
  if (hashMail || webhook || isOnStdout) return good('Selos fora do banco: são enviados.')
  return warning(
    'Selos fora do banco: não são enviados, e quem pode escrever no banco refaz a trilha sem deixar sinal.',
    'Defina AUDIT_HASH_MAIL com um endereço que os administradores do banco não leem; um e-mail por dia leva os selos.',
  )
}

async function checkSeals(db: Db): Promise<Result> {
  const broken = await db
    .selectFrom('audit_entries')
    .select('at')
    .where(IS_RECENT_BREAK)
    .orderBy('at', 'desc')
    .executeTakeFirst()
  if (broken)
    return fault(
      `Selos da trilha: em ${formatInstant(broken.at)} o fim já enviado tinha sido retirado ou alterado no banco.`,
      'Guarde o banco como está e confira com os selos guardados fora: docs/operations.md, “The trail”.',
    )
  const seconds = await readUnsealedSeconds(db)
  if (seconds !== null && seconds <= LATE_SECONDS) return good('Selos da trilha: em dia.')
  if (await isPreviousVersionActive(db, Date.now()))
    return warning(
      'Selos da trilha: esperam a última réplica da versão 0.2.',
      'Atualize todas as réplicas; os selos começam uma hora depois da última.',
    )
  if (seconds === null) return good('Selos da trilha: ainda nenhum; começam com o portal no ar.')
  return warning(
    `Selos da trilha: a linha mais antiga sem selo espera há ${formatDelay(seconds)}.`,
    'Veja “trail-sealer stalled” no log do portal; sem portal no ar nada é selado.',
  )
}

function describeDelay(name: string, delays: Awaited<ReturnType<typeof readSendDelays>>): Result {
  const about = `Envio da trilha (${name === 'webhook' ? 'AUDIT_WEBHOOK_URL' : 'AUDIT_STDOUT'})`
  const [worst] = delays.filter(({ receiver }) => receiver === name)
  if (!worst) return good(`${about}: ainda não começou; começa com o portal no ar.`)
  if (worst.seconds <= LATE_SEND_SECONDS) return good(`${about}: em dia.`)
  const { last_error: code } = worst
  const known = code === null ? undefined : findCause(Object.assign(new Error(code), { code }))
  const cause = known?.says ?? (code ? `a última tentativa deu ${code}` : 'nenhuma réplica está enviando')
  return warning(
    `${about}: atrasado há ${formatDelay(worst.seconds)}: ${cause}.`,
    `${known?.todo ?? 'Veja o receptor e o log do portal.'} Nada se perde: as linhas esperam, até 30 dias além do prazo de guarda.`,
  )
}

function formatDelay(seconds: number): string {
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`
  return seconds < 48 * 3_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} dias`
}
