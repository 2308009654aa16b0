import { useState } from 'react'
import type { AuditAction, HistoryEntry, ManagedProfile, ProfileChange } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { isConflict, isGone } from '#web/http/send-request.ts'
import { getSession } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import { failureNotice, useSubmit } from '#web/ui/use-form.ts'
import {
  describeChange,
  differencesBetween,
  joinDifferences,
  timeInSentence,
  writeChange,
} from './describe-change.ts'
import { namesOfStep, withSteps } from './entitlements.tsx'
import { patchCachedProfile, refreshUsers } from './user-queries.ts'

type Steps = readonly ProfileChange[]

export interface EditTexts {
  /** What is said of these steps when they have been saved. */
  saved: (steps: Steps) => readonly string[]
  failed: string
}
interface Save {
  from: ManagedProfile
  steps: Steps
  /** The person as each step has left it. */
  done: ManagedProfile[]
}
/** Where a save has led: nothing but `newer` when all is well. */
interface Outcome {
  /** The person as the last step, or somebody else, has left it. */
  newer?: ManagedProfile | undefined
  conflict?: Conflict | undefined
  /** A save of several steps that broke off in the middle, by what its steps are about. */
  partial?: { saved: string[]; unsaved: string[] } | undefined
  /** The person has been deleted meanwhile. */
  isGone?: boolean
}

/**
 * Saves changes of one person, each step on the state that the one before it has left. The lists show them at
 * once and go back when they fail; where somebody else was quicker nothing is overwritten.
 */
export function useProfileEdit(opened: ManagedProfile | undefined, texts: EditTexts, onSaved: () => void) {
  const [outcome, setOutcome] = useState<Outcome>({})
  const base = outcome.newer ?? opened

  const { submit, isBusy } = useSubmit({
    send: async ({ from, steps, done }: Save) => {
      setOutcome({ newer: from })
      await saveSteps({ from, steps, done })
    },
    onDone: (_, { steps }) => {
      for (const title of texts.saved(steps)) showToast({ kind: 'success', title })
      onSaved()
    },
    onFailed: async (error, { from, steps, done }) => {
      const newer = done.at(-1) ?? from
      patchCachedProfile(newer)
      const conflict = isConflict(error) ? await readConflict(newer).catch(() => undefined) : undefined
      if (conflict) patchCachedProfile(conflict.current)
      else showToast(failureNotice(texts.failed, error))
      setOutcome({ newer, conflict, partial: splitSteps(steps, done.length), isGone: isGone(error) })
    },
    onSettled: refreshUsers,
  })
  /** @param from the state that it rests on, when not the one that the dialog was opened with */
  const save = (steps: Steps, from = base) => {
    if (from) void submit({ from, steps, done: [] })
  }
  /** Goes on from the state that somebody else has left, and returns it. */
  const acceptCurrent = () => {
    setOutcome({ newer: outcome.conflict?.current })
    return outcome.conflict?.current
  }
  return { ...outcome, isGone: outcome.isGone ?? false, base, isBusy, save, acceptCurrent }
}

async function saveSteps({ from, steps, done }: Save): Promise<void> {
  let profile = from
  patchCachedProfile(withSteps(profile, steps))
  for (const body of steps) {
    const params = { userId: profile.user_id }
    profile = await callApi('PATCH /api/profiles/{userId}', {
      params,
      body,
      ifMatch: String(profile.version),
    })
    patchCachedProfile(withSteps(profile, steps))
    done.push(profile)
  }
}

/** Undefined for a single step, which is saved or not. */
function splitSteps(steps: Steps, doneCount: number): Outcome['partial'] {
  if (steps.length === 1) return undefined
  const namesOf = (some: Steps) => some.flatMap(namesOfStep)
  return { saved: namesOf(steps.slice(0, doneCount)), unsaved: namesOf(steps.slice(doneCount)) }
}

/** Somebody was quicker: how the person stands now, and what happened meanwhile, oldest first. */
export interface Conflict {
  current: ManagedProfile
  sentences: string[]
}

/** Each of these raised the profile's version by one. */
const CHANGES: readonly string[] = [
  'approval-given',
  'approval-removed',
  'types-set',
  'scope-set',
  'entitlements-added',
  'entitlements-removed',
  'bulk-edit-undone',
] satisfies AuditAction[]
const MAX_SENTENCES = 5

/**
 * Finds out what has changed about a person since a state was read, and who did it.
 * @throws ApiError or NetworkError when it cannot be read
 */
export async function readConflict(base: ManagedProfile): Promise<Conflict> {
  const params = { userId: base.user_id }
  const [current, history] = await Promise.all([
    callApi('GET /api/profiles/{userId}', { params }),
    callApi('GET /api/profiles/{userId}/history', { params }),
  ])
  const since = changesSince(history.items, current.version - base.version)
  return {
    current,
    sentences: since.length > 0 ? since.map(sentenceOf) : [describeWithoutHistory(base, current)],
  }
}

/**
 * Who approved a person and when, as a sentence; undefined where the history does not say.
 * @throws ApiError or NetworkError when it cannot be read
 */
export async function readApproval(userId: string): Promise<string | undefined> {
  const { items } = await callApi('GET /api/profiles/{userId}/history', { params: { userId } })
  const approval = items.find(({ action }) => action === ('approval-given' satisfies AuditAction))
  return approval && sentenceOf(approval)
}

function changesSince(entries: readonly HistoryEntry[], versions: number): HistoryEntry[] {
  const changes = entries.filter(({ action }) => CHANGES.includes(action))
  return changes.slice(0, Math.min(Math.max(versions, 0), MAX_SENTENCES)).reverse()
}

function sentenceOf(entry: HistoryEntry): string {
  return writeChange(describeChange(entry, getSession()?.user.email), timeInSentence(entry.at))
}

function describeWithoutHistory(base: ManagedProfile, current: ManagedProfile): string {
  const lists = joinDifferences(differencesBetween({ ...base }, { ...current }))
  const approval = current.approved ? 'conta aprovada' : 'aprovação removida'
  const all = [lists, base.approved !== current.approved && approval].filter(Boolean).join('; ')
  return `Mudou nesse meio-tempo: ${all || 'outra pessoa salvou o mesmo'}`
}
