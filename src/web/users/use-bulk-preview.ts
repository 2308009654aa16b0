import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type BulkEdit, userRoutes } from '#contract/users.ts'
import { type ApiError, callApi } from '#web/http/api.ts'
import { isConflict } from './is-conflict.ts'
import { useSettled } from './use-settled.ts'

const SETTLE_MS = 250

/** Takes up what others have done meanwhile; the effect counts as unknown until it is through. */
export type OnConflict = (conflict: ApiError, edit: BulkEdit) => Promise<void>

export type BulkPreview = ReturnType<typeof useBulkPreview>

/**
 * What a bulk edit would do, told live by a dry run on the server.
 * @param edit undefined when there is nothing to do or nobody to do it for
 */
export function useBulkPreview(edit: BulkEdit | undefined, onConflict: OnConflict) {
  const key = edit ? JSON.stringify(edit) : ''
  const settledKey = useSettled(key, SETTLE_MS)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['bulk-edit-preview', settledKey],
    queryFn: ({ signal }) => calculate(JSON.parse(settledKey) as BulkEdit, onConflict, signal),
    enabled: key !== '' && key === settledKey,
    placeholderData: keepPreviousData,
    // What others do meanwhile counts too.
    staleTime: 0,
    gcTime: 0,
  })
  const isCalculating = key !== '' && (isFetching || key !== settledKey)
  return {
    /** The last one that was told; while another is calculated, that of the edit before. */
    effect: key === '' || error ? undefined : data,
    isCalculating,
    failure: key === '' || isCalculating ? undefined : (error ?? undefined),
    recalculate: () => void refetch(),
  }
}

async function calculate(body: BulkEdit, onConflict: OnConflict, signal: AbortSignal) {
  try {
    return await callApi(userRoutes.bulkEdit, { query: { dryRun: 'true' }, body, signal })
  } catch (error) {
    if (isConflict(error)) await onConflict(error, body)
    throw error
  }
}
