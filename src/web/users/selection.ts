import { MAX_IDS, type ManagedProfile, type ProfileFilter } from '#contract/users.ts'

/** People picked one by one, or everybody who matches a filter but for a few. */
export type Selection =
  | { kind: 'some'; userIds: string[]; profiles: Map<string, ManagedProfile> }
  | {
      kind: 'allMatching'
      filter: ProfileFilter
      except: string[]
      /** How many match the filter, those in `except` included. */
      count: number
    }

export const NO_SELECTION: Selection = { kind: 'some', userIds: [], profiles: new Map() }

/** How many people are selected. */
export function selectionSize(selection: Selection): number {
  if (selection.kind === 'some') return selection.userIds.length
  return Math.max(0, selection.count - selection.except.length)
}

/** Whether a person whom the list shows is selected. */
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
  return profiles.size > MAX_IDS ? undefined : { kind: 'some', userIds: [...profiles.keys()], profiles }
}

/** The selection without those who have left the list; the very same one when it names none of them. */
export function withoutLeavers(selection: Selection, hasLeft: (userId: string) => boolean): Selection {
  const named = selection.kind === 'some' ? selection.userIds : selection.except
  const rest = named.filter((userId) => !hasLeft(userId))
  if (rest.length === named.length) return selection
  if (selection.kind === 'allMatching') return { ...selection, except: rest }
  const profiles = new Map([...selection.profiles].filter(([userId]) => !hasLeft(userId)))
  return { kind: 'some', userIds: rest, profiles }
}

const numbers = new Intl.NumberFormat('pt-BR')

/** 9873 → '9.873 usuários'. */
export function usersInWords(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? 'usuário' : 'usuários'}`
}

/** How many match: '312 usuários', or with a filter '12 de 312 usuários'. */
export function matchesInWords(
  matching: number,
  unfiltered: number | undefined,
  isFiltered: boolean,
): string {
  if (!isFiltered || unfiltered === undefined) return usersInWords(matching)
  return `${numbers.format(matching)} de ${usersInWords(unfiltered)}`
}

/** Who is selected: '3 usuários selecionados', 'Todos os 9.873 usuários que correspondem estão selecionados, menos 2'. */
export function selectionInWords(selection: Selection): string {
  if (selection.kind === 'some') {
    const count = selectionSize(selection)
    return `${usersInWords(count)} ${count === 1 ? 'selecionado' : 'selecionados'}`
  }
  const { count, except, filter } = selection
  const isFiltered = Object.keys(filter).length > 0
  if (count === 1) return `O único usuário${isFiltered ? ' que corresponde' : ''} está selecionado`
  const all = `Todos os ${usersInWords(count)}${isFiltered ? ' que correspondem' : ''} estão selecionados`
  return except.length > 0 ? `${all}, menos ${numbers.format(except.length)}` : all
}
