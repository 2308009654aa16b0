import { matchesInWords, selectionInWords } from '#web/admin-users/count-words.ts'
import { type Selection, selectionSize } from '#web/admin-users/selection.ts'
import { textLinkClasses } from '#web/ui/text-link.ts'

interface TableWordsProps {
  total: number | undefined
  everybody: number | undefined
  isFiltered: boolean
  selection: Selection
  onClear: () => void
}

/** How many match and who is selected, in words, read out when it changes. */
export function TableWords({ total, everybody, isFiltered, selection, onClear }: TableWordsProps) {
  const isAnySelected = selectionSize(selection) > 0
  return (
    <div className="flex min-h-9 min-w-0 flex-wrap items-center gap-x-3 text-sm">
      <p role="status" className="text-muted">
        {total !== undefined && matchesInWords(total, everybody, isFiltered)}
        {isAnySelected && <strong className="font-medium text-ink"> · {selectionInWords(selection)}</strong>}
      </p>
      {isAnySelected && (
        <button type="button" onClick={onClear} className={textLinkClasses}>
          Limpar seleção
        </button>
      )}
    </div>
  )
}
