import { textLinkClasses } from '#web/ui/text-link.ts'
import { matchesInWords, selectionInWords } from './count-words.ts'
import { type Selection, selectionSize } from './selection.ts'
import type { useProfileList } from './use-profile-list.ts'

interface TableWordsProps {
  list: ReturnType<typeof useProfileList>
  isFiltered: boolean
  selection: Selection
  onClear: () => void
}

/** How many match and who is selected, in words, read out when it changes. */
export function TableWords({ list, isFiltered, selection, onClear }: TableWordsProps) {
  const { total, everybody } = list
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
      {/* Where the people themselves could not be read, that is said below. */}
      {list.isCountBroken && !list.hasFailed && <CountFailure {...list} />}
    </div>
  )
}

type CountFailureProps = Pick<TableWordsProps['list'], 'isCounting' | 'retryCount'>

function CountFailure({ isCounting, retryCount }: CountFailureProps) {
  return (
    <p className="flex flex-wrap gap-x-3 text-danger">
      Os usuários não puderam ser contados.
      <button
        type="button"
        aria-disabled={isCounting}
        onClick={() => !isCounting && retryCount()}
        className={textLinkClasses}
      >
        {isCounting ? 'Tentando novamente…' : 'Tentar novamente'}
      </button>
    </p>
  )
}
