import Check from 'lucide-react/icons/check'
import type { TokenState } from './embed/embed-token-store.ts'
import { AreaLabel } from './embed/report-overlay.tsx'

export interface ReportListProps {
  /** The reports of the area, in order. */
  reports: readonly { id: string; name: string; token: TokenState | undefined }[]
  selectedId: string
  onSelect: (id: string) => void
  close: () => void
}

/** The reports of an area by name; a dot marks one that failed. */
export function ReportList({ reports, selectedId, onSelect, close }: ReportListProps) {
  return (
    <ul className="w-72 max-w-full">
      {reports.map(({ id, name, token }) => (
        <li key={id}>
          <button
            type="button"
            aria-current={id === selectedId || undefined}
            onClick={() => {
              close()
              onSelect(id)
            }}
            className="group flex min-h-11 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-subtle aria-current:bg-subtle"
          >
            <Check aria-hidden="true" className="invisible size-4 shrink-0 group-aria-current:visible" />
            <span className="min-w-0 break-words">
              <AreaLabel area={name} token={id === selectedId ? undefined : token} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
