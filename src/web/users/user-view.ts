import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { ESTADOS, MARCAS, TYPES } from '#contract/catalogue.ts'
import { PROFILE_SORTS, type ProfileFilter, type ProfileSort } from '#contract/users.ts'
import { type ProfileOrder, readAhead } from './user-queries.ts'

/** What the table shows, as the address of /admin says it. */
export interface UserView {
  filter: ProfileFilter
  order: ProfileOrder
}
/** The parts of the address that belong to the table; undefined takes a part away. */
export type UserSearch = {
  [Name in 'q' | 'status' | 'verified' | 'type' | 'marca' | 'estado' | 'sort' | 'order']?: string | undefined
}

/** SPEC section 9. */
export const DEFAULT_ORDER: ProfileOrder = { sort: 'email', order: 'asc' }

/** Longest search that the server takes. */
export const MOST_SEARCHED = 100

const STATUSES = { approved: true, pending: false } as const
const ANSWERS = { yes: true, no: false } as const

/** Reads the table's part of an address that anybody may have typed; what makes no sense is left out. */
export function readUserView(search: Record<string, unknown>): UserView {
  const approved = flagOf(STATUSES, search.status)
  const verified = flagOf(ANSWERS, search.verified)
  const q = tidySearch(search.q)
  const type = oneOf(TYPES, search.type)
  const marca = oneOf(MARCAS, search.marca)
  const estado = oneOf(ESTADOS, search.estado)
  return {
    filter: {
      ...(q && { q }),
      ...(approved !== undefined && { approved }),
      ...(verified !== undefined && { verified }),
      ...(type && { type }),
      ...(marca && { marca }),
      ...(estado && { estado }),
    },
    order: {
      sort: oneOf(PROFILE_SORTS, search.sort) ?? DEFAULT_ORDER.sort,
      order: search.order === 'desc' ? 'desc' : 'asc',
    },
  }
}

/** A filter as the address says it; what it leaves open is taken out of there. */
export function writeFilter({ q, approved, verified, type, marca, estado }: ProfileFilter): UserSearch {
  return {
    q: q || undefined,
    status: wordOf(STATUSES, approved),
    verified: wordOf(ANSWERS, verified),
    type,
    marca,
    estado,
  }
}

/** An order as the address says it; the default one is not worth a word. */
export function writeOrder({ sort, order }: ProfileOrder): UserSearch {
  return {
    sort: sort === DEFAULT_ORDER.sort ? undefined : sort,
    order: order === DEFAULT_ORDER.order ? undefined : order,
  }
}

/** The order after a click on a column: the same one turns round, another one starts ascending (SPEC section 2). */
export function orderAfterClick(current: ProfileOrder, sort: ProfileOrder['sort']): ProfileOrder {
  return { sort, order: current.sort === sort && current.order === 'asc' ? 'desc' : 'asc' }
}

/**
 * What is searched for when this has been typed; the address gives a number for a search made of digits. Control
 * characters, which no name holds and no database takes, count as blanks.
 */
export function tidySearch(typed: unknown): string {
  if (typeof typed !== 'string' && typeof typed !== 'number') return ''
  return String(typed)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MOST_SEARCHED)
    .trim()
}

function oneOf<T extends string>(values: readonly T[], given: unknown): T | undefined {
  return values.find((value) => value === given)
}

function flagOf(words: Record<string, boolean>, given: unknown): boolean | undefined {
  return typeof given === 'string' && Object.hasOwn(words, given) ? words[given] : undefined
}

function wordOf(words: Record<string, boolean>, flag: boolean | undefined): string | undefined {
  return Object.keys(words).find((word) => words[word] === flag)
}

/** Starts to read the list that the address asks for, while the role is still being read. */
export function readUsersAhead(search: UserSearch): void {
  const { filter, order } = readUserView(search)
  readAhead(filter, order)
}

/** The table's filter and order, which live in the address, and how to change them. */
export function useUserView() {
  const search = useSearch({ from: '/signed-in/administrators/admin' })
  const navigate = useNavigate({ from: '/admin' })
  const { filter, order } = useMemo(() => readUserView(search), [search])

  const go = useCallback(
    (change: UserSearch, replace = false) =>
      void navigate({ to: '/admin', search: (last) => definedOf({ ...last, ...change }), replace }),
    [navigate],
  )
  const setFilter = useCallback(
    (next: ProfileFilter) => {
      const { filter: tidy } = readUserView(writeFilter(next))
      readAhead(tidy, order)
      // Letters of one search are one step back, not many.
      const isTyping = Boolean(filter.q && next.q && filter.q !== next.q)
      go(writeFilter(next), isTyping)
    },
    [go, filter.q, order],
  )
  const sortBy = useCallback(
    (sort: ProfileSort) => {
      const next = orderAfterClick(order, sort)
      readAhead(filter, next)
      go(writeOrder(next))
    },
    [go, filter, order],
  )
  return { filter, order, setFilter, sortBy }
}

function definedOf(search: UserSearch): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter((part): part is [string, string] => part[1] !== undefined),
  )
}
