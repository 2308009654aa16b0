import { randomUUID } from 'node:crypto'
import type { Role } from '#contract/access.ts'
import { listSpellings } from '#contract/entitlement-lists.ts'
import type { LiveVersions } from '#contract/live.ts'
import { coalesce } from '#contract/timing.ts'
import { SESSION_IDLE_MS } from '#server/accounts/sessions.ts'
import { type Database, prepare } from '#server/database/database.ts'
import type { Actor } from '#server/http/context.ts'
import {
  type AcceptStream,
  type EventStream,
  encodeEvent,
  encodeRetry,
  HEARTBEAT,
} from '#server/http/event-stream.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { type Log, logFirstFailure } from '#server/log.ts'
import { ACCESS_ENDS_AT, getApprovalAt, toAreaAccessSql } from '#server/users/user-queries.ts'
import { createChangeReader, trimChanges } from './read-changes.ts'

/** Changes within it are coalesced into one event. */
const COALESCE_MS = 50
/** Also polls, because a pooler in front of the database swallows notifications. */
const POLL_MS = 1_000
/** Reads every session again, whatever was noted. */
const SWEEP_MS = 60_000
const TRIM_MS = 10 * 60_000
const HEARTBEAT_MS = 15_000
/** Clients of a replica that stops reconnect within it, each at a time of its own. */
const RECONNECT_SPREAD_MS = 15_000
/** Over all replicas. */
const MAX_STREAMS_PER_USER = 5
/** Streams that no replica has seen for so long are ended first: their replica crashed. */
const UNSEEN_AFTER_MS = 2.5 * SWEEP_MS
/** A page in view returns earlier; others do not take turns in ending each other's streams. */
const RETURN_AFTER_REPLACED_MS = 60_000

export type LiveStreams = ReturnType<typeof createLiveStreams>

interface LiveStreamServices {
  database: Database
  log: Log
  /** Counts a stream as open; the returned function counts its end. */
  metrics: { openStream(): () => void }
  serviceStatus: { read(): object }
  /** ms since the epoch */
  clock: () => number
  sessionMaxDays: number
}

/** An open stream and whose it is. */
interface Listener {
  id: string
  /** Whether it has its row in `open_streams`. */
  isRegistered: boolean
  /** As the stream was opened: it may have been taken before the session is first read. */
  role: Role
  stream: EventStream
  userId: string
  sessionId: string
  /** Undefined until read. */
  session?: ListeningSession
  /** The versions that the client has. */
  sent: LiveVersions
  encode: (changed: LiveVersions) => Uint8Array | undefined
}

/** Creates the registry of this process's event streams. */
export function createLiveStreams(services: LiveStreamServices) {
  const { database, log, metrics, serviceStatus, clock, sessionMaxDays } = services
  const open = new Set<Listener>()
  const readChanges = createChangeReader(database)
  // Differs between replicas: administrators who change from one to another read again.
  const process = randomUUID().slice(0, 8)
  const counts = { people: 0, messages: 0 }
  let shared: SharedVersions | undefined
  let isSharedDue = true
  /** Streams that have ended, and whose rows are to go. */
  const ended = new Set<string>()
  /** Listeners whose session must be read; kept while the database is down. */
  const due = new Set<Listener>()
  let sweptAt = Number.NEGATIVE_INFINITY
  let trimmedAt = Number.NEGATIVE_INFINITY
  let stopListening: (() => Promise<void>) | undefined
  let isStopped = false

  const update = async () => {
    const before = shared
    try {
      const isSwept = performance.now() >= sweptAt + SWEEP_MS
      await registerStreams(isSwept)
      await noteChanges(isSwept)
      // A notice starts or ends.
      if (isSharedDue || (shared && shared.dueAt <= clock())) shared = await readShared(database, clock())
      isSharedDue = false
      await readSessions()
    } finally {
      // Also without the database, whose failure is a change of `health`.
      for (const listener of open)
        if (shared !== before || listener.session?.role === 'admin') sendChanged(listener)
    }
    if (performance.now() < trimmedAt + TRIM_MS) return
    trimmedAt = performance.now()
    await trimChanges(database)
  }

  /** Registers new streams, and notes the oldest of a person with too many, which its replica then ends. */
  async function registerStreams(isSwept: boolean) {
    const gone = [...ended]
    if (gone.length > 0) await database.runPrepared(REMOVE_STREAMS, [gone])
    for (const id of gone) ended.delete(id)
    const now = clock()
    if (isSwept) await seeStreams(now)
    const added = [...open].filter(({ isRegistered }) => !isRegistered)
    if (added.length === 0) return
    const users = added.map(({ userId }) => userId)
    const ids = added.map(({ id }) => id)
    await database.runPrepared(REGISTER_STREAMS, [ids, users, new Date(now).toISOString()])
    for (const listener of added) listener.isRegistered = true
    const unseenSince = new Date(now - UNSEEN_AFTER_MS).toISOString()
    await database.runPrepared(END_OLDEST_STREAMS, [users, unseenSince, MAX_STREAMS_PER_USER])
  }

  /** Tells the other replicas that these streams live; ends those of which a note was missed. */
  async function seeStreams(now: number) {
    const known = [...open].filter(({ isRegistered }) => isRegistered)
    if (known.length === 0) return
    const rows = await database.runPrepared<{ id: string }>(SEE_STREAMS, [
      known.map(({ id }) => id),
      new Date(now).toISOString(),
    ])
    const left = new Set(rows.map(({ id }) => id))
    for (const listener of known) if (!left.has(listener.id)) endReplaced(listener)
  }

  async function noteChanges(isSwept: boolean) {
    const changes = await readChanges()
    const has = (kind: string) => !changes || changes.some((change) => change.kind === kind)
    if (has('message')) counts.messages++
    if (has('person')) counts.people++
    const concernsAll = !changes || changes.some(({ subject }) => subject === null)
    // A change of the catalogue is noted as one of many people.
    if (concernsAll) isSharedDue = true
    if (isSwept) sweptAt = performance.now()
    const subjects = new Set(changes?.map(({ subject }) => subject))
    const now = clock()
    for (const listener of open) {
      const { session, userId, sessionId, id } = listener
      if (subjects.has(id)) {
        endReplaced(listener)
        continue
      }
      const isConcerned = subjects.has(userId) || subjects.has(sessionId)
      if (concernsAll || isSwept || isConcerned || !session || session.dueAt <= now) due.add(listener)
    }
  }

  async function readSessions() {
    if (due.size === 0) return
    const read = [...due]
    const now = clock()
    const ids = [...new Set(read.map(({ sessionId }) => sessionId))]
    const rows = await database.runPrepared<SessionRow>(READ_SESSIONS, [
      ids,
      new Date(now).toISOString(),
      sessionMaxDays * 24,
    ])
    const sessions = new Map(rows.map((row) => [row.id, toSession(row, now)]))
    for (const listener of read) {
      due.delete(listener)
      const before = listener.session
      const session = sessions.get(listener.sessionId)
      listener.session = session ?? ENDED_SESSION
      sendChanged(listener)
      // The page asks again who it is.
      if (!session || ((before ?? listener).role === 'admin' && session.role !== 'admin'))
        listener.stream.close()
    }
  }

  function sendChanged(listener: Listener) {
    const { session, sent, stream, encode } = listener
    if (!session || !shared) return
    const versions: LiveVersions = toVersions(session, shared)
    if (session.role === 'admin') {
      versions.notices += ` ${shared.allNotices} ${shared.notices.map(({ version }) => version).join()}`
      versions.people = `${process}-${counts.people}`
      versions.messages = `${process}-${counts.messages}`
      versions.health = JSON.stringify(serviceStatus.read()) + shared.faults
    }
    const changed = Object.entries(versions).filter(([topic, version]) => sent[topic as never] !== version)
    if (changed.length === 0) return
    listener.sent = versions
    const event = encode(Object.fromEntries(changed))
    if (event) stream.write(event)
  }

  const updating = coalesce(logFirstFailure(log, 'live changes not read', update), COALESCE_MS)
  const timers = [
    setInterval(() => open.size > 0 && updating.wake(), POLL_MS),
    setInterval(() => {
      for (const { stream } of open) stream.write(HEARTBEAT)
    }, HEARTBEAT_MS),
  ]
  for (const timer of timers) timer.unref()

  function refuseWhenStopped() {
    if (isStopped)
      throw new ProblemError('too-busy', { detail: 'O portal está sendo reiniciado.', retryAfterSeconds: 1 })
  }
  /** A browser that crashed leaves streams open, which must not keep its person's next ones out. */
  function endReplaced(listener: Listener) {
    forget(listener)
    listener.stream.write(encodeRetry(RETURN_AFTER_REPLACED_MS))
    listener.stream.close()
  }
  function forget(listener: Listener) {
    open.delete(listener)
    due.delete(listener)
    ended.add(listener.id)
  }

  const accept =
    ({ profile, role, sessionId }: Actor, encode: Listener['encode']): AcceptStream =>
    (stream) => {
      refuseWhenStopped()
      const own = { id: randomUUID(), isRegistered: false }
      const listener = { ...own, stream, userId: profile.user_id, role, sessionId, sent: {}, encode }
      open.add(listener)
      const uncount = metrics.openStream()
      stopListening ??= database.listen('changes', updating.wake)
      updating.wake()
      return () => {
        uncount()
        forget(listener)
        updating.wake()
      }
    }

  return {
    /** @returns accepts a person's stream, whose sixth ends the oldest */
    follow: (actor: Actor) => accept(actor, encodeEvent),
    /** As follow, for a page of 0.2. */
    followAsBefore: (actor: Actor) =>
      accept(actor, ({ people, messages, catalogue }) =>
        people || messages || catalogue ? encodeEvent({ kind: 'stale' }) : undefined,
      ),
    /** Closes all streams, whose clients reconnect elsewhere or later, and accepts no new ones. */
    async stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      await stopListening?.()
      await updating.stop()
      for (const { id } of open) ended.add(id)
      await database
        .runPrepared(REMOVE_STREAMS, [[...ended]])
        .catch((err) => log.warn({ err }, 'open streams not removed'))
      for (const { stream } of open) {
        stream.write(encodeRetry(Math.round(Math.random() * RECONNECT_SPREAD_MS)))
        stream.close()
      }
    },
  }
}

/** Streams $1 of the people $2, opened in this order and seen at $3. */
const REGISTER_STREAMS = prepare(`
  insert into open_streams (id, user_id, seen_at)
  select given.id, p.user_id, $3::timestamptz
  from unnest($1::uuid[], $2::uuid[]) with ordinality as given (id, user_id, place)
  join profiles p on p.user_id = given.user_id
  order by given.place
  on conflict (id) do nothing`)

const SEE_STREAMS = prepare(
  'update open_streams set seen_at = $2::timestamptz where id = any($1::uuid[]) returning id',
)

/** Notes which streams of the people $1 end: the oldest over $3 each, first those unseen since $2. */
const END_OLDEST_STREAMS = prepare(`
  with surplus as (
    delete from open_streams where id in (
      select id from (
        select id, row_number() over (partition by user_id order by seen_at > $2::timestamptz desc,
          number desc) as place
        from open_streams where user_id = any($1::uuid[])
      ) as ranked where place > $3::int)
    returning id),
  noted as (insert into changes (kind, subject_id) select 'session', id from surplus returning 1)
  select pg_notify('changes', '') from noted limit 1`)

const REMOVE_STREAMS = prepare('delete from open_streams where id = any($1::uuid[])')

interface SharedVersions {
  catalogue: string
  /** By the area's label. */
  settings: Record<string, string>
  /** Those shown now; types null for everyone. */
  notices: { version: string; types: string[] | null }[]
  /** Version of all of them, also drafts. */
  allNotices: string
  /** Version of the reports that give no token. */
  faults: string
  /** When the next notice starts or ends; ms since the epoch. */
  dueAt: number
}

/** $1: now */
const READ_SHARED = prepare(`
  select (select value from portal_facts where name = 'catalogue-version') as catalogue,
    (select coalesce(json_object_agg(label, version), '{}')::text from (
      select c.label, hashtext(string_agg(report, '' order by report)) as version
      from (
        select type, s::text as report from global_powerbi_settings s
        union all select type, f::text from further_reports f
      ) as reports
      join catalogue_items c on c.kind = 'types' and c.code = type
      group by c.label
    ) as areas) as settings,
    (select coalesce(json_agg(json_build_object('version', id || '.' || version, 'types', types) order by id),
      '[]')::text from notices where not is_draft and deleted_at is null and starts_at <= $1::timestamptz
      and coalesce(ends_at > $1, true)) as notices,
    (select concat(hashtext(string_agg(n::text, '' order by id))) from notices n) as all_notices,
    (select concat(hashtext(string_agg(concat(report, is_definite, failures < 3, says), '' order by report))) from report_faults f) as faults,
    (select (extract(epoch from min(at)) * 1000)::float8 from notices, unnest(array[starts_at, ends_at]) as at
      where not is_draft and deleted_at is null and at > $1) as due_at`)

async function readShared(database: Database, now: number): Promise<SharedVersions> {
  const [row] = await database.runPrepared<
    Record<'catalogue' | 'settings' | 'notices' | 'all_notices' | 'faults', string> & {
      due_at: number | null
    }
  >(READ_SHARED, [new Date(now).toISOString()])
  if (!row) throw new Error('the database gave no versions')
  return {
    catalogue: row.catalogue,
    settings: JSON.parse(row.settings),
    notices: JSON.parse(row.notices),
    allNotices: row.all_notices,
    faults: row.faults,
    dueAt: row.due_at ?? Number.POSITIVE_INFINITY,
  }
}

/** What decides which topics a session hears; without reports neither types. */
interface ListeningSession {
  me: string
  role: Role
  types: string[]
  /** Version of the notices that the person has closed. */
  closed: string
  /** Version of the saved views in the person's list, others' too. */
  views: string
  /** When it must be read again, because it or the access ends by time; ms since the epoch. */
  dueAt: number
}

const ENDED_SESSION: ListeningSession = {
  me: 'ended',
  role: 'user',
  types: [],
  closed: '0',
  views: ' ',
  dueAt: Number.POSITIVE_INFINITY,
}

interface SessionRow extends Pick<ListeningSession, 'me' | 'role' | 'types' | 'closed' | 'views'> {
  id: string
  approved: boolean
  access_ends_at: number | null
  session_ends_at: number
  /** When the first access ends of those who share views with the person. */
  opened_end_at: number | null
}

/** Reads those of the sessions $1 that are valid at the instant $2, by the rules of READ_SESSION. */
const READ_SESSIONS = prepare(`
  select s.id, coalesce(r.role, 'user') as role, p.types, p.approved, ${ACCESS_ENDS_AT} as access_ends_at,
    (extract(epoch from least(s.refreshed_at + interval '${SESSION_IDLE_MS} ms', s.ends_at,
      s.created_at + make_interval(hours => $3))) * 1000)::float8 as session_ends_at,
    hashtextextended(row(p.entitlement_version, p.approved, p.valid_until, p.full_name, p.email,
      p.email_verified_at is null, r.role)::text, 0)::text as me,
    (select concat(count(*), max(closed_at)) from closed_notices where user_id = s.user_id) as closed,
    (select concat(hashtext(string_agg(concat(id, name, is_default, shared, state_hash), '' order by id)),
      ' ', opened.version) from report_views where user_id = s.user_id and deleted_at is null) as views,
    opened.end_at as opened_end_at
  from sessions s
  join profiles p on p.user_id = s.user_id
  left join user_roles r on r.user_id = s.user_id
  cross join lateral (
    select concat(hashtext(string_agg(concat(v.id, v.name, v.state_hash), '' order by v.id))) as version,
      min(${ACCESS_ENDS_AT}) as end_at
    from opened_report_views o
    join report_views v on v.id = o.view_id and v.shared and v.deleted_at is null
    join profiles p on p.user_id = v.user_id
    join catalogue_items c on c.kind = 'types' and c.code = v.type
    where o.user_id = s.user_id and ${toAreaAccessSql('extract(epoch from $2::timestamptz) * 1000')}
  ) as opened
  where s.id = any($1::uuid[]) and s.kind = 'full'
    and s.refreshed_at > $2::timestamptz - interval '${SESSION_IDLE_MS} ms'
    and s.created_at > $2 - make_interval(hours => $3)
    and (s.ends_at is null or s.ends_at > $2)`)

function toSession(
  { me, role, types, closed, views, approved, ...row }: SessionRow,
  now: number,
): ListeningSession {
  const access = getApprovalAt(now, approved, row.access_ends_at)
  const accessEndsAt = access.approved ? row.access_ends_at : null
  return {
    me: access.accessEnded ? `${me}-ended` : me,
    role,
    types: access.approved ? types : [],
    closed,
    views,
    dueAt: Math.min(row.session_ends_at, ...[accessEndsAt, row.opened_end_at].filter((at) => at !== null)),
  }
}

/** Returns the versions of the topics that everyone hears. */
function toVersions({ me, role, types, closed, views }: ListeningSession, shared: SharedVersions) {
  const { catalogue, settings, notices } = shared
  const isOwn = (label: string) => listSpellings(label).some((type) => types.includes(type))
  const heard = Object.keys(settings).filter((label) => role === 'admin' || isOwn(label))
  const shown = notices.filter((notice) => notice.types?.some(isOwn) ?? true)
  return {
    me,
    catalogue,
    settings: heard.map((label) => settings[label]).join(),
    notices: [closed, ...shown.map(({ version }) => version)].join(' '),
    views,
  } satisfies LiveVersions
}
