import type { AuditAction } from '#contract/audit-actions.ts'
import { formatExportName } from '#contract/messages.ts'
import { describeSchedule } from '#contract/report-schedule.ts'
import { MAX_ATTACHMENT_MB } from '#contract/report-subscriptions.ts'
import type { ReportView } from '#contract/report-views.ts'
import type { Job, JobStep, RunJobStep } from '#server/database/job-queue.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Keyring } from '#server/keyring.ts'
import type { Log } from '#server/log.ts'
import type { MailContent } from '#server/mail/compose-mail.ts'
import { composeMail, defangText, formatDay, formatInstant } from '#server/mail/compose-mail.ts'
import type { MailContext } from '#server/mail/mails.ts'
import type { Mail, Mailer } from '#server/mail/smtp-mailer.ts'
import { classifyFailure } from '#server/mail/smtp-outcomes.ts'
import type { EffectiveIdentity } from '#server/power-bi/power-bi.ts'
import { findReader } from './own-reports.ts'
import {
  advanceExport,
  createExportSteps,
  type ExportProgress,
  type ExportServices,
  toFailedStep,
} from './report-exports.ts'
import {
  authorizeMail,
  createUnsubscribeTokens,
  MAX_LATE_MS,
  queueDueReportMails,
  type ReportMailInput,
  recordMailFailure,
  type SubscriptionRow,
  selectSubscriptions,
  toSchedule,
} from './report-subscriptions.ts'

const MAX_ATTACHMENT_BYTES = MAX_ATTACHMENT_MB * 1024 * 1024
/** Of a run: a mail whose delivery is uncertain may have arrived. */
const MAX_DELIVERIES = 3
/** Later mails say so. */
const LATE_MS = 60 * 60_000

const messages = {
  late: 'O Power BI ou o servidor de e-mail não respondeu nas seis horas depois do horário, e o portal desistiu.',
  noFile: 'O Power BI exportou o relatório, mas não entregou o arquivo.',
  uncertain:
    'O servidor de e-mail não confirmou o envio, e o relatório pode ter chegado. O portal não o envia mais vezes.',
  refused: 'O servidor de e-mail recusou a mensagem.',
} as const

interface ReportMailServices extends ExportServices, MailContext {
  db: Db
  log: Log
  mailer: Mailer
  keyring: Keyring
}

/** Creates what the job queue needs for exports and mailed reports. */
export function createReportJobs(services: ReportMailServices) {
  return {
    runStep: { export: createExportSteps(services), 'report-mail': createReportMailSteps(services) },
    queueDue: () => queueDueReportMails(services),
  }
}

interface MailProgress extends ExportProgress {
  /** What is exported; the export starts anew when it changes. */
  key: string
  /** How often sending began and may have succeeded. */
  deliveries?: number
  /** Whether Power BI has failed once. */
  isSecond?: boolean
}

/**
 * Creates the steps of a mailed report: an export with the person's identity, then the mail. Access is
 * asked for at each step and right before sending.
 */
function createReportMailSteps(services: ReportMailServices): RunJobStep {
  const { clock, powerBi, mailer, log } = services

  /** Undefined when the subscription was deleted or stopped. */
  async function findDue({ user_id, input }: Job) {
    const { subscriptionId } = input as ReportMailInput
    const row = await selectSubscriptions(services)
      .where('s.id', '=', subscriptionId)
      .where('s.next_run_at', 'is not', null)
      .executeTakeFirst()
    if (!row) return undefined
    const { area, report_id: reportId, view_id: viewId, format } = row
    const reader = await findReader(services, user_id)
    const { id, report, identity, view } = await authorizeMail(services, reader, { area, reportId, viewId })
    const wanted = { report, identity, format, state: view?.state ?? null }
    return { id, row, wanted, view, key: JSON.stringify([report, identity, format, viewId]) }
  }
  type Due = NonNullable<Awaited<ReturnType<typeof findDue>>>

  const fail = (
    { input }: Job,
    failure: string,
    { administratorDetail, ends = false }: { administratorDetail?: string | undefined; ends?: boolean } = {},
  ): JobStep => ({
    kind: 'failed',
    detail: failure,
    administratorDetail,
    write: (transaction) => {
      const { subscriptionId: id } = input as ReportMailInput
      const at = new Date(clock())
      return recordMailFailure(transaction, { id, at, failure, administratorDetail, ends })
    },
  })

  async function runStep(job: Job, saveProgress: SaveProgress): Promise<JobStep> {
    const { runAt } = job.input as ReportMailInput
    if (clock() > Date.parse(runAt) + MAX_LATE_MS) {
      const last = job.admin_detail && `${messages.late} ${job.admin_detail}`
      return fail(job, messages.late, { administratorDetail: last ?? undefined })
    }
    const due = await findDue(job)
    if (!due) return { kind: 'done', progress: {} }
    const started = job.progress as Partial<MailProgress>
    const { deliveries = 0 } = started
    if (deliveries >= MAX_DELIVERIES) return fail(job, messages.uncertain)
    if (started.key !== undefined && started.key !== due.key)
      return { kind: 'waiting', progress: { deliveries }, afterMs: 0 }
    const step = await advanceExport(services, due.wanted, { ...started, key: due.key } as MailProgress)
    if (step.kind === 'failed') return startAgain(job, step.detail)
    if (step.kind !== 'done') return step
    const { exportId = '' } = started
    const file = await powerBi.openExportFile(due.wanted.report, exportId)
    if (!file) return startAgain(job, messages.noFile)
    const content = await readAtMost(file.body, MAX_ATTACHMENT_BYTES)
    // Reading may have taken long, and the access may have changed.
    const now = await findDue(job)
    if (now?.key !== due.key) return { kind: 'waiting', progress: { deliveries }, afterMs: 0 }
    await saveProgress({ ...started, deliveries: deliveries + 1 })
    return send(job, due, saveProgress, content && { content, contentType: file.type })
  }

  /** Exports a second time; then it has failed. */
  function startAgain(job: Job, failure: string): JobStep {
    const { isSecond, deliveries = 0 } = job.progress as Partial<MailProgress>
    return isSecond
      ? fail(job, failure)
      : { kind: 'waiting', progress: { isSecond: true, deliveries }, afterMs: 0 }
  }

  async function send(
    job: Job,
    due: Due,
    saveProgress: SaveProgress,
    file: ReportFile | undefined,
  ): Promise<JobStep> {
    try {
      await mailer.deliver(composeReportMail(services, job, due, file))
    } catch (error) {
      const { blame, isFinal, mayHaveArrived, words } = classifyFailure(error)
      const { code } = error as { code?: unknown }
      log.warn({ job: job.id, code, blame, answer: words }, 'report mail not sent')
      if (isFinal) return fail(job, messages.refused)
      if (!mayHaveArrived) await saveProgress(job.progress)
      return { kind: 'retry', afterMs: 0, detail: messages.late }
    }
    return { kind: 'done', progress: {}, write: (transaction) => recordSent(transaction, job, due) }
  }

  async function recordSent(transaction: Db, job: Job, { row, wanted }: Due): Promise<void> {
    const at = new Date(clock())
    await transaction
      .updateTable('report_subscriptions')
      .set({ last_sent_at: at, failure: null, failed_at: null })
      .where('id', '=', row.id)
      .execute()
    const after = { type: row.area, report_id: wanted.report.reportId, format: wanted.format }
    await transaction
      .insertInto('audit_entries')
      .columns(['at', 'action', 'target_id', 'target_email', 'after'])
      .expression(({ selectFrom, val }) =>
        selectFrom('profiles')
          .where('user_id', '=', job.user_id)
          .select([
            val(at).as('at'),
            val<AuditAction>('report-mailed').as('action'),
            'user_id as target_id',
            'email as target_email',
            val(JSON.stringify(after)).as('after'),
          ]),
      )
      .execute()
  }

  return async (job, saveProgress) => {
    const step = await runStep(job, saveProgress).catch((err): JobStep => {
      if (!(err instanceof ProblemError)) {
        log.error({ err, job: job.id }, 'report mail failed')
        return { kind: 'retry', afterMs: 0, detail: messages.late }
      }
      const failed = toFailedStep(err)
      // Without the approval, the area or the view it ends; all else may be back tomorrow.
      const ends = err.code === 'not-approved' || err.code === 'not-found'
      return failed.kind === 'failed' ? fail(job, failed.detail, { ...failed, ends }) : failed
    })
    return step.kind === 'retry' ? { ...step, isPatient: true } : step
  }
}

type SaveProgress = Parameters<RunJobStep>[1]

type ReportFile = Pick<NonNullable<Mail['attachment']>, 'content' | 'contentType'>

/** Reads a stream; undefined when it is larger. */
async function readAtMost(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    // Leaving the loop cancels the stream.
    if (bytes > maxBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

interface MailedReport {
  /** The id of the report's setting. */
  id: string
  row: SubscriptionRow
  view: ReportView | undefined
  wanted: { identity: EffectiveIdentity }
}

/** Composes the mail of a run, with the job's Message-ID; without a file it has a link only. */
function composeReportMail(
  { clock, groupName, publicUrl, keyring }: ReportMailServices,
  job: Job,
  { id, row, view, wanted }: MailedReport,
  file: ReportFile | undefined,
): Mail {
  const { area, format } = row
  const runAt = new Date((job.input as ReportMailInput).runAt)
  const day = formatDay(runAt)
  const token = createUnsubscribeTokens(keyring).sign(row.id, clock())
  const query = new URLSearchParams({
    area,
    ...(row.report && { relatorio: id }),
    ...(view && { visao: view.id }),
  })
  const what = describeSource(row)
  const title = [area, row.report, view?.name].filter(Boolean).join(' · ')
  const sender = { groupName, publicUrl }
  const content = composeMail(sender, {
    subject: `${what}, ${day}`,
    heading: `Relatório de ${what}`,
    paragraphs: [
      file
        ? `O relatório de ${what} está anexado em ${format === 'pdf' ? 'PDF' : 'PowerPoint'}, só com os seus dados.`
        : `O relatório de ${what} está pronto, mas o arquivo tem mais de ${MAX_ATTACHMENT_MB} MB e não cabe em um e-mail. Abra-o no portal, ou use “Exportar” lá.`,
      ...(clock() > runAt.getTime() + LATE_MS
        ? [`Este envio era das ${formatInstant(runAt)} e atrasou.`]
        : []),
    ],
    button: { label: 'Abrir no portal', link: `${publicUrl}/power-bi?${query}` },
    notes: [
      `Você recebe este e-mail ${describeSchedule(toSchedule(row))} (horário de Brasília). O anexo traz dados da empresa: não o encaminhe a quem não pode vê-los.`,
    ],
    aside: {
      text: 'Não quer mais receber este relatório?',
      label: 'Parar de receber',
      link: `${publicUrl}/parar-envio#token=${token}`,
    },
  })
  return {
    ...content,
    messageId: `<${job.id}@${new URL(publicUrl).hostname}>`,
    to: wanted.identity.username,
    kind: 'report-mail',
    unsubscribeUrl: `${publicUrl}/api/report-subscriptions/unsubscribe?token=${token}`,
    attachment: file && {
      ...file,
      filename: formatExportName({ title, format }, runAt.toISOString()),
    },
  }
}

const describeSource = ({ area, report, view }: SubscriptionRow) =>
  [area, report, view && `visão “${defangText(view)}”`].filter(Boolean).join(', ')

/** Composes the notice of failed runs, which lists all that failed last time; none after the approval. */
export async function composeFailureMail(
  context: MailContext,
  recipient: string,
): Promise<MailContent | undefined> {
  const { groupName, publicUrl } = context
  const failed = await selectSubscriptions(context)
    .where('p.email', '=', recipient)
    .where('p.approved', '=', true)
    .where('s.failure', 'is not', null)
    .orderBy('s.failed_at', 'desc')
    .execute()
  if (failed.length === 0) return undefined
  return {
    subject: `Um relatório do portal ${groupName} não foi enviado`,
    heading: 'Um relatório não foi enviado',
    paragraphs: ['O portal não conseguiu enviar o que você recebe por e-mail:'],
    list: failed.map((row) =>
      [`${describeSource(row)}: ${row.failure}`, !row.next_run_at && 'Este envio parou.']
        .filter(Boolean)
        .join(' '),
    ),
    button: { label: 'Ver meus envios', link: `${publicUrl}/profile/envios` },
    notes: ['No portal você pode mudar, retomar ou excluir cada envio. Os dados continuam disponíveis lá.'],
  }
}
