import { useEffect, useRef, useState } from 'react'
import { MAX_IDS } from '#contract/user-rules.ts'
import type { ManagedProfile, ProfileFilter } from '#contract/users.ts'
import { showToast } from '#web/ui/toast.tsx'
import type { ProfileOrder, UserList } from './user-queries.ts'

/** People picked one by one, or all who match a filter but for a few. */
export type Selection =
  | { kind: 'some'; profiles: ReadonlyMap<string, ManagedProfile> }
  | {
      kind: 'allMatching'
      filter: ProfileFilter
      except: string[]
      /** How many match the filter, those in `except` included. */
      count: number
    }

/** What a dialog about those selected is given; `onDone` when they have been dealt with, but for those who are `left`. */
export interface SelectionDialogProps {
  selection: Selection
  onClose: () => void
  onDone: (left?: readonly ManagedProfile[]) => void
}

export const NO_SELECTION: Selection = { kind: 'some', profiles: new Map() }

export function selectionSize(selection: Selection): number {
  if (selection.kind === 'some') return selection.profiles.size
  return Math.max(0, selection.count - selection.except.length)
}

export function isSelected(selection: Selection, userId: string): boolean {
  if (selection.kind === 'some') return selection.profiles.has(userId)
  return !selection.except.includes(userId)
}

/**
 * The selection with these people in it, or without them.
 * @returns undefined when one call could not name so many of them (MAX_IDS)
 */
export function withPeople(
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

export function withoutLeavers(selection: Selection, hasLeft: (userId: string) => boolean): Selection {
  if (selection.kind === 'allMatching')
    return { ...selection, except: selection.except.filter((userId) => !hasLeft(userId)) }
  return { kind: 'some', profiles: new Map([...selection.profiles].filter(([userId]) => !hasLeft(userId))) }
}

/**
 * Tells who is not in a list any more now that it has been read anew: whoever was shown before, and of a list read
 * to its end whoever is not in it.
 */
export function findWhoLeft(
  before: readonly ManagedProfile[],
  now: readonly ManagedProfile[],
  isWhole: boolean,
): (userId: string) => boolean {
  const there = new Set(now.map(({ user_id }) => user_id))
  const shown = new Set(before.map(({ user_id }) => user_id))
  return (userId) => !there.has(userId) && (isWhole || shown.has(userId))
}

const TOO_MANY = {
  kind: 'warning',
  title: `No máximo ${MAX_IDS.toLocaleString('pt-BR')} usuários podem ser marcados um a um`,
  description: 'Para mais usuários, restrinja a lista com os filtros e marque todos de uma vez.',
} as const

/**
 * Who is selected. A selection outlives scrolling, sorting and edits, and ends when the filter changes: it would
 * be about people whom the table does not show any more. Whoever leaves the list leaves the selection too.
 */
export function useSelection(filter: ProfileFilter, order: ProfileOrder, list: UserList) {
  // The rows are those of another list while `isOutdated`: nothing can be ticked in them.
  const { profiles, isWhole, isOutdated, totalCount } = list
  const filterKey = JSON.stringify(filter)
  const listKey = JSON.stringify([filter, order])
  const [kept, setKept] = useState({ filterKey, chosen: NO_SELECTION })
  const chosen = kept.filterKey === filterKey ? kept.chosen : NO_SELECTION
  const shown = useRef({ listKey, profiles })
  const anchorId = useRef<string>(undefined)
  useEffect(() => {
    if (isOutdated) return
    // In another order other pages are read: who is not among them may still be in the list.
    const before = shown.current.listKey === listKey ? shown.current.profiles : []
    shown.current = { listKey, profiles }
    const hasLeft = findWhoLeft(before, profiles, isWhole)
    setKept((last) => ({
      filterKey,
      chosen: last.filterKey === filterKey ? withoutLeavers(last.chosen, hasLeft) : NO_SELECTION,
    }))
  }, [filterKey, listKey, profiles, isWhole, isOutdated])
  const selection =
    chosen.kind === 'allMatching' && totalCount !== undefined ? { ...chosen, count: totalCount } : chosen

  const set = (next: Selection) => setKept({ filterKey, chosen: next })
  const toggleAll = (isOn: boolean) => {
    if (isOutdated || !totalCount) return
    set(isOn ? { kind: 'allMatching', filter, except: [], count: totalCount } : NO_SELECTION)
  }
  const toggle = (profile: ManagedProfile, isOn: boolean, isRange: boolean) => {
    if (isOutdated) return
    const next = withPeople(
      selection,
      isRange ? between(profiles, anchorId.current, profile) : [profile],
      isOn,
    )
    anchorId.current = profile.user_id
    if (next) set(next)
    else showToast(TOO_MANY)
  }
  /** Those alone stay selected; of more than can be named all stay, and whoever has gone leaves by themselves. */
  const keep = (people: readonly ManagedProfile[] = []) => {
    const next = withPeople(NO_SELECTION, people, true)
    if (next) set(next)
  }
  return { selection, toggle, toggleAll, keep, clear: () => set(NO_SELECTION) }
}

/** The people from the one pressed last to this one, both included; this one alone where the other is gone. */
function between(shown: readonly ManagedProfile[], anchorId: string | undefined, profile: ManagedProfile) {
  const anchor = shown.findIndex(({ user_id }) => user_id === anchorId)
  const target = shown.indexOf(profile)
  if (anchor === -1 || target === -1) return [profile]
  return shown.slice(Math.min(anchor, target), Math.max(anchor, target) + 1)
}

/** 9873, 'usuário', 'usuários' → '9.873 usuários'. */
export function inWords(count: number, one: string, many: string): string {
  return `${count.toLocaleString('pt-BR')} ${count === 1 ? one : many}`
}

export const usersInWords = (count: number) => inWords(count, 'usuário', 'usuários')

/** How many match: '312 usuários', or with a filter '12 de 312 usuários'. */
export function matchesInWords(
  matching: number,
  unfiltered: number | undefined,
  isFiltered: boolean,
): string {
  if (!isFiltered || unfiltered === undefined) return usersInWords(matching)
  return `${matching.toLocaleString('pt-BR')} de ${usersInWords(unfiltered)}`
}

/** Who is selected: '3 usuários selecionados', 'Todos os 9.873 usuários que correspondem estão selecionados, menos 2'. */
export function selectionInWords(selection: Selection): string {
  if (selection.kind === 'some')
    return inWords(selection.profiles.size, 'usuário selecionado', 'usuários selecionados')
  const { count, except, filter } = selection
  const isFiltered = Object.keys(filter).length > 0
  if (count === 1) return `O único usuário${isFiltered ? ' que corresponde' : ''} está selecionado`
  const all = `Todos os ${usersInWords(count)}${isFiltered ? ' que correspondem' : ''} estão selecionados`
  return except.length > 0 ? `${all}, menos ${except.length.toLocaleString('pt-BR')}` : all
}
