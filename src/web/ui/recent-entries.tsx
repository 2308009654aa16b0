import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { TrailFilter } from '#contract/audit.ts'
import type { HistoryEntry } from '#contract/audit-actions.ts'
import { describeChange } from '#contract/describe-change.ts'
import { callApi } from '#web/http/api.ts'
import { Sentence } from './alert.tsx'
import { classNames } from './class-names.ts'
import { formatInstant } from './format-instant.ts'
import { NotLoaded } from './not-loaded.tsx'

const SHOWN = 5

interface RecentEntriesProps {
  filter: TrailFilter
  /** The e-mail of the reader, who is called 'Você'. */
  reader: string | undefined
  isNarrow?: boolean
  actions: (entry: Pick<HistoryEntry, 'action' | 'after' | 'undo_id'>) => ReactNode
}

/** The last entries of the trail that match, beside the thing that they changed. */
export function RecentEntries({ filter, ...props }: RecentEntriesProps) {
  const trail = useQuery({
    queryKey: ['audit', 'recent', filter],
    queryFn: ({ signal }) => callApi('GET /api/audit', { query: filter, signal }),
    staleTime: 0,
  })
  const { data } = trail
  if (!data) return <NotLoaded query={trail} failed="O que mudou não pôde ser lido agora." skeleton="h-28" />
  if (data.items.length === 0) return <p className="text-muted text-sm">Nenhuma alteração registrada.</p>
  return <Entries entries={data.items.slice(0, SHOWN)} {...props} />
}

interface EntriesProps extends Omit<RecentEntriesProps, 'filter'> {
  entries: readonly (Omit<HistoryEntry, 'id'> & { id: number | string })[]
}

/** Entries of the trail as sentences, each with its time. */
export function Entries({ entries, reader, isNarrow, actions }: EntriesProps) {
  return (
    <ol aria-label="Alterações, da mais recente para a mais antiga" className="divide-y divide-line text-sm">
      {entries.map((entry) => (
        <li
          key={entry.id}
          className={classNames('grid gap-x-4 gap-y-0.5 py-2.5', !isNarrow && 'sm:grid-cols-[9.5rem_1fr]')}
        >
          <time dateTime={entry.at} className="text-muted tabular-nums">
            {formatInstant(entry.at)}
          </time>
          <span className="min-w-0 break-words">
            <Sentence text={describeChange(entry, reader)} />{' '}
            <span className="inline-flex flex-wrap gap-x-4">{actions(entry)}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}
