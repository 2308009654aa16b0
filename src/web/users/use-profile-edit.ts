import { useState } from 'react'
import type { AuditAction, HistoryEntry } from '#contract/audit-actions.ts'
import type { ManagedProfile, ProfileChange } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { isConflict, isGone } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { getSession } from '#web/session/session.ts'
import { announceUndoable } from '#web/session/undo-change.ts'
import { formatTimePhrase } from '#web/ui/format-instant.ts'
import { showToast } from '#web/ui/toast.tsx'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { patchCachedProfile, refreshUsers } from './user-queries.ts'

interface EditTexts {
  saved: string
  /** Where nothing differed; by default as saved. */
  unchanged?: string | undefined
  failed: string
}
/** The result of a save; empty on success. */
interface Outcome {
  /** The state the next save is based on, if not the opened one. */
  newer?: ManagedProfile | undefined
  conflict?: Conflict | undefined
  isGone?: boolean
}

/**
 * Saves a change of one person as an optimistic update, rolled back on failure.
 * A concurrent change is never overwritten: it is returned as a conflict.
 */
export function useProfileEdit(opened: ManagedProfile | undefined, texts: EditTexts, onSaved: () => void) {
  const [outcome, setOutcome] = useState<Outcome>({})
  const base = outcome.newer ?? opened

  const { submit, isBusy } = useSubmit({
    send: ({ from, change }: { from: ManagedProfile; change: ProfileChange }) => {
      setOutcome({ newer: from })
      return saveChange(from, change)
    },
    onDone: (undo, { from, change }) => {
      const { full_name, email } = { ...from, ...change }
      const description = full_name ? `${full_name} · ${email}` : email
      const title = (undo.undoId === null && texts.unchanged) || texts.saved
      announceUndoable({ kind: 'success', title, description }, undo)
      onSaved()
    },
    onFailed: async (failure, { from }) => {
      const conflict = isConflict(failure) ? await readConflict(from).catch(() => undefined) : undefined
      if (conflict) patchCachedProfile(conflict.current)
      else showToast(toFailureToast(texts.failed, failure))
      setOutcome({ newer: from, conflict, isGone: isGone(failure) })
    },
    onSettled: refreshUsers,
  })
  /** @param from the state to base the save on; by default the latest known */
  const save = (change: ProfileChange, from = base) => {
    if (from) void submit({ from, change })
  }
  /** Continues from the state of the concurrent change. */
  const acceptCurrent = () => setOutcome({ newer: outcome.conflict?.current })
  return { ...outcome, isGone: outcome.isGone ?? false, base, isBusy, save, acceptCurrent }
}

async function saveChange(from: ManagedProfile, body: ProfileChange) {
  let newer = from
  const { valid_until = from.valid_until, ...rest } = { valid_until: undefined, ...body }
  patchCachedProfile({ ...from, ...rest, valid_until })
  try {
    const [params, ifMatch] = [{ userId: from.user_id }, String(from.version)]
    const { undoId, undoSeconds, ...saved } = await retryCall('PATCH /api/profiles/{userId}', {
      params,
      body,
      ifMatch,
    })
    newer = saved
    return { undoId, undoSeconds }
  } finally {
    patchCachedProfile(newer)
  }
}

/** A concurrent change: the person's current state, and what happened since, oldest first. */
export interface Conflict {
  current: ManagedProfile
  sentences: string[]
}

/** A change of any of these increments the profile's version. */
const VERSIONED = ['approved', 'valid_until', 'full_name', 'role', 'types', 'marcas', 'estados']
/** Names lists, but changes none. */
const REQUESTED: AuditAction = 'access-requested'
const MAX_SENTENCES = 5

/**
 * Reads what has changed about a person since a state was loaded, and by whom.
 * @throws ApiError or NetworkError when the request fails
 */
export async function readConflict(base: ManagedProfile): Promise<Conflict> {
  const params = { userId: base.user_id }
  const [current, history] = await Promise.all([
    callApi('GET /api/profiles/{userId}', { params }),
    callApi('GET /api/profiles/{userId}/history', { params }),
  ])
  const since = history.items
    .filter(({ action, after }) => action !== REQUESTED && VERSIONED.some((name) => after && name in after))
    .slice(0, Math.min(current.version - base.version, MAX_SENTENCES))
    .reverse()
  const sentences = await (since.length > 0
    ? Promise.all(since.map(describeEntry))
    : Promise.all([describeWithoutHistory(base, current)]))
  return { current, sentences }
}

/**
 * Reads who approved a person and when, as a sentence; undefined if the history has no approval.
 * @throws ApiError or NetworkError when the request fails
 */
export async function readApproval(userId: string): Promise<string | undefined> {
  const { items } = await callApi('GET /api/profiles/{userId}/history', { params: { userId } })
  const approval = items.find(({ action }) => action === ('approval-given' satisfies AuditAction))
  return approval && describeEntry(approval)
}

/** Loaded late: a conflict is rare. */
const loadSentences = () => import('#contract/describe-change.ts')

async function describeEntry(entry: HistoryEntry): Promise<string> {
  const { describeChange } = await loadSentences()
  return describeChange(entry, getSession()?.user.email, formatTimePhrase(entry.at))
}

async function describeWithoutHistory(base: ManagedProfile, current: ManagedProfile): Promise<string> {
  const { diffLists, formatValidity, joinDifferences } = await loadSentences()
  const lists = joinDifferences(diffLists({ ...base }, { ...current }))
  const approval = current.approved ? 'conta aprovada' : 'aprovação removida'
  const validity = base.valid_until !== current.valid_until && formatValidity(current.valid_until)
  const all = [lists, base.approved !== current.approved && approval, validity].filter(Boolean).join('; ')
  return `Mudou nesse meio-tempo: ${all || 'outra pessoa salvou o mesmo'}`
}
