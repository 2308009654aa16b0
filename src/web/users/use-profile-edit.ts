import { useState } from 'react'
import type { AuditAction, HistoryEntry, ManagedProfile, ProfileChange } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { isConflict, isGone } from '#web/http/send-request.ts'
import { getSession } from '#web/session/session.ts'
import { showToast } from '#web/ui/toast.tsx'
import { failureNotice, useSubmit } from '#web/ui/use-form.ts'
import { describeChange, differencesBetween, joinDifferences, timeInSentence } from './describe-change.ts'
import { patchCachedProfile, refreshUsers } from './user-queries.ts'

type Steps = readonly ProfileChange[]

export interface EditTexts {
  /** What is said of these steps when they have been saved. */
  saved: (steps: Steps) => readonly string[]
  failed: string
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
    send: async ({ from, steps }: { from: ManagedProfile; steps: Steps }) => {
      setOutcome({ newer: from })
      return saveSteps(from, steps)
    },
    onDone: async ({ newer, doneCount, failure }, { steps }) => {
      if (failure === undefined) {
        for (const title of texts.saved(steps)) showToast({ kind: 'success', title })
        return onSaved()
      }
      const conflict = isConflict(failure) ? await readConflict(newer).catch(() => undefined) : undefined
      if (conflict) patchCachedProfile(conflict.current)
      else showToast(failureNotice(texts.failed, failure))
      const namesOf = (some: Steps) => some.flatMap(namesOfStep)
      const [saved, unsaved] = [namesOf(steps.slice(0, doneCount)), namesOf(steps.slice(doneCount))]
      const partial = steps.length > 1 ? { saved, unsaved } : undefined
      setOutcome({ newer, conflict, partial, isGone: isGone(failure) })
    },
    onFailed: texts.failed,
    onSettled: refreshUsers,
  })
  /** @param from the state that it rests on, when not the one that the dialog was opened with */
  const save = (steps: Steps, from = base) => {
    if (from) void submit({ from, steps })
  }
  /** Goes on from the state that somebody else has left, and returns it. */
  const acceptCurrent = () => {
    setOutcome({ newer: outcome.conflict?.current })
    return outcome.conflict?.current
  }
  return { ...outcome, isGone: outcome.isGone ?? false, base, isBusy, save, acceptCurrent }
}

/** @returns the person as the last step that could be saved has left it, and what ended it before its end */
async function saveSteps(from: ManagedProfile, steps: Steps) {
  let newer = from
  let doneCount = 0
  try {
    for (const body of steps) {
      patchCachedProfile(Object.assign({}, newer, ...steps))
      const [params, ifMatch] = [{ userId: newer.user_id }, String(newer.version)]
      newer = await callApi('PATCH /api/profiles/{userId}', { params, body, ifMatch })
      doneCount += 1
    }
    return { newer, doneCount }
  } catch (failure) {
    return { newer, doneCount, failure }
  } finally {
    patchCachedProfile(newer)
  }
}

/** What a change is about, as a sentence names it. */
export function namesOfStep(step: ProfileChange): string[] {
  if ('types' in step) return ['tipos']
  return 'marcas' in step ? ['marcas', 'estados'] : ['aprovação']
}

/** Somebody was quicker: how the person stands now, and what happened meanwhile, oldest first. */
export interface Conflict {
  current: ManagedProfile
  sentences: string[]
}

/** A change of any of these raised the profile's version by one. */
const VERSIONED = ['approved', 'types', 'marcas', 'estados']
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
  const since = history.items
    .filter(({ after }) => VERSIONED.some((name) => after && name in after))
    .slice(0, Math.min(current.version - base.version, MAX_SENTENCES))
    .reverse()
  const sentences = since.length > 0 ? since.map(sentenceOf) : [describeWithoutHistory(base, current)]
  return { current, sentences }
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

function sentenceOf(entry: HistoryEntry): string {
  return describeChange(entry, getSession()?.user.email, timeInSentence(entry.at))
}

function describeWithoutHistory(base: ManagedProfile, current: ManagedProfile): string {
  const lists = joinDifferences(differencesBetween({ ...base }, { ...current }))
  const approval = current.approved ? 'conta aprovada' : 'aprovação removida'
  const all = [lists, base.approved !== current.approved && approval].filter(Boolean).join('; ')
  return `Mudou nesse meio-tempo: ${all || 'outra pessoa salvou o mesmo'}`
}
