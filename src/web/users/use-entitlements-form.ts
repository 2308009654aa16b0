import { useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { ENTITLEMENTS_DIALOGS, type EntitlementsKind } from './entitlement-texts.ts'
import { type Entitlements, entitlementsOf } from './profile-steps.ts'
import { useFreshProfile } from './use-fresh-profile.ts'
import { useProfileEdit } from './use-profile-edit.ts'

export type EntitlementsForm = ReturnType<typeof useEntitlementsForm>

/** What is ticked for one person, from reading the person anew to having saved it. */
export function useEntitlementsForm(kind: EntitlementsKind, userId: string, onClose: () => void) {
  const texts = ENTITLEMENTS_DIALOGS[kind]
  const fresh = useFreshProfile(userId, texts.loadFailed)
  const edit = useProfileEdit(fresh.profile, texts, onClose)
  const [changed, setTicked] = useState<Entitlements>()
  const [isConfirmed, setIsConfirmed] = useState(false)
  /** The state that the dialog stands on unless the person has ticked something else. */
  const [accepted, setAccepted] = useState<ManagedProfile>()
  const start = accepted ?? fresh.profile
  const ticked = changed ?? (start && entitlementsOf(start))

  const save = (from = edit.base) => {
    if (from && ticked) void edit.save(texts.stepsFor(from, ticked), from)
  }
  const goOnFromCurrent = () => {
    setAccepted(edit.acceptCurrent())
    setTicked(undefined)
  }
  const saveAnyway = () => {
    const current = edit.conflict?.current
    if (current && ticked && texts.stepsFor(current, ticked).length === 0) goOnFromCurrent()
    else save(current)
  }
  return {
    ...edit,
    ticked,
    setTicked,
    hasChanges: changed !== undefined && start !== undefined && !isSame(changed, entitlementsOf(start)),
    isGone: fresh.isGone || edit.isGone,
    loadFailure: fresh.failure,
    reload: fresh.retry,
    save: () => save(),
    saveAnyway,
    useCurrent: goOnFromCurrent,
    /** Somebody else was quicker, and nothing is left to do here. */
    isApprovedAlready: kind === 'approve' && start?.approved === true,
    /** Nobody has proved to own the address: that is to be thought of before the approval. */
    mustAsk: kind === 'approve' && edit.base?.email_verified_at === null && !isConfirmed,
    confirmUnverified: () => setIsConfirmed(true),
  }
}

/** Both are in the order of the options. */
function isSame(one: Entitlements, other: Entitlements): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
