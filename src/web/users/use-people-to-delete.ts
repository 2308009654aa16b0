import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ManagedProfile } from '#contract/users.ts'
import { queryClient } from '#web/http/query-client.ts'
import { readSelected } from './delete-users.ts'
import { type Selection, selectionSize } from './selection.ts'

/** As many people as the dialog names; the rest is a number. */
const MOST_NAMES = 10

/**
 * Whom a deletion is about: everybody who was selected when the dialog opened, read once. What stands in a dialog
 * must not change under the hand.
 */
export function usePeopleToDelete(selection: Selection) {
  const [opened] = useState(selection)
  const [first, setFirst] = useState<readonly ManagedProfile[]>()
  const queryKey = ['people-to-delete', useId()]
  const { data, error, isFetching, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      readSelected(opened, { onPage: (found) => setFirst(found.slice(0, MOST_NAMES)), signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  })
  return {
    /** Undefined until everybody has been read. */
    people: data,
    /** The first of them by e-mail; undefined until a page has been read. */
    named: data?.slice(0, MOST_NAMES) ?? first,
    count: data?.length ?? selectionSize(opened),
    failure: isFetching ? undefined : error?.message,
    retry: () => void refetch(),
    /** Those who are selected by now. */
    readAgain: () => readSelected(opened),
    /** From now on the deletion is about these. */
    replace: (people: ManagedProfile[]) => queryClient.setQueryData(queryKey, people),
  }
}
