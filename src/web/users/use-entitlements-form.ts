import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { adminMessages, type ManagedProfile, type ProfileChange } from '#contract/users.ts'
import { isGone } from '#web/http/send-request.ts'
import type { ListName } from './describe-change.ts'
import { type Entitlements, entitlementsOf, isSame, stepsToApprove } from './entitlements.tsx'
import { type EditTexts, useProfileEdit } from './use-profile-edit.ts'
import { profileQuery, useFailureToast } from './user-queries.ts'

export type EntitlementsKind = 'types' | 'scope' | 'approve'

interface EntitlementsTexts extends EditTexts {
  title: string
  /** The lists that the dialog shows. */
  lists: readonly ListName[]
  submit: string
  loadFailed: string
  /** What to save; types and scope are sent even when nothing differs, so that a newer state is noticed. */
  stepsFor: (base: ManagedProfile, wanted: Entitlements) => ProfileChange[]
}

/** Steps without the approval itself, which somebody else has given meanwhile, are named for what they are. */
function savedToApprove(steps: readonly ProfileChange[]): string[] {
  if (steps.some((step) => 'approved' in step)) return [adminMessages.approved]
  return steps.map((step) => ('types' in step ? adminMessages.typesSaved : adminMessages.scopeSaved))
}

/** The three dialogs that tick one person's entitlements. */
export const ENTITLEMENTS_DIALOGS: Record<EntitlementsKind, EntitlementsTexts> = {
  types: {
    title: 'Gerenciar Tipos de Acesso',
    lists: ['types'],
    submit: 'Salvar',
    loadFailed: adminMessages.typesLoadFailed,
    saved: () => [adminMessages.typesSaved],
    failed: adminMessages.typesFailed,
    stepsFor: (_, { types }) => [{ types }],
  },
  scope: {
    title: 'Gerenciar Marcas e Estados',
    lists: ['marcas', 'estados'],
    submit: 'Salvar',
    loadFailed: adminMessages.scopeLoadFailed,
    saved: () => [adminMessages.scopeSaved],
    failed: adminMessages.scopeFailed,
    stepsFor: (_, { marcas, estados }) => [{ marcas, estados }],
  },
  approve: {
    title: 'Aprovar Usuário',
    lists: ['types', 'marcas', 'estados'],
    submit: 'Aprovar',
    loadFailed: adminMessages.approveFailed,
    saved: savedToApprove,
    failed: adminMessages.approveFailed,
    stepsFor: stepsToApprove,
  },
}

export type EntitlementsForm = ReturnType<typeof useEntitlementsForm>

/** What is ticked for one person, from reading the person anew to having saved it. */
export function useEntitlementsForm(kind: EntitlementsKind, userId: string, onClose: () => void) {
  const texts = ENTITLEMENTS_DIALOGS[kind]
  const fresh = useQuery(profileQuery(userId))
  useFailureToast(fresh.error, texts.loadFailed)
  const edit = useProfileEdit(fresh.data, texts, onClose)
  const [changed, setTicked] = useState<Entitlements>()
  const [isConfirmed, setIsConfirmed] = useState(false)
  /** The state that the dialog stands on unless the person has ticked something else. */
  const [accepted, setAccepted] = useState<ManagedProfile>()
  const start = accepted ?? fresh.data
  const ticked = changed ?? (start && entitlementsOf(start))

  const save = (from = edit.base) => {
    if (from && ticked) edit.save(texts.stepsFor(from, ticked), from)
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
    isGone: isGone(fresh.error) || edit.isGone,
    loadFailure: fresh.isFetching ? undefined : fresh.error?.message,
    reload: () => void fresh.refetch(),
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
