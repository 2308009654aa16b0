import { useState } from 'react'
import { type Entitlements, entitlementsOf } from '#web/admin-users/changes/profile-steps.ts'
import { useFreshProfile } from '#web/admin-users/changes/use-fresh-profile.ts'
import { useProfileEdit } from '#web/admin-users/changes/use-profile-edit.ts'
import { ENTITLEMENTS_DIALOGS, type EntitlementsKind } from './entitlement-texts.ts'

export type EntitlementsForm = ReturnType<typeof useEntitlementsForm>

/** What is ticked for one person, from reading the person anew to having saved it. */
export function useEntitlementsForm(kind: EntitlementsKind, userId: string, onClose: () => void) {
  const texts = ENTITLEMENTS_DIALOGS[kind]
  const { profile, failure, retry } = useFreshProfile(userId, texts.loadFailed)
  const edit = useProfileEdit(profile, texts, onClose)
  const [changed, setTicked] = useState<Entitlements>()
  const [isConfirmed, setIsConfirmed] = useState(false)
  const ticked = changed ?? (profile && entitlementsOf(profile))

  const save = (from = edit.base) => {
    if (from && ticked) void edit.save(texts.stepsFor(from, ticked), from)
  }
  return {
    ...edit,
    ticked,
    setTicked,
    loadFailure: failure,
    reload: retry,
    save: () => save(),
    saveAnyway: () => save(edit.conflict?.current),
    useCurrent: () => {
      const current = edit.acceptCurrent()
      if (current) setTicked(entitlementsOf(current))
    },
    /** Nobody has proved to own the address: that is to be thought of before the approval. */
    mustAsk: kind === 'approve' && edit.base?.email_verified_at === null && !isConfirmed,
    confirmUnverified: () => setIsConfirmed(true),
  }
}
