import { useCallback, useMemo, useRef, useState } from 'react'
import { inOrder } from '#contract/catalogue.ts'
import { MAX_IDS, type ManagedProfile, type ProfileFilter, type ProfileSort } from '#contract/users.ts'
import { showToast } from '#web/ui/toast.tsx'
import { NO_SELECTION, type Selection, selectionSize, withoutLeavers, withPeople } from './selection.ts'
import type { ProfileOrder, UserList } from './user-queries.ts'

/**
 * Who is selected. A selection outlives scrolling, sorting and edits, and ends when the filter changes: it would
 * be about people whom the table does not show any more. Whoever leaves the list leaves the selection too.
 */
export function useSelection(filter: ProfileFilter, order: ProfileOrder, list: UserList) {
  const { profiles, isOutdated, totalCount } = list
  const [chosen, set] = useKeptSelection(filter, order, list)
  const selection = useMemo(() => withCount(chosen, totalCount), [chosen, totalCount])
  const latest = useRef({ selection, profiles, isOutdated })
  latest.current = { selection, profiles, isOutdated }
  const anchorId = useRef<string>(undefined)

  const clear = useCallback(() => set(NO_SELECTION), [set])
  const toggleAll = (isOn: boolean) => {
    if (isOutdated || !totalCount) return
    set(isOn ? { kind: 'allMatching', filter, except: [], count: totalCount } : NO_SELECTION)
  }
  const toggle = useCallback(
    (profile: ManagedProfile, isOn: boolean, isRange: boolean) => {
      const { selection: current, profiles: shown, isOutdated: isTooEarly } = latest.current
      // The rows are still those of another list, in which the next one may not find the person.
      if (isTooEarly) return
      const people = isRange ? between(shown, anchorId.current, profile) : [profile]
      anchorId.current = profile.user_id
      const next = withPeople(current, people, isOn)
      if (next) set(next)
      else showToast({ kind: 'warning', title: TOO_MANY, description: TOO_MANY_ADVICE })
    },
    [set],
  )
  return { selection, toggle, toggleAll, clear }
}

/** The selection as it was made, for as long as the filter stays, and without those who have left since. */
function useKeptSelection(filter: ProfileFilter, order: ProfileOrder, list: UserList) {
  const { profiles, isWhole, isOutdated } = list
  const filterKey = JSON.stringify(filter)
  const orderKey = `${order.sort} ${order.order}`
  const [kept, setKept] = useState({ ...NOTHING_KEPT, filterKey })
  const { selection, seen } = kept
  const isNews = seen.profiles !== profiles || seen.isWhole !== isWhole || seen.orderKey !== orderKey
  if (kept.filterKey !== filterKey) setKept({ ...NOTHING_KEPT, filterKey })
  else if (isNews && !isOutdated) {
    const before = seen.orderKey === orderKey ? seen.profiles : []
    const next =
      selectionSize(selection) === 0
        ? selection
        : withoutLeavers(selection, findWhoLeft(before, list, filter, order.sort))
    setKept({ filterKey, selection: next, seen: { profiles, isWhole, orderKey } })
  }
  const set = useCallback((next: Selection) => setKept((last) => ({ ...last, selection: next })), [])
  return [selection, set] as const
}

const NOTHING_SEEN: Reading & { orderKey: string } = { profiles: [], isWhole: false, orderKey: '' }
const NOTHING_KEPT = { selection: NO_SELECTION, seen: NOTHING_SEEN }

const TOO_MANY = `No máximo ${MAX_IDS.toLocaleString('pt-BR')} usuários podem ser marcados um a um`
const TOO_MANY_ADVICE = 'Para mais usuários, restrinja a lista com os filtros e marque todos de uma vez.'

/** Everybody who matches are as many as the list says now. */
function withCount(selection: Selection, totalCount: number | undefined): Selection {
  if (selection.kind === 'some' || totalCount === undefined) return selection
  return totalCount === selection.count ? selection : { ...selection, count: totalCount }
}

/** The people from the one pressed last to this one, both included; this one alone where the other is gone. */
function between(
  shown: readonly ManagedProfile[],
  anchorId: string | undefined,
  profile: ManagedProfile,
): readonly ManagedProfile[] {
  const anchor = shown.findIndex(({ user_id }) => user_id === anchorId)
  const target = shown.findIndex(({ user_id }) => user_id === profile.user_id)
  if (anchor === -1 || target === -1) return [profile]
  return shown.slice(Math.min(anchor, target), Math.max(anchor, target) + 1)
}

/** What the table has read of its list. */
export interface Reading {
  profiles: readonly ManagedProfile[]
  /** To its end, and lately. */
  isWhole: boolean
}

/** In these orders nobody passes anybody; in the others a change moves a person, who may not be read again yet. */
const STEADY: readonly ProfileSort[] = ['email', 'full_name', 'created_at']

/**
 * Tells who is not in a list any more now that it has been read anew. Rows that have not been read yet are not gone:
 * of a list read in part they are those who do not match as they were seen last, and those who stood before
 * somebody who is still there.
 * @param before the people of the same list and order when they were read last, with what was changed since
 */
export function findWhoLeft(
  before: readonly ManagedProfile[],
  { profiles, isWhole }: Reading,
  filter: ProfileFilter,
  sort: ProfileSort,
): (userId: string) => boolean {
  const there = new Set(profiles.map(({ user_id }) => user_id))
  if (isWhole) return (userId) => !there.has(userId)
  const passed = STEADY.includes(sort) ? before.findLastIndex(({ user_id }) => there.has(user_id)) : -1
  const gone = before.filter(
    (profile, index) => !there.has(profile.user_id) && (index < passed || !mayMatch(profile, filter)),
  )
  const left = new Set(gone.map(({ user_id }) => user_id))
  return (userId) => left.has(userId)
}

/** The search aside, which looks at what nobody changes: names and e-mails. */
function mayMatch(
  profile: ManagedProfile,
  { approved, verified, type, marca, estado }: ProfileFilter,
): boolean {
  return (
    (approved ?? profile.approved) === profile.approved &&
    (verified ?? profile.email_verified_at !== null) === (profile.email_verified_at !== null) &&
    (!type || inOrder('types', profile.types).includes(type)) &&
    (!marca || profile.marcas.includes(marca)) &&
    (!estado || profile.estados.includes(estado))
  )
}
