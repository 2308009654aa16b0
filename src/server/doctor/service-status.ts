import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { ServiceName, ServiceState } from '#contract/health.ts'
import { coalesce } from '#contract/timing.ts'
import type { Db } from '#server/database/schema.ts'
import { type Log, logFirstFailure } from '#server/log.ts'
import type { Mailer } from '#server/mail/smtp-mailer.ts'
import { classifyFailure } from '#server/mail/smtp-outcomes.ts'
import type { CountCall } from '#server/power-bi/power-bi.ts'

const SHARE_EVERY_MS = 10_000
/** Changes within it are shared together. */
const COALESCE_MS = 1_000
/** A replica that has not shared for so long is gone. */
export const GONE_AFTER_SECONDS = 45
/** How long a failure stands against a later success of another replica. */
const OUTVOTED_AFTER_MS = 5 * 60_000
const KEPT_HOURS = 24

/** What a replica has seen of a service; `at` is when it last used it. */
type Seen = ServiceState & { at: string | null }
type Shared = Record<'mail' | 'powerBi', Seen>

/** Status of external services as all replicas see it, without polling. */
export interface ServiceStatus {
  record(service: ServiceName, isGood: boolean): void
  read(): Record<ServiceName, ServiceState>
  /** Tells the other replicas what this one has seen, and hears what they have. */
  share(): Promise<void>
  start(): void
  /** Takes this replica's view back. */
  stop(): Promise<void>
}

interface Replica {
  /** Undefined where this process is the only one. */
  db: Db | undefined
  version: string
  log: Log
}

/** Creates the status; services are unknown until a replica uses them. */
export function createServiceStatus(clock: () => number, replica?: Replica): ServiceStatus {
  const db = replica?.db
  const [id, host] = [randomUUID(), hostname()]
  const unknown = { isGood: null, since: null, at: null }
  const own = { mail: unknown as Seen, powerBi: unknown as Seen, database: unknown as Seen }
  let others: Shared[] = []
  let timer: NodeJS.Timeout | undefined
  async function share() {
    if (!db) return
    const { mail, powerBi } = own
    const ahead = Math.round(Date.now() - clock())
    const { rows } = await sql<{ services: Shared }>`
      with own as (
        insert into replicas (id, host, version, clock_ahead_ms, services)
        values (${id}, ${host}, ${replica.version}, ${ahead}, ${JSON.stringify({ mail, powerBi })})
        on conflict (id) do update set clock_ahead_ms = excluded.clock_ahead_ms,
          services = excluded.services, seen_at = now()
      ), gone as (
        delete from replicas where id <> ${id} and seen_at < now() - make_interval(hours => ${KEPT_HOURS})
      )
      select services from replicas
      where id <> ${id} and seen_at > now() - make_interval(secs => ${GONE_AFTER_SECONDS})`.execute(db)
    others = rows.map(({ services }) => services)
  }
  const sharing = coalesce(
    replica ? logFirstFailure(replica.log, 'status not shared', share) : share,
    COALESCE_MS,
  )
  return {
    record(service, isGood) {
      const at = new Date(clock()).toISOString()
      const isChange = own[service].isGood !== isGood
      own[service] = { isGood, since: isChange ? at : own[service].since, at }
      if (isChange && timer && service !== 'database') sharing.wake()
    },
    read() {
      const merge = (name: keyof Shared) =>
        mergeViews([own[name], ...others.map((all) => all[name])], clock())
      const { isGood, since } = own.database
      return { mail: merge('mail'), powerBi: merge('powerBi'), database: { isGood, since } }
    },
    share,
    start() {
      if (!db) return
      timer = setInterval(sharing.wake, SHARE_EVERY_MS).unref()
      sharing.wake()
    },
    async stop() {
      clearInterval(timer)
      await sharing.stop()
      if (timer && db) await sql`delete from replicas where id = ${id}`.execute(db).catch(() => {})
    },
  }
}

/** A failure counts until its replica succeeds, or another one has since, some minutes later. */
function mergeViews(seen: readonly Seen[], now: number): ServiceState {
  const toMs = ({ at }: Seen) => (at === null ? Number.NEGATIVE_INFINITY : Date.parse(at))
  const good = seen.filter(({ isGood }) => isGood)
  const lastGood = Math.max(...good.map(toMs))
  const failing = seen.filter(
    (view) => view.isGood === false && (toMs(view) >= lastGood || now - toMs(view) <= OUTVOTED_AFTER_MS),
  )
  if (failing.length > 0)
    return { isGood: false, since: failing.map(({ since }) => since).toSorted()[0] ?? null }
  return {
    isGood: good.length > 0 || null,
    since:
      good
        .map(({ since }) => since)
        .toSorted()
        .at(-1) ?? null,
  }
}

/** Wraps a mailer to track whether the server accepts mails. */
export function trackStatus(mailer: Mailer, { record }: ServiceStatus): Mailer {
  return {
    async deliver(mail) {
      try {
        const answer = await mailer.deliver(mail)
        record('mail', true)
        return answer
      } catch (error) {
        // A recipient that does not exist is not the server's fault.
        record('mail', /^(recipient|message)$/.test(classifyFailure(error).blame))
        throw error
      }
    },
  }
}

/** Wraps a counter to track the directory and the service; a refused report concerns only that report. */
export function trackUpstreamStatus(count: CountCall, { record }: ServiceStatus): CountCall {
  return (service, outcome, ms) => {
    count(service, outcome, ms)
    const isOneReport = service === 'power-bi' && outcome === 'refused'
    if (!isOneReport) record('powerBi', outcome === 'ok')
  }
}
