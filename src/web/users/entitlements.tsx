import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Entitlements, inOrder } from '#contract/catalogue.ts'
import { ESTADOS, MARCAS, SEEDED_CATALOGUE, TYPES } from '#contract/seeded-catalogue.ts'
import { adminMessages, type ManagedProfile, type ProfileChange } from '#contract/users.ts'
import { isGone } from '#web/http/send-request.ts'
import { CheckboxList } from '#web/ui/choices.tsx'
import { LIST_NAMES, LIST_ORDER, type ListName } from './describe-change.ts'
import { type EditTexts, useProfileEdit } from './use-profile-edit.ts'
import { profileQuery, useFailureToast } from './user-queries.ts'

/** What is ticked for one person or for many. */
export const NO_ENTITLEMENTS: Entitlements = { types: [], marcas: [], estados: [] }

/** What a person has, as far as it can be ticked; what an older portal has left behind cannot. */
export function entitlementsOf(profile: ManagedProfile): Entitlements {
  const types = inOrder(SEEDED_CATALOGUE, 'types', profile.types)
  return {
    types: TYPES.filter((type) => types.includes(type)),
    marcas: MARCAS.filter((marca) => profile.marcas.includes(marca)),
    estados: ESTADOS.filter((estado) => profile.estados.includes(estado)),
  }
}

/** What an approval opens with: what the person has, and what was asked for, once it is known who asked. */
export function openingTicks(profile: ManagedProfile): Entitlements {
  const request = profile.email_verified_at ? profile.request : null
  if (!request) return entitlementsOf(profile)
  return entitlementsOf({
    ...profile,
    types: [...profile.types, ...request.types],
    marcas: [...profile.marcas, ...request.marcas],
    estados: [...profile.estados, ...request.estados],
  })
}

/** Whether the same is ticked, in one list or in all: both sides are in the order of the options. */
export function isSame<Lists extends readonly string[] | Entitlements>(one: Lists, other: Lists): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The three lists as they are ticked: what headings and tabs call them, and what each offers. */
export const LISTS = {
  types: { title: 'Tipos', options: TYPES, columns: 'grid-cols-2 sm:grid-cols-3' },
  marcas: { title: 'Marcas', options: MARCAS, columns: 'grid-cols-3 sm:grid-cols-5' },
  estados: { title: 'Estados', options: ESTADOS, columns: 'grid-cols-4 sm:grid-cols-5' },
} as const satisfies Record<ListName, object>

interface EntitlementListProps {
  name: ListName
  ticked: Entitlements
  onChange: (ticked: Entitlements) => void
  isLegendHidden?: boolean
}

/** One of the three lists as boxes to tick. */
export function EntitlementList({ name, ticked, onChange, ...rest }: EntitlementListProps) {
  const { title, options, columns } = LISTS[name]
  return (
    <CheckboxList<string>
      {...rest}
      legend={title}
      options={options}
      ticked={ticked[name]}
      onChange={(items) => onChange({ ...ticked, [name]: items })}
      className={columns}
    />
  )
}

/** Which empty lists keep a person from every report, as a sentence; undefined when none is empty. */
export function missingIn(ticked: Entitlements): string | undefined {
  const missing = LIST_ORDER.filter((name) => ticked[name].length === 0)
  if (missing.length === 0) return undefined
  const named = new Intl.ListFormat('pt-BR').format(missing.map((name) => LIST_NAMES[name]))
  return `Sem ${named}, a pessoa entra mas não vê relatórios.`
}

export type EntitlementsKind = 'types' | 'scope' | 'approve'

interface EntitlementsTexts extends EditTexts {
  title: string
  /** The lists that the dialog shows. */
  lists: readonly ListName[]
  submit: string
  loadFailed: string
  /** Sent even when nothing differs, so that a newer state is noticed. */
  changeTo: (wanted: Entitlements) => ProfileChange
}

/** The three dialogs that tick one person's entitlements. */
const DIALOGS: Record<EntitlementsKind, EntitlementsTexts> = {
  types: {
    title: 'Gerenciar Tipos de Acesso',
    lists: ['types'],
    submit: 'Salvar',
    loadFailed: adminMessages.typesLoadFailed,
    saved: adminMessages.typesSaved,
    failed: adminMessages.typesFailed,
    changeTo: ({ types }) => ({ types }),
  },
  scope: {
    title: 'Gerenciar Marcas e Estados',
    lists: ['marcas', 'estados'],
    submit: 'Salvar',
    loadFailed: adminMessages.scopeLoadFailed,
    saved: adminMessages.scopeSaved,
    failed: adminMessages.scopeFailed,
    changeTo: ({ marcas, estados }) => ({ marcas, estados }),
  },
  approve: {
    title: 'Aprovar Usuário',
    lists: ['types', 'marcas', 'estados'],
    submit: 'Aprovar',
    loadFailed: adminMessages.approveFailed,
    saved: adminMessages.approved,
    failed: adminMessages.approveFailed,
    changeTo: (wanted) => ({ approved: true, ...wanted }),
  },
}

export type EntitlementsForm = ReturnType<typeof useEntitlementsForm>

/** What is ticked for one person, from reading the person anew to having saved it. */
export function useEntitlementsForm(kind: EntitlementsKind, userId: string, onClose: () => void) {
  const texts = DIALOGS[kind]
  const fresh = useQuery(profileQuery(userId))
  useFailureToast(fresh.error, texts.loadFailed)
  const edit = useProfileEdit(fresh.data, texts, onClose)
  const [changed, setTicked] = useState<Entitlements>()
  const [isConfirmed, setIsConfirmed] = useState(false)
  /** The state that the dialog stands on unless the person has ticked something else. */
  const [accepted, setAccepted] = useState<ManagedProfile>()
  const start = accepted ?? fresh.data
  const opening = start && (kind === 'approve' ? openingTicks(start) : entitlementsOf(start))
  const ticked = changed ?? opening

  const goOnFromCurrent = () => {
    setAccepted(edit.acceptCurrent())
    setTicked(undefined)
  }
  const save = (from = edit.base) => {
    if (from && ticked) edit.save(texts.changeTo(ticked), from)
  }
  return {
    ...edit,
    texts,
    isApproval: kind === 'approve',
    ticked,
    setTicked,
    hasChanges: changed !== undefined && opening !== undefined && !isSame(changed, opening),
    isGone: isGone(fresh.error) || edit.isGone,
    loadFailure: fresh.isFetching ? undefined : fresh.error?.message,
    reload: () => void fresh.refetch(),
    save: () => save(),
    saveAnyway: () => save(edit.conflict?.current),
    useCurrent: goOnFromCurrent,
    /** Somebody else was quicker, and nothing is left to do here. */
    isApprovedAlready: kind === 'approve' && (edit.conflict?.current ?? start)?.approved === true,
    /** The e-mail has not been verified: that is to be thought of before the approval. */
    mustAsk: kind === 'approve' && edit.base?.email_verified_at === null && !isConfirmed,
    confirmUnverified: () => setIsConfirmed(true),
  }
}
