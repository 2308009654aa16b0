import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo } from 'react'
import type { ProfileFilter, ProfileSort } from '#contract/users.ts'
import { readAhead } from './read-ahead.ts'
import { orderAfterClick, readUserView, type UserSearch, writeFilter, writeOrder } from './user-view.ts'

/** Starts to read the list that the address asks for, while the role is still being read. */
export function useReadAhead(): void {
  const search = useSearch({ from: '/signed-in/admin' })
  useEffect(() => {
    const { filter, order } = readUserView(search)
    readAhead(filter, order)
  }, [search])
}

/** The table's filter and order, which live in the address, and how to change them. */
export function useUserView() {
  const search = useSearch({ from: '/signed-in/admin' })
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
