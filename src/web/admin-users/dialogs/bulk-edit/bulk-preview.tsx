import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type BulkEdit, profileRoutes } from '#contract/profiles.ts'
import { describePreview } from '#web/admin-users/changes/bulk-edit.ts'
import { isConflict } from '#web/admin-users/changes/is-conflict.ts'
import { callApi } from '#web/api.ts'
import { classNames } from '#web/ui/class-names.ts'
import { useSettled } from './use-settled.ts'

const SETTLE_MS = 250

/** Says live what a bulk edit would do, by a dry run on the server. */
export function BulkPreview({ edit, isEmpty }: { edit: BulkEdit; isEmpty: boolean }) {
  const key = JSON.stringify(edit)
  const settledKey = useSettled(key, SETTLE_MS)
  const settled = useMemo((): BulkEdit => JSON.parse(settledKey), [settledKey])
  const { data, error, isFetching } = useQuery({
    queryKey: ['bulk-edit-preview', settledKey],
    queryFn: ({ signal }) =>
      callApi(profileRoutes.bulkEdit, { query: { dryRun: 'true' }, body: settled, signal }),
    enabled: !isEmpty && key === settledKey,
    placeholderData: keepPreviousData,
    // What others do meanwhile counts too.
    staleTime: 0,
    gcTime: 0,
  })
  const isOld = isFetching || key !== settledKey
  return (
    <div className="rounded-lg bg-subtle px-3 py-2.5 text-sm">
      <p role="status" className={classNames('min-h-5 tabular-nums', isOld && !isEmpty && 'text-muted')}>
        {isEmpty ? 'Marque o que deve mudar para ver o efeito antes de salvar.' : sentenceOf(data, error)}
      </p>
    </div>
  )
}

function sentenceOf(data: Parameters<typeof describePreview>[0] | undefined, error: Error | null): string {
  if (error) return isConflict(error) ? error.message : `Não foi possível calcular o efeito. ${error.message}`
  return data ? describePreview(data) : 'Calculando o efeito…'
}
