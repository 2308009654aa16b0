import { useCallback, useMemo, useState } from 'react'
import type { BulkEdit } from '#contract/users.ts'
import type { ApiError } from '#web/http/api.ts'
import { goneFrom } from './bulk-edit.ts'
import { type Selection, withoutLeavers } from './selection.ts'

/** Those of the selected people who still exist, as far as the server has told. */
export function usePeopleLeft(chosen: Selection) {
  const [goneIds, setGoneIds] = useState<ReadonlySet<string>>(new Set())
  const selection = useMemo(() => withoutLeavers(chosen, (id) => goneIds.has(id)), [chosen, goneIds])
  /** Leaves out whom a conflict names, and returns whether it names anybody. */
  const leaveOut = useCallback((conflict: ApiError, edit: BulkEdit) => {
    const ids = goneFrom(conflict, edit)
    if (ids.length > 0) setGoneIds((before) => new Set([...before, ...ids]))
    return ids.length > 0
  }, [])
  return { selection, gone: goneIds.size, leaveOut }
}
