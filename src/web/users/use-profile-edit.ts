import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type ManagedProfile, type ProfileChange, userRoutes } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { showToast } from '#web/ui/toast.tsx'
import { type Conflict, isConflict, isGone, readConflict } from './conflict.tsx'
import { namesOfStep, withSteps } from './entitlements.tsx'
import { patchCachedProfile, refreshAndKeepFocus } from './user-queries.ts'

export interface EditTexts {
  /** What is said of these steps when they have been saved. */
  saved: (steps: Steps) => readonly string[]
  failed: string
}
/** A save that broke off in the middle, by what its steps are about. */
export interface PartialSave {
  saved: string[]
  unsaved: string[]
}
/** Where a save has led: nothing but `newer` when all is well. */
interface Outcome {
  /** The person as the last step, or somebody else, has left it. */
  newer?: ManagedProfile | undefined
  conflict?: Conflict | undefined
  partial?: PartialSave | undefined
  /** The person has been deleted meanwhile. */
  isGone?: boolean
}
type Steps = readonly ProfileChange[]

/**
 * Saves changes of one person, each step on the state that the one before it has left. The lists show them at
 * once and go back when they fail; where somebody else was quicker nothing is overwritten.
 */
export function useProfileEdit(opened: ManagedProfile | undefined, texts: EditTexts, onSaved: () => void) {
  const [{ newer, conflict, partial, isGone: hasGone = false }, setOutcome] = useState<Outcome>({})
  const [isBusy, setIsBusy] = useState(false)
  const isRunning = useRef(false)
  const { mutateAsync } = useMutation({ mutationFn: saveSteps })
  const base = newer ?? opened

  /** @param from the state that it rests on, when not the one that the dialog was opened with */
  const save = async (steps: Steps, from = base) => {
    if (!from || isRunning.current) return
    isRunning.current = true
    setIsBusy(true)
    setOutcome({ newer: from })
    const done: ManagedProfile[] = []
    try {
      await mutateAsync({ from, steps, onStep: (profile) => done.push(profile) })
      for (const title of texts.saved(steps)) showToast({ kind: 'success', title })
      onSaved()
    } catch (error) {
      setOutcome(await rollBack(error, done.at(-1) ?? from, splitSteps(steps, done.length), texts.failed))
    } finally {
      isRunning.current = false
      setIsBusy(false)
      void refreshAndKeepFocus()
    }
  }
  /** Goes on from the state that somebody else has left, and returns it. */
  const acceptCurrent = () => {
    setOutcome({ newer: conflict?.current })
    return conflict?.current
  }
  return { base, conflict, partial, isGone: hasGone, isBusy, save, acceptCurrent }
}

interface Save {
  from: ManagedProfile
  steps: Steps
  onStep: (profile: ManagedProfile) => void
}

async function saveSteps({ from, steps, onStep }: Save): Promise<void> {
  let profile = from
  patchCachedProfile(withSteps(profile, steps))
  for (const body of steps) {
    const params = { userId: profile.user_id }
    profile = await callApi(userRoutes.changeProfile, { params, body, ifMatch: String(profile.version) })
    patchCachedProfile(withSteps(profile, steps))
    onStep(profile)
  }
}

/** Puts the lists back to what has been saved, and finds out whether somebody else was quicker; else says that it failed. */
async function rollBack(
  error: unknown,
  newer: ManagedProfile,
  partial: PartialSave | undefined,
  failed: string,
): Promise<Outcome> {
  patchCachedProfile(newer)
  const conflict = isConflict(error) ? await readConflict(newer).catch(() => undefined) : undefined
  if (conflict) patchCachedProfile(conflict.current)
  else showToast({ kind: 'error', title: failed, description: error instanceof Error ? error.message : '' })
  return { newer, conflict, partial, isGone: isGone(error) }
}

/** Undefined for a single step, which is saved or not. */
function splitSteps(steps: Steps, done: number): PartialSave | undefined {
  if (steps.length === 1) return undefined
  const namesOf = (some: Steps) => some.flatMap(namesOfStep)
  return { saved: namesOf(steps.slice(0, done)), unsaved: namesOf(steps.slice(done)) }
}
