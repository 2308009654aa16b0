import { useEffect, useRef, useState } from 'react'
import { MAX_IDS } from '#contract/user-rules.ts'
import type { ManagedProfile, ProfileFilter } from '#contract/users.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { ProfileOrder, UserList } from './user-queries.ts'
import { describeFilters } from './user-view.ts'

/** Individually picked people, or all who match a filter with exceptions. */
export type Selection =
  | { kind: 'some'; profiles: ReadonlyMap<string, ManagedProfile> }
  | {
      kind: 'allMatching'
      filter: ProfileFilter
      except: string[]
      /** The number of people who match the filter, including those in `except`. */
      count: number
    }

/** Props of dialogs that process the selection; `onDone` receives the people `left` unprocessed. */
export interface SelectionDialogProps {
  selection: Selection
  onClose: () => void
  onDone: (left?: readonly ManagedProfile[]) => void
}

export const NO_SELECTION: Selection = { kind: 'some', profiles: new Map() }

export function countSelected(selection: Selection): number {
  if (selection.kind === 'some') return selection.profiles.size
  return Math.max(0, selection.count - selection.except.length)
}

export function isSelected(selection: Selection, userId: string): boolean {
  if (selection.kind === 'some') return selection.profiles.has(userId)
  return !selection.except.includes(userId)
}

/**
 * Adds people to the selection or removes them.
 * @returns undefined when they exceed the limit of one request (MAX_IDS)
 */
export function togglePeople(
  selection: Selection,
  people: readonly ManagedProfile[],
  isOn: boolean,
): Selection | undefined {
  if (selection.kind === 'allMatching') {
    const except = new Set(selection.except)
    for (const { user_id } of people) isOn ? except.delete(user_id) : except.add(user_id)
    if (except.size >= selection.count) return NO_SELECTION
    return except.size > MAX_IDS ? undefined : { ...selection, except: [...except] }
  }
  const profiles = new Map(selection.profiles)
  for (const profile of people)
    isOn ? profiles.set(profile.user_id, profile) : profiles.delete(profile.user_id)
  return profiles.size > MAX_IDS ? undefined : { kind: 'some', profiles }
}

export function deselectMissing(selection: Selection, isMissing: (userId: string) => boolean): Selection {
  if (selection.kind === 'allMatching')
    return { ...selection, except: selection.except.filter((userId) => !isMissing(userId)) }
  return { kind: 'some', profiles: new Map([...selection.profiles].filter(([userId]) => !isMissing(userId))) }
}

/**
 * Returns a predicate for people who have left a refetched list: shown before and missing now.
 * In a complete list everyone missing has left, shown before or not.
 */
export function findMissing(
  before: readonly ManagedProfile[],
  now: readonly ManagedProfile[],
  isComplete: boolean,
): (userId: string) => boolean {
  const there = new Set(now.map(({ user_id }) => user_id))
  const shown = new Set(before.map(({ user_id }) => user_id))
  return (userId) => !there.has(userId) && (isComplete || shown.has(userId))
}

const TOO_MANY = {
  kind: 'warning',
  title: `No máximo ${MAX_IDS.toLocaleString('pt-BR')} usuários podem ser marcados um a um`,
  description: 'Para mais usuários, restrinja a lista com os filtros e marque todos de uma vez.',
} as const

/**
 * Holds the selection, which survives scrolling, sorting and edits. It is cleared when the filter
 * changes, as it would cover people not shown; people who leave the list are deselected.
 */
export function useSelection(filter: ProfileFilter, order: ProfileOrder, list: UserList) {
  // While `isOutdated` the rows belong to the previous list, so none can be ticked.
  const { profiles, isComplete, isOutdated, totalCount } = list
  const filterKey = JSON.stringify(filter)
  const listKey = JSON.stringify([filter, order])
  const [kept, setKept] = useState({ filterKey, chosen: NO_SELECTION })
  const chosen = kept.filterKey === filterKey ? kept.chosen : NO_SELECTION
  const shown = useRef({ listKey, profiles })
  const anchorId = useRef<string>(undefined)
  useEffect(() => {
    if (isOutdated) return
    // Another order loads other pages, so people missing from them may still be in the list.
    const before = shown.current.listKey === listKey ? shown.current.profiles : []
    shown.current = { listKey, profiles }
    const isMissing = findMissing(before, profiles, isComplete)
    setKept((last) => ({
      filterKey,
      chosen: last.filterKey === filterKey ? deselectMissing(last.chosen, isMissing) : NO_SELECTION,
    }))
  }, [filterKey, listKey, profiles, isComplete, isOutdated])
  const selection =
    chosen.kind === 'allMatching' && totalCount !== undefined ? { ...chosen, count: totalCount } : chosen

  const set = (next: Selection) => setKept({ filterKey, chosen: next })
  const toggleAll = (isOn: boolean) => {
    if (isOutdated || !totalCount) return
    set(isOn ? { kind: 'allMatching', filter, except: [], count: totalCount } : NO_SELECTION)
  }
  const toggle = (profile: ManagedProfile, isOn: boolean, isRange: boolean) => {
    if (isOutdated) return
    const next = togglePeople(
      selection,
      isRange ? sliceRange(profiles, anchorId.current, profile) : [profile],
      isOn,
    )
    anchorId.current = profile.user_id
    if (next) set(next)
    else showToast(TOO_MANY)
  }
  /** Selects only these people; beyond MAX_IDS keeps the selection, and deleted people drop out later. */
  const keepOnly = (people: readonly ManagedProfile[] = []) => {
    const next = togglePeople(NO_SELECTION, people, true)
    if (next) set(next)
  }
  return { selection, toggle, toggleAll, keepOnly, clear: () => set(NO_SELECTION) }
}

/** Returns the rows from the anchor to this one, inclusive; this one alone without an anchor. */
function sliceRange(shown: readonly ManagedProfile[], anchorId: string | undefined, profile: ManagedProfile) {
  const anchor = shown.findIndex(({ user_id }) => user_id === anchorId)
  const target = shown.indexOf(profile)
  if (anchor === -1 || target === -1) return [profile]
  return shown.slice(Math.min(anchor, target), Math.max(anchor, target) + 1)
}

/** Formats a count with its noun: '9.873 usuários'. */
export function formatCount(count: number, one: string, many: string): string {
  return `${count.toLocaleString('pt-BR')} ${count === 1 ? one : many}`
}

export const formatUserCount = (count: number) => formatCount(count, 'usuário', 'usuários')

/** Formats the match count: '312 usuários', or with a filter '12 de 312 usuários'. */
export function formatMatches(matching: number, unfiltered: number | undefined, isFiltered: boolean): string {
  if (!isFiltered || unfiltered === undefined) return formatUserCount(matching)
  return `${matching.toLocaleString('pt-BR')} de ${formatUserCount(unfiltered)}`
}

/** Describes the selection: 'Todos os 9.873 usuários que correspondem estão selecionados, menos 2'. */
export function describeSelection(selection: Selection): string {
  if (selection.kind === 'some')
    return formatCount(selection.profiles.size, 'usuário selecionado', 'usuários selecionados')
  const { count, except, filter } = selection
  const isFiltered = Object.keys(filter).length > 0
  if (count === 1) return `O único usuário${isFiltered ? ' que corresponde' : ''} está selecionado`
  const all = `Todos os ${formatUserCount(count)}${isFiltered ? ' que correspondem' : ''} estão selecionados`
  return except.length > 0 ? `${all}, menos ${except.length.toLocaleString('pt-BR')}` : all
}

/** '2 usuários selecionados: a@x, b@x.' */
export function nameSelection(selection: Selection): string {
  const names = selection.kind === 'some' && [...selection.profiles.values()].map(({ email }) => email)
  const named = names && names.length > 0 ? `: ${formatNames(names)}` : ''
  return `${describeSelection(selection)}${named}. ${describeFilter(selection)}`.trim()
}

/** Says by which filter all were chosen; '' for those who were ticked one by one. */
export function describeFilter(selection: Selection): string {
  if (selection.kind === 'some') return ''
  const named = describeFilters(selection.filter)
  return named ? `Escolhidos pelo filtro: ${named}.` : 'Escolhidos sem filtro.'
}

const MAX_NAMED = 3

/** Joins the first names and counts the rest: 'a@x, b@x, c@x e mais 2'. */
export function formatNames(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` e mais ${rest.toLocaleString('pt-BR')}` : '')
}
