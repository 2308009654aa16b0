import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import { Button } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'

interface FiltersButtonProps {
  /** How many filters are set. */
  count: number
  isOpen: boolean
  onToggle: () => void
  className?: string
}

/** Shows and hides the element of the id 'filtros', which a narrow window has no room for. */
export function FiltersButton({ count, isOpen, onToggle, className }: FiltersButtonProps) {
  return (
    <Button
      variant="secondary"
      aria-expanded={isOpen}
      aria-controls="filtros"
      onClick={onToggle}
      className={classNames('px-3 max-sm:h-11', className)}
    >
      <SlidersHorizontal aria-hidden="true" className="size-4" />
      Filtros{count > 0 && ` (${count})`}
    </Button>
  )
}
