import * as z from 'zod/mini'

/** All actions of `audit_entries`; each can appear in a person's history. */
export const AUDIT_ACTIONS = [
  'session-reuse',
  'account-created',
  'access-requested',
  'access-granted',
  'access-refused',
  'sign-up-repeated',
  'account-disowned',
  'email-verified',
  'password-changed',
  'password-reset',
  'password-disowned',
  'password-revoked',
  'reauthenticated',
  'factor-added',
  'factor-renamed',
  'factor-removed',
  'factor-reset',
  'factor-disowned',
  'recovery-codes-created',
  'recovery-codes-removed',
  'recovery-code-used',
  'sessions-ended',
  'microsoft-refused',
  'microsoft-linked',
  'microsoft-unlinked',
  'microsoft-disabled',
  'group-mappings-set',
  'reset-link-sent',
  'account-unlocked',
  'verification-resent',
  'reset-link-printed',
  'role-changed',
  'builtin-admin-failures',
  'approval-given',
  'approval-removed',
  'access-revoked',
  'validity-set',
  'name-corrected',
  'types-set',
  'scope-set',
  'access-set',
  'entitlements-added',
  'entitlements-removed',
  'bulk-edit-undone',
  'user-deleted',
  'data-exported',
  'viewed-as',
  'catalogue-item-added',
  'catalogue-item-changed',
  'catalogue-item-removed',
  'catalogue-ordered',
  'access-template-added',
  'access-template-changed',
  'access-template-removed',
  'access-reviewed',
  'access-review-removed',
  'invitation-sent',
  'invitation-resent',
  'invitation-changed',
  'invitation-withdrawn',
  'invitation-accepted',
  'invitation-lost',
  'list-exported',
  'trail-exported',
  'access-exported',
  'file-downloaded',
  'report-setting-saved',
  'report-setting-removed',
  'report-exported',
  'export-downloaded',
  'report-mailed',
  'report-mail-stopped',
  'report-refresh-requested',
  'message-read',
  'message-unread',
  'message-answered',
  'messages-read',
  'messages-unread',
  'message-deleted',
  'message-accepted',
  'notice-added',
  'notice-changed',
  'notice-removed',
  'trail-broken',
  'database-restored',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The actions that change what a person may see; their `before` is what it was. */
export const ENTITLEMENT_ACTIONS = [
  'approval-given',
  'approval-removed',
  'access-revoked',
  'validity-set',
  'types-set',
  'scope-set',
  'access-set',
  'access-granted',
  'entitlements-added',
  'entitlements-removed',
  'bulk-edit-undone',
  'access-review-removed',
  'invitation-accepted',
] as const satisfies readonly AuditAction[]
export type EntitlementAction = (typeof ENTITLEMENT_ACTIONS)[number]

/**
 * What other tables record: sign-ins, first steps without the second, tokens for reports (also ahead,
 * for tabs not opened yet), reports that were shown, and refused sign-ins counted by the hour.
 */
export const ACCESS_ACTIONS = ['sign-in', 'first-step', 'report', 'report-shown', 'sign-in-refused'] as const
export type AccessAction = Exclude<(typeof ACCESS_ACTIONS)[number], 'sign-in-refused'>
/** Everything that the audit trail can hold. */
export type TrailAction = AuditAction | (typeof ACCESS_ACTIONS)[number]

/** One audit entry about a person; before and after contain what the action changed. */
export const historyEntrySchema = z.object({
  id: z.number(),
  at: z.string(),
  /** Null for the portal or a deleted person. */
  actor_email: z.nullable(z.string()),
  /** Null for the portal itself, a pseudonym for a deleted person; left out of a person's history. */
  actor_id: z.optional(z.nullable(z.string())),
  action: z.string(),
  before: z.nullable(z.looseObject({})),
  after: z.nullable(z.looseObject({})),
  /** For the undo of the reader's own change, while it can be undone. */
  undo_id: z.optional(z.uuid()),
})
export type HistoryEntry = z.output<typeof historyEntrySchema>

/** Changes of people, one or many, which are undone by their batch. */
export const UNDOABLE_EDITS: readonly AuditAction[] = [
  'entitlements-added',
  'entitlements-removed',
  'validity-set',
  'approval-given',
  'approval-removed',
  'types-set',
  'scope-set',
  'access-set',
  'access-granted',
  'access-review-removed',
  'access-reviewed',
  'name-corrected',
]

/** Changes of things, which are undone by an entry of the same kind. */
export const UNDOABLE_THINGS = [
  'report-setting-saved',
  'report-setting-removed',
  'catalogue-item-changed',
  'catalogue-ordered',
  'notice-changed',
  'notice-removed',
] as const satisfies readonly AuditAction[]
