import { setTimeout as wait } from 'node:timers/promises'
import { defineFault, killHard, type Verdict, verify } from '#proof/shared/fault.ts'
import { startInProduction } from '#proof/shared/in-production.ts'
import { waitUntil } from '#proof/shared/load.ts'
import { createDatabase, openPostgres, runSql } from '#proof/shared/postgres.ts'
import { say } from '#proof/shared/run-task.ts'
import { getEmulatedReport } from '#server/testing/builders.ts'
import { type ReceivedMail, type SmtpInbox, startSmtpInbox } from '#server/testing/smtp-inbox.ts'

const AREA = 'HPD'
const MAILS = { short: 15, whole: 500 }
/** After these shares of the mails the process is killed. */
const KILLS = [0.2, 0.5, 0.8]
/** Of the job queue: mails that may be under way when the process is killed. */
const AT_ONCE = 5
const MAX_MS = 25 * 60_000

/** What Power BI answers meanwhile, after these shares of the mails. */
const FAULTS = [
  { after: 0.1, on: 'exportTo', status: 429, headers: { 'retry-after': '5' }, times: 3 },
  { after: 0.3, on: 'exportFile', delayMs: 8_000, times: 3 },
  { after: 0.4, on: 'exportTo', status: 403, errorCode: 'CapacityNotActive', times: 10 },
  // Just before a kill: the next process asks for a token of its own.
  { after: 0.5, on: 'directory', status: 503, times: 5 },
  { after: 0.6, on: 'exportStatus', status: 503, times: 3 },
  { after: 0.7, on: 'exportStatus', body: { status: 'Failed' }, times: 2 },
]

/** Whether the attached file was made for the recipient: the emulator writes for whom. */
function hasOwnFile({ to: [email], raw }: ReceivedMail): boolean {
  const [, encoded = ''] = /^Content-Type: application\/pdf[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/m.exec(raw) ?? []
  return Buffer.from(encoded, 'base64').toString('latin1').includes(`(Para ${email})`)
}

const countPeople = (inbox: SmtpInbox) => new Set(inbox.mails.flatMap(({ to }) => to)).size

/** Power BI fails and the process is killed while the mailed reports of a morning leave. */
export const reportMails = defineFault({
  name: 'mailed reports while Power BI fails and the process is killed',
  needsPostgres: true,
  async run({ isShort, cleanUp, port }): Promise<Verdict[]> {
    const people = isShort ? MAILS.short : MAILS.whole
    const inbox = await startSmtpInbox()
    cleanUp(inbox.stop)
    const url = await createDatabase(await openPostgres(cleanUp), 'report_mails', cleanUp)
    const started = await startInProduction(url, { people, area: AREA, smtpUrl: inbox.url, port }, cleanUp)
    let { portal } = started
    // The hour that has begun in São Paulo, so that all are due now.
    await runSql(url, (client) =>
      client.query(
        `insert into report_subscriptions (user_id, type, report_id, format, every, hour, next_run_at, created_at, updated_at)
        select user_id, $1, $2, 'pdf', 'day', extract(hour from now() at time zone 'America/Sao_Paulo'),
          date_trunc('hour', now()), now(), now() from profiles where email like 'carga%'`,
        [AREA.toLowerCase(), getEmulatedReport(AREA).reportId],
      ),
    )
    /** As 'Exportar' does; sessions would not last. */
    const queueExport = () =>
      runSql(url, (client) =>
        client.query(
          `insert into jobs (kind, user_id, input, created_at, due_at)
          select 'export', user_id, jsonb_build_object('area', $1::text, 'reportId', $2::text, 'format', 'pdf',
            'version', entitlement_version), now(), now() from profiles where email = 'carga1@grupopatio.com.br'`,
          [AREA, getEmulatedReport(AREA).reportId],
        ),
      )
    const hasReached = (share: number) => waitUntil(async () => countPeople(inbox) >= share * people, MAX_MS)
    const events = [
      ...FAULTS.map(({ after, ...fault }) => ({
        after,
        act: () => fetch(`${started.emulatorUrl}/faults`, { method: 'PUT', body: JSON.stringify(fault) }),
      })),
      ...KILLS.map((after) => ({
        after,
        async act() {
          await queueExport()
          await wait(Math.random() * 3_000)
          await killHard(portal)
          portal = await started.start()
          cleanUp(portal.stop)
        },
      })),
    ].toSorted((a, b) => a.after - b.after)
    for (const { after, act } of events) {
      await hasReached(after)
      await act()
      say(`  ${countPeople(inbox)} of ${people} have their mail`)
    }
    await hasReached(1)
    const pending = `select from jobs where kind = 'export' and status in ('queued', 'running')`
    const countPending = () => runSql(url, async (client) => (await client.query(pending)).rowCount ?? 0)
    await waitUntil(async () => (await countPending()) === 0, 2 * 60_000)
    // A mail that was sent twice would come again once its lease ends.
    await wait(isShort ? 0 : 65_000)
    const failed = await runSql(url, (client) =>
      client.query('select from report_subscriptions where failure is not null'),
    )
    await portal.stop()
    const again = inbox.mails.length - countPeople(inbox)
    const most = KILLS.length * AT_ONCE
    return [
      verify(
        `of ${people} people without their mail after ${KILLS.length} kills`,
        people - countPeople(inbox),
        0,
      ),
      verify("mails with somebody else's file", inbox.mails.filter((mail) => !hasOwnFile(mail)).length, 0),
      verify(`of ${KILLS.length} exports begun before a kill without an end`, await countPending(), 0),
      verify('subscriptions said to have failed', failed.rowCount ?? 0, 0),
      {
        promise: `mails that arrived again, under way at a kill ≤ ${most}`,
        held: again <= most,
        seen: String(again),
      },
      verify(
        'those with another Message-ID',
        new Set(inbox.mails.map(({ messageId }) => messageId)).size - countPeople(inbox),
        0,
      ),
    ]
  },
})
