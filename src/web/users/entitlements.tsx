import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, eachList, inOrder, LISTS, type ListName, valuesOf } from '#contract/held-lists.ts'
import { adminMessages, hasPassed, saoPauloDay } from '#contract/user-rules.ts'
import type { ManagedProfile, ProfileChange } from '#contract/users.ts'
import { catalogueQuery, choicesOf, useCatalogue } from '#web/http/catalogue-query.ts'
import { isGone } from '#web/http/send-request.ts'
import { Button } from '#web/ui/button.tsx'
import { CheckboxList } from '#web/ui/choices.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { rememberTicks } from './access-templates.ts'
import { LIST_NAMES } from './describe-change.ts'
import { type EditTexts, useProfileEdit } from './use-profile-edit.ts'
import { profileQuery, useFailureToast } from './user-queries.ts'

/** What a person has, as far as it can be ticked; what an older portal has left behind cannot. */
export function entitlementsOf(catalogue: Catalogue, profile: ManagedProfile): Entitlements {
  return eachList((list) => {
    const values = valuesOf(catalogue, list)
    return inOrder(catalogue, list, profile[list]).filter((value) => values.includes(value))
  })
}

/** What an approval opens with: what the person has, and what was asked for, once it is known who asked. */
export function openingTicks(catalogue: Catalogue, profile: ManagedProfile): Entitlements {
  const request = profile.email_verified_at ? profile.request : null
  if (!request) return entitlementsOf(catalogue, profile)
  // What has been archived since it was asked for can be given no more.
  const withRequest = (list: ListName) => {
    const offered = choicesOf(catalogue, list, profile[list]).map(({ value }) => value)
    return [...profile[list], ...request[list].filter((value) => offered.includes(value))]
  }
  return entitlementsOf(catalogue, { ...profile, ...eachList(withRequest) })
}

/** Whether the same is ticked, in one list or in all: both sides are in the order of the options. */
export function isSame<Lists extends readonly string[] | Entitlements>(one: Lists, other: Lists): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The three lists as they are ticked: what headings and tabs call them. */
export const LOOKS = {
  types: { title: 'Tipos', columns: 'grid-cols-2 sm:grid-cols-3' },
  marcas: { title: 'Marcas', columns: 'grid-cols-3 sm:grid-cols-5' },
  estados: { title: 'Estados', columns: 'grid-cols-4 sm:grid-cols-5' },
} as const satisfies Record<ListName, object>

interface EntitlementListProps {
  name: ListName
  ticked: Entitlements
  /** What is offered although it is archived; undefined for all of it. */
  held: Entitlements | undefined
  onChange: (ticked: Entitlements) => void
  isLegendHidden?: boolean
}

export function EntitlementList({ name, ticked, held, onChange, ...rest }: EntitlementListProps) {
  const { title, columns } = LOOKS[name]
  const options = choicesOf(useCatalogue(), name, held?.[name])
  const isLong = options.some(({ label }) => label.length > 8)
  return (
    <CheckboxList
      {...rest}
      legend={title}
      options={options}
      ticked={ticked[name]}
      onChange={(items) => onChange({ ...ticked, [name]: items })}
      className={isLong ? LOOKS.types.columns : columns}
    />
  )
}

/** 'Oficina, CRM · VW · RJ', or what keeps somebody from seeing anything. */
export function ticksInWords(ticked: Entitlements): string {
  const lists = LISTS.map((name) => ticked[name].join(', ')).filter(Boolean)
  return lists.length > 0 ? lists.join(' · ') : 'Nenhum acesso ainda'
}

/** Which empty lists keep a person from every report, as a sentence; undefined when none is empty. */
export function missingIn(ticked: Entitlements): string | undefined {
  const missing = LISTS.filter((name) => ticked[name].length === 0)
  if (missing.length === 0) return undefined
  const named = new Intl.ListFormat('pt-BR').format(missing.map((name) => LIST_NAMES[name]))
  return `Sem ${named}, a pessoa entra mas não vê relatórios.`
}

interface ValidUntilProps {
  /** Empty for an access without an end; undefined until that is chosen. */
  value: string | undefined
  error?: string | undefined
  onChange: (day: string) => void
}

/** 'Válido até': the last day of an access that ends by itself. */
export function ValidUntil({ value, error, onChange }: ValidUntilProps) {
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
      <TextField
        type="date"
        label="Válido até"
        value={value ?? ''}
        error={error}
        min={saoPauloDay(Date.now())}
        onChange={({ target }) => onChange(target.value)}
        className="w-44"
      />
      {value === '' ? (
        <p className="flex h-11 items-center text-muted text-sm">Sem data, o acesso não termina sozinho.</p>
      ) : (
        <Button variant="ghost" onClick={() => onChange('')} className="h-11 px-3">
          Sem prazo
        </Button>
      )}
    </div>
  )
}

export type EntitlementsKind = 'types' | 'scope' | 'approve'

interface EntitlementsTexts extends EditTexts {
  title: string
  lists: readonly ListName[]
  submit: string
  loadFailed: string
  /** Sent even when nothing differs, so that a newer state is noticed. */
  changeTo: (wanted: Entitlements, validity: { valid_until?: string | null }) => ProfileChange
}

const DIALOGS: Record<EntitlementsKind, EntitlementsTexts> = {
  types: {
    title: 'Gerenciar Tipos de Acesso',
    lists: ['types'],
    submit: 'Salvar',
    loadFailed: adminMessages.typesLoadFailed,
    saved: adminMessages.typesSaved,
    failed: adminMessages.typesFailed,
    changeTo: ({ types }, validity) => ({ types, ...validity }),
  },
  scope: {
    title: 'Gerenciar Marcas e Estados',
    lists: ['marcas', 'estados'],
    submit: 'Salvar',
    loadFailed: adminMessages.scopeLoadFailed,
    saved: adminMessages.scopeSaved,
    failed: adminMessages.scopeFailed,
    changeTo: ({ marcas, estados }, validity) => ({ marcas, estados, ...validity }),
  },
  approve: {
    title: 'Aprovar Usuário',
    lists: ['types', 'marcas', 'estados'],
    submit: 'Aprovar',
    loadFailed: adminMessages.approveFailed,
    saved: adminMessages.approved,
    failed: adminMessages.approveFailed,
    changeTo: (wanted, validity) => ({ approved: true, ...wanted, ...validity }),
  },
}

export type EntitlementsForm = ReturnType<typeof useEntitlementsForm>

/**
 * What is ticked for one person, from reading the person anew to having saved it.
 * @param onSaved told whether whoever saved it wants to go on to the next person
 */
export function useEntitlementsForm(
  kind: EntitlementsKind,
  userId: string,
  onSaved: (goesOn: boolean) => void,
) {
  const texts = DIALOGS[kind]
  const fresh = useQuery(profileQuery(userId))
  const catalogue = useQuery(catalogueQuery)
  const failure = fresh.error ?? catalogue.error
  useFailureToast(failure, texts.loadFailed)
  const edit = useProfileEdit(fresh.data, texts, () => {
    if (ticked) rememberTicks(Object.fromEntries(texts.lists.map((list) => [list, ticked[list]])))
    onSaved(goesOn.current)
  })
  const goesOn = useRef(false)
  const [changed, setTicked] = useState<Entitlements>()
  const [changedEnd, setValidUntil] = useState<string>()
  const [isConfirmed, setIsConfirmed] = useState(false)
  /** The state that the dialog stands on unless the person has ticked something else. */
  const [accepted, setAccepted] = useState<ManagedProfile>()
  const start = accepted ?? fresh.data
  /** What the person has, as far as it can be ticked. */
  const held = start && catalogue.data && entitlementsOf(catalogue.data, start)
  const opening = start && catalogue.data && kind === 'approve' ? openingTicks(catalogue.data, start) : held
  const ticked = changed ?? opening
  const heldEnd = start?.valid_until ?? ''
  // An approval that has ended is given anew without an end.
  const openingEnd = kind === 'approve' && hasPassed(heldEnd, Date.now()) ? '' : heldEnd
  const validUntil = changedEnd ?? openingEnd
  const validityError =
    validUntil !== heldEnd && hasPassed(validUntil, Date.now()) ? adminMessages.dayPassed : undefined

  const goOnFromCurrent = () => {
    setAccepted(edit.acceptCurrent())
    setTicked(undefined)
    setValidUntil(undefined)
  }
  const save = (wantsNext: boolean, from = edit.base) => {
    goesOn.current = wantsNext
    if (!from || !ticked || validityError) return
    const isSaid = kind === 'approve' || validUntil !== heldEnd
    edit.save(texts.changeTo(ticked, isSaid ? { valid_until: validUntil || null } : {}), from)
  }
  return {
    ...edit,
    texts,
    isApproval: kind === 'approve',
    ticked,
    held,
    setTicked,
    validUntil,
    setValidUntil,
    validityError,
    hasChanges:
      validUntil !== openingEnd ||
      (changed !== undefined && opening !== undefined && !isSame(changed, opening)),
    isGone: isGone(fresh.error) || edit.isGone,
    loadFailure: fresh.isFetching || catalogue.isFetching ? undefined : failure?.message,
    reload: () => {
      if (fresh.error) void fresh.refetch()
      if (catalogue.error) void catalogue.refetch()
    },
    save: (wantsNext = false) => save(wantsNext),
    saveAnyway: () => save(goesOn.current, edit.conflict?.current),
    useCurrent: goOnFromCurrent,
    /** Somebody else was quicker, and nothing is left to do here. */
    isApprovedAlready: kind === 'approve' && (edit.conflict?.current ?? start)?.approved === true,
    /** The e-mail has not been verified: that is to be thought of before the approval. */
    mustAsk: kind === 'approve' && edit.base?.email_verified_at === null && !isConfirmed,
    confirmUnverified: () => setIsConfirmed(true),
  }
}
