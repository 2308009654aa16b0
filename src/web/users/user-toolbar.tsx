import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import { type ReactNode, type Ref, useState } from 'react'
import type { ProfileFilter } from '#contract/users.ts'
import { Button } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { Filters } from './filters.tsx'
import { SearchBox } from './search-box.tsx'

interface UserToolbarProps {
  ref: Ref<HTMLDivElement>
  /** Whether it stays in sight while the rows scroll. */
  isSticky: boolean
  filter: ProfileFilter
  onFilter: (filter: ProfileFilter) => void
  /** The line below: what is shown, and what can be done with it. */
  children: ReactNode
}

/** The bar above the table: search, filters (on a narrow window behind a button), and the line below. */
export function UserToolbar({ ref, isSticky, filter, onFilter, children }: UserToolbarProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { q = '', ...others } = filter
  const active = Object.keys(others).length
  return (
    <div
      ref={ref}
      className={classNames(
        isSticky && 'sticky top-0',
        'z-5 space-y-1.5 rounded-t-xl bg-surface px-4 pt-3 pb-1.5 sm:px-6 xl:px-4',
      )}
    >
      <div className="flex gap-2">
        <SearchBox value={q} onSearch={(typed) => onFilter({ ...others, ...(typed && { q: typed }) })} />
        <Button
          variant="secondary"
          aria-expanded={isOpen}
          aria-controls="filtros"
          onClick={() => setIsOpen(!isOpen)}
          className="px-3 xl:hidden"
        >
          <SlidersHorizontal aria-hidden="true" className="size-4" />
          Filtros{active > 0 && ` (${active})`}
        </Button>
        <div className="hidden gap-2 xl:flex">
          <Filters filter={filter} onChange={onFilter} />
        </div>
      </div>
      <div
        id="filtros"
        className={classNames('grid-cols-2 gap-2 sm:grid-cols-3 xl:hidden', isOpen ? 'grid' : 'hidden')}
      >
        {isOpen && <Filters filter={filter} onChange={onFilter} />}
      </div>
      {children}
    </div>
  )
}
