import type { ColumnType, Generated, GeneratedAlways, Kysely } from 'kysely'
import type { Role, SessionKind } from '#contract/access.ts'
import type { AccessAction } from '#contract/audit-actions.ts'
import type { ListName } from '#contract/entitlement-lists.ts'
import type { AmrEntry, FactorType } from '#contract/factors.ts'
import type { EmbedMode } from '#contract/reports.ts'
import type { UsagePeriod } from '#contract/usage.ts'
import type { AccessRequest, Profile, ProfileInstant } from '#contract/users.ts'

/** Optional in inserts, with a default in the database. */
type Defaulted<T> = ColumnType<T, T | undefined, T>
type Json = ColumnType<unknown, string | null, string | null>

/** A profile's fields from the contract, with instants as dates. All but the e-mail are optional. */
type ProfileColumns = {
  [Name in keyof Profile]: Name extends 'email'
    ? string
    : Defaulted<Name extends ProfileInstant ? Date | Extract<Profile[Name], null> : Profile[Name]>
}

export interface ProfilesTable extends ProfileColumns {
  /** Set explicitly when a name is corrected, which the trigger ignores. */
  entitlement_version: Generated<number>
  /** Set when an approval is removed, until the person asks for access again. */
  approval_removed_at: Defaulted<Date | null>
  /** Generated from e-mail and name: lower case without accents. */
  search_text: GeneratedAlways<string>
}

export interface SessionsTable {
  id: string
  user_id: string
  kind: SessionKind
  refresh_key: Uint8Array
  refresh_counter: Defaulted<number>
  acknowledged_counter: Defaulted<number>
  /** Device id of the browser that refreshed last; null if it presented none. */
  refreshed_by: Defaulted<string | null>
  /** False for sessions opened by 0.2. */
  device_bound: Defaulted<boolean>
  /** When its owner last proved who they are; null for sessions opened by 0.2 or by a link alone. */
  authenticated_at: Defaulted<Date | null>
  /** Where it was used last; null for sessions of 0.2. */
  ip: Defaulted<string | null>
  user_agent: Defaulted<string | null>
  created_at: Date
  refreshed_at: Date
  /** Equal to refreshed_at, unless 0.2 refreshed it. */
  renewed_at: Defaulted<Date | null>
  /** Null for sessions of 0.2. */
  aal: Defaulted<'aal1' | 'aal2' | null>
  amr: ColumnType<AmrEntry[] | null, string | null | undefined, string | null>
  /** What an 'aal1' session becomes with the second factor. */
  kind_after_factor: Defaulted<'full' | 'forcedChange' | null>
  /** The device, if the account knew it before this session. */
  known_device: Defaulted<string | null>
  /** When a mailed link allowed it to enrol a factor. */
  enrolment_allowed_at: Defaulted<Date | null>
  /** End of a session that Microsoft opened. */
  ends_at: Defaulted<Date | null>
}

/** A TOTP secret or a passkey; unverified until its first right answer. */
export interface FactorsTable {
  id: Generated<string>
  user_id: string
  factor_type: FactorType
  friendly_name: string
  created_at: Date
  verified_at: Defaulted<Date | null>
  last_used_at: Defaulted<Date | null>
  /** Sealed with SESSION_SECRET. */
  secret: Defaulted<Uint8Array | null>
  /** Last accepted TOTP step, and those that are never accepted. */
  last_step: Defaulted<number | null>
  refused_steps: Defaulted<number[]>
  credential_id: Defaulted<string | null>
  public_key: Defaulted<Uint8Array | null>
  counter: Defaulted<number | null>
  transports: Defaulted<string[] | null>
}

interface IdentitiesTable {
  tenant_id: string
  object_id: string
  user_id: string
  /** The directory's address at the last sign-in. */
  email: string
  linked_at: Date
  last_used_at: Date
  /** Of the last complete claim. */
  groups: Defaulted<string[] | null>
  groups_at: Defaulted<Date | null>
  /** Of the last ID token: names of claims, or groups-overage. */
  missing_claims: Defaulted<string[] | null>
  refresh_token: Defaulted<Uint8Array | null>
  asked_at: Defaulted<Date | null>
}

export interface ReportSettingsTable {
  id: Generated<string>
  /** Slug, 'vendas'. */
  type: string
  embed_mode: EmbedMode
  report_url: string | null
  workspace_id: string | null
  report_id: string | null
  dataset_id: string | null
  /** Whether people may export. */
  exports: Defaulted<boolean>
  /** The page and the report's bookmark that it opens with; a trigger forgets those of another report. */
  page_name: Defaulted<string | null>
  bookmark_name: Defaulted<string | null>
  updated_at: Defaulted<Date>
}

interface MessagesTable {
  id: Generated<string>
  name: string
  email: string
  phone: string
  message: string
  is_read: Defaulted<boolean>
  created_at: Defaulted<Date>
  handled_by: Defaulted<string | null>
  handled_at: Defaulted<Date | null>
  answered: Defaulted<boolean>
  /** Text as the search compares it, see fold_text in the migrations. */
  search_text: GeneratedAlways<string>
}

interface AuditEntriesTable {
  id: Generated<number>
  at: Date
  actor_id: string | null
  actor_email: string | null
  action: string
  target_id: string | null
  target_email: string | null
  before: Json
  after: Json
  ip: string | null
  user_agent: string | null
  request_id: string | null
  /** The same in all entries of one bulk edit. */
  batch_id: string | null
}

interface AccessRecordsTable {
  id: Generated<number>
  at: Date
  user_id: string
  /** 'report' for a token, 'report-shown' once the report was seen. */
  action: AccessAction
  /** Of sign-ins, its steps: 'password+totp'. */
  method: Defaulted<string | null>
  /** Of Power BI; of an area in SSO mode the id of its setting. */
  report_id: string | null
  /** Person whose report an administrator viewed. */
  viewed_as: Defaulted<string | null>
  ip: string | null
  user_agent: string | null
  request_id: string | null
}

interface AccessRequestsTable extends Omit<AccessRequest, 'requested_at'> {
  user_id: string
  requested_at: Defaulted<Date>
  /** By an approved person, for more. */
  for_more: Defaulted<boolean>
  /** The undo id of the grant. */
  granted_by: Defaulted<string | null>
  refused_at: Defaulted<Date | null>
  refusal: Defaulted<string | null>
}

export interface JobsTable {
  id: Generated<string>
  kind: string
  user_id: string
  status: Defaulted<'queued' | 'running' | 'done' | 'failed'>
  input: Json
  payload: string | null
  progress: ColumnType<unknown, string | undefined, string>
  detail: Defaulted<string | null>
  /** The detail as administrators read it, if it differs. */
  admin_detail: Defaulted<string | null>
  failures: Defaulted<number>
  created_at: Date
  due_at: Date
  lease: Defaulted<string | null>
  leased_until: Defaulted<Date | null>
  finished_at: Defaulted<Date | null>
}

/** 'disown-…' are the 'não fui eu' links of a new account and of a change. 'signup-used' is spent. */
export type LinkPurpose =
  | 'signup'
  | 'signup-used'
  | 'recovery'
  | 'disown-account'
  | 'disown-change'
  | 'invitation'
  | 'factor'
  | 'disown-factor'

export interface Tables {
  profiles: ProfilesTable
  passwords: { user_id: string; hash: string; changed_at: Date }
  access_requests: AccessRequestsTable
  access_templates: {
    id: Generated<string>
    name: string
    types: string[]
    marcas: string[]
    estados: string[]
    version: Defaulted<number>
  }
  access_reviews: {
    id: string
    kind: 'types' | 'marcas'
    code: string
    reviewed_at: Date
    reviewer_id: string | null
    kept: number
    removed: number
  }
  access_review_people: { review_id: string; user_id: string; removed: boolean }
  password_history: { id: Generated<number>; user_id: string; hash: string; changed_at: Date }
  user_roles: { user_id: string; role: Role }
  sessions: SessionsTable
  factors: FactorsTable
  recovery_codes: {
    code_hash: Uint8Array
    user_id: string
    set_id: string
    created_at: Date
    used_at: Defaulted<Date | null>
  }
  factor_settings: {
    user_id: string
    required_since: Date | null
    needs_link: Defaulted<boolean>
    /** When the owner last reset the password by a mailed link, or disowned a factor. */
    recovered_at: Defaulted<Date | null>
  }
  email_links: {
    token_hash: Uint8Array
    /** Null for the link of an invitation. */
    user_id: string | null
    invitation_id: Defaulted<string | null>
    /** The factor that the link disowns. */
    factor_id: Defaulted<string | null>
    purpose: LinkPurpose
    expires_at: Date
  }
  /** Open invitations; deleted when answered. */
  invitations: {
    id: Generated<string>
    email: string
    full_name: string | null
    types: string[]
    marcas: string[]
    estados: string[]
    /** Sender and time of the newest mail. */
    invited_by: string | null
    invited_at: Date
    /** When its sender lost the administrator role. */
    withdrawn_at: Defaulted<Date | null>
    /** Last day of the access that it gives. */
    valid_until: Defaulted<string | null>
    /** Raised by each change of what it gives. */
    version: Defaulted<number>
  }
  /** Microsoft accounts, one a person. */
  identities: IdentitiesTable
  /** Used states, and what the directory said until it is used. */
  microsoft_sign_ins: {
    state_hash: Uint8Array
    expires_at: Date
    token_hash: Defaulted<Uint8Array | null>
    mark_hash: Defaulted<Uint8Array | null>
    email: Defaulted<string | null>
    answer: Defaulted<Uint8Array | null>
    /** The mail that has its link. */
    mail_id: Defaulted<string | null>
  }
  group_mappings: { group_id: string; name: string; template_id: string }
  /** Sign-ups of unverified accounts; mark_hash is null after more than one. */
  sign_ups: { user_id: string; count: number; mark_hash: Uint8Array | null; mark_expires_at: Date }
  rate_limits: { key: string; taken: number; resets_at: Date }
  sign_in_attempts: { key: string; failures: number; locked_until: Date; forget_at: Date }
  /** Browsers that have signed in to an account with its password. */
  sign_in_devices: { id: string; user_id: string; created_at: Date; seen_at: Date }
  used_human_checks: { id: string; expires_at: Date }
  catalogue_items: {
    kind: ListName
    code: string
    label: string
    position: number
    archived: Defaulted<boolean>
  }
  global_powerbi_settings: ReportSettingsTable & {
    /** Null is the area's label. */
    name: Defaulted<string | null>
  }
  further_reports: ReportSettingsTable & {
    name: string
    position: number
    /** Set until the removal can no longer be undone. */
    deleted_at: Defaulted<Date | null>
  }
  report_faults: {
    /** Ids of workspace, report and model. */
    report: string
    since: Date
    /** In a row. */
    failures: number
    is_definite: boolean
    says: string
  }
  report_views: {
    id: Generated<string>
    user_id: string
    /** Slug of the area. */
    type: string
    report_id: string
    name: string
    /** Bookmark of Power BI, base64. */
    state: string
    state_hash: GeneratedAlways<string>
    is_default: Defaulted<boolean>
    shared: Defaulted<boolean>
    updated_at: Date
    /** Set until the deletion can no longer be undone. */
    deleted_at: Defaulted<Date | null>
  }
  report_subscriptions: {
    id: Generated<string>
    user_id: string
    /** Slug of the area. */
    type: string
    report_id: string
    view_id: string | null
    format: 'pdf' | 'pptx'
    every: 'day' | 'week' | 'month'
    weekday: number | null
    day: number | null
    hour: number
    /** Null while it is stopped. */
    next_run_at: Defaulted<Date | null>
    last_sent_at: Defaulted<Date | null>
    failure: Defaulted<string | null>
    /** The failure as administrators read it, if it differs. */
    admin_failure: Defaulted<string | null>
    failed_at: Defaulted<Date | null>
    created_at: Date
    updated_at: Date
  }
  /** A draft, or shown from starts_at until ends_at; by everyone where types is null. */
  notices: {
    id: Generated<string>
    text: string
    severity: 'info' | 'warning' | 'problem'
    /** Labels of areas. */
    types: string[] | null
    starts_at: Date | null
    ends_at: Date | null
    on_login: boolean
    is_draft: boolean
    version: Defaulted<number>
    updated_at: Date
    /** Set until the deletion can no longer be undone. */
    deleted_at: Defaulted<Date | null>
  }
  closed_notices: { user_id: string; notice_id: string; closed_at: Date }
  /** Streams of changes, numbered as they were opened. */
  open_streams: { id: string; number: Generated<number>; user_id: string; seen_at: Date }
  opened_report_views: { user_id: string; view_id: string; opened_at: Date }
  support_messages: MessagesTable
  /** Messages with a filled honeypot. */
  suspect_messages: MessagesTable
  audit_entries: AuditEntriesTable
  failed_sign_ins: {
    id: Generated<number>
    hour: Date
    subject: string
    user_id: string | null
    outcome: string
    attempts: number
    ips: string[]
    last_at: Date
  }
  access_records: AccessRecordsTable
  trail_chains: {
    chain: 'audit' | 'access'
    position: number
    hash: Uint8Array
    checkpoint_position: number
    checkpoint_hash: Uint8Array
  }
  trail_seals: {
    chain: 'audit' | 'access'
    position: number
    kind: 'entry' | 'erasure'
    entry_id: number
    at: Date
    action: string
    sealed_at: Date
    salt: Uint8Array | null
    commitment: Uint8Array
    hash: Uint8Array
  }
  trail_erasures: { chain: 'audit' | 'access'; entry_id: number }
  trail_cursors: {
    receiver: string
    chain: 'audit' | 'access'
    position: number
    /** Of the seal at this position, when it was sent; null before the first one, and before 0.3. */
    hash: Defaulted<Uint8Array | null>
    sealed_at: Defaulted<Date | null>
    sending_to: number | null
    failures: Defaulted<number>
    due_at: Date | null
    failed_at: Date | null
    last_error: string | null
  }
  /** In periods that are not closed; the report is null for coming to the portal. */
  usage_open: {
    id: Generated<number>
    period: UsagePeriod
    starts_on: string
    user_id: string
    report_id: string | null
    openings: Defaulted<number>
  }
  usage_sums: {
    id: Generated<number>
    period: UsagePeriod
    starts_on: string
    kind: 'all' | 'report' | 'area' | 'marca' | 'estado'
    /** The report's id, the area's slug, or the code; '' for all. */
    code: string
    label: string | null
    people: number
    openings: number
    hidden: Defaulted<boolean>
  }
  usage_timings: { id: Generated<number>; day: string; report_id: string; step: number; count: number }
  usage_mails: { id: Generated<string>; user_id: string; created_at: Defaulted<Date> }
  mail_outbox: {
    id: Generated<string>
    kind: string
    recipient: string
    created_at: Defaulted<Date>
    attempts: Defaulted<number>
    due_at: Defaulted<Date>
    /** When it was due before its first attempt. */
    first_due_at: Defaulted<Date | null>
    sent_at: Date | null
    /** The newest audit entry when it was queued; null by other ways, and by 0.2. */
    after_entry: Defaulted<number | null>
    /** The factor that it is about. */
    about: Defaulted<string | null>
    /** How often it happened, where one mail tells of several. */
    times: Defaulted<number>
    /** What the mail server last said, without addresses; null before, and by 0.2. */
    answer: Defaulted<string | null>
    answered_at: Defaulted<Date | null>
    /** Whom the refusal concerns; null if it was taken. */
    blame: Defaulted<string | null>
  }
  idempotency_keys: {
    id: Uint8Array
    request: Uint8Array
    answer: Defaulted<Uint8Array | null>
    created_at: Defaulted<Date>
  }
  jobs: JobsTable
  job_claims: { name: string; claimed_until: Date; holder: Defaulted<string | null> }
  portal_facts: { name: string; value: string }
  replicas: {
    id: string
    host: string
    version: string
    clock_ahead_ms: number
    services: unknown
    seen_at: Defaulted<Date>
  }
  schema_migrations: { name: string; applied_at: Defaulted<Date> }
}

/** The query builder or a transaction, so that query functions run in either. */
export type Db = Kysely<Tables>
