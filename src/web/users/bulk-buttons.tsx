import { Button } from '#web/ui/button.tsx'

interface BulkButtonsProps {
  count: number
  onEdit: () => void
  onDelete: () => void
  /** They share a line, whose halves may be narrower than their words. */
  isNarrow: boolean
  className?: string
}

const numbers = new Intl.NumberFormat('pt-BR')
const wrapped = { whiteSpace: 'normal' } as const

/** What can be done with everybody selected (SPEC section 2). */
export function BulkButtons({ count, onEdit, onDelete, isNarrow, className }: BulkButtonsProps) {
  const shown = numbers.format(count)
  const look = isNarrow
    ? { style: wrapped, className: 'h-11 px-2 text-balance leading-tight' }
    : { className: 'h-9 px-3' }
  return (
    <div className={className}>
      <Button variant="secondary" disabled={count === 0} onClick={onEdit} {...look}>
        Alterar Filtros em Massa ({shown})
      </Button>
      <Button
        variant={count === 0 ? 'secondary' : 'danger'}
        disabled={count === 0}
        onClick={onDelete}
        {...look}
      >
        Excluir Selecionados ({shown})
      </Button>
    </div>
  )
}
