import { Button } from '#web/ui/button.tsx'

interface BulkButtonsProps {
  count: number
  onEdit: () => void
  onDelete: () => void
  className?: string
}

const numbers = new Intl.NumberFormat('pt-BR')

/** What can be done with everybody selected (SPEC section 2). */
export function BulkButtons({ count, onEdit, onDelete, className }: BulkButtonsProps) {
  const shown = numbers.format(count)
  return (
    <div className={className}>
      <Button variant="secondary" disabled={count === 0} onClick={onEdit} className="h-9 px-3">
        Alterar Filtros em Massa ({shown})
      </Button>
      <Button
        variant={count === 0 ? 'secondary' : 'danger'}
        disabled={count === 0}
        onClick={onDelete}
        className="h-9 px-3"
      >
        Excluir Selecionados ({shown})
      </Button>
    </div>
  )
}
