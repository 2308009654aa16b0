import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type Ref, type RefObject, useEffect, useRef, useState } from 'react'
import type { AccessTemplate } from '#contract/access-templates.ts'
import type { Catalogue } from '#contract/catalogue.ts'
import { LISTS, type ListName } from '#contract/entitlement-lists.ts'
import type { ProfileFilter } from '#contract/users.ts'
import { listChoices, useCatalogue } from '#web/http/catalogue-query.ts'
import { Button } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { Picker } from '#web/ui/picker.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { accessTemplatesQuery } from './access-templates.ts'
import { FiltersButton } from './filters-button.tsx'
import { type FilterOption, screenFilters } from './user-view.ts'

interface UsersToolbarProps {
  ref: Ref<HTMLDivElement>
  filter: ProfileFilter
  onFilter: (filter: ProfileFilter) => void
  /** At the end of the line of the search. */
  actions: ReactNode
  /** The line below: match count, selection and bulk actions. */
  children: ReactNode
}

/** The bar above the table: search, the picked filters, all of them on request, and the summary line. */
export function UsersToolbar({ ref, filter, onFilter, actions, children }: UsersToolbarProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { q = '', ...others } = filter
  return (
    <div
      ref={ref}
      // Not sticky in a low window (a phone in landscape), where it would leave no room for rows.
      className="sticky top-0 z-5 space-y-1.5 rounded-t-xl bg-surface px-4 pt-3 pb-1.5 sm:px-6 [@media(max-height:36rem)]:static"
    >
      <div className="flex flex-wrap gap-2">
        <SearchBox value={q} onSearch={(typed) => onFilter({ ...others, ...(typed && { q: typed }) })} />
        <FiltersButton
          count={Object.keys(others).length}
          isOpen={isOpen}
          onToggle={() => setIsOpen(!isOpen)}
        />
        {actions && (
          <div className={classNames('ml-auto flex gap-2', !isOpen && 'order-last')}>{actions}</div>
        )}
        <div
          id="filtros"
          className={classNames(
            isOpen
              ? 'grid basis-full grid-cols-2 gap-2 sm:grid-cols-3 xl:flex xl:flex-wrap'
              : 'hidden xl:contents',
          )}
        >
          <Filters filter={filter} onFilter={onFilter} onlyPicked={!isOpen} />
        </div>
      </div>
      {children}
    </div>
  )
}

/** At most one search within it; a reply may take longer. */
const SEARCH_PAUSE_MS = 40

/** Searches by name or e-mail; '/' focuses it. */
function SearchBox(props: { value: string; onSearch: (q: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  useSlashShortcut(input)
  return (
    <search className="min-w-0 flex-1 xl:min-w-64 xl:max-w-80">
      <SearchField
        {...props}
        ref={input}
        throttleMs={SEARCH_PAUSE_MS}
        aria-label="Buscar por nome ou e-mail"
        aria-keyshortcuts="/"
        // Shorter than the label: a phone has no room for more.
        placeholder="Nome ou e-mail"
      />
    </search>
  )
}

const TEXT_INPUTS = 'textarea, select, input:not([type="checkbox"], [type="radio"]), [contenteditable]'

function useSlashShortcut(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTaken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
      const isTyping = (event.target as HTMLElement).closest?.(TEXT_INPUTS) != null
      if (event.key !== '/' || isTaken || isTyping || document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [input])
}

type Options = readonly Pick<FilterOption<string | boolean>, 'value' | 'label' | 'buttonLabel'>[]

function toTemplateOptions(templates: readonly AccessTemplate[], chosen: string | undefined): Options {
  const options = templates.map(({ id, name }) => ({ value: id, label: name }))
  return !chosen || templates.some(({ id }) => id === chosen)
    ? options
    : [...options, { value: chosen, label: 'Modelo excluído' }]
}

const WHOLE_LISTS: Record<ListName, string> = {
  types: 'todas as áreas',
  marcas: 'todas as marcas',
  estados: 'todos os estados',
}

/** Whole lists, and the one without an item that the address names; none unless links have led there. */
function toWholeLists(catalogue: Catalogue, chosen = ''): Options {
  if (!chosen) return []
  const options = LISTS.map((list) => ({ value: list as string, label: WHOLE_LISTS[list] }))
  const [list = '', code] = chosen.split(':')
  if (!code) return options
  const label = catalogue[list as ListName].find((item) => item.code === code)?.label ?? code
  return [...options, { value: chosen, label: `${WHOLE_LISTS[list as ListName]} menos ${label}` }]
}

const pickers = screenFilters.flatMap(({ name, picker }) => (picker ? [{ name, ...picker }] : []))

interface FiltersProps extends Pick<UsersToolbarProps, 'filter' | 'onFilter'> {
  onlyPicked: boolean
}

/** The filters besides the search, each a picker with its options. */
function Filters({ filter, onFilter, onlyPicked }: FiltersProps) {
  const isUnfiltered = Object.keys(filter).length === 0
  const catalogue = useCatalogue()
  const { data: templates = [] } = useQuery(accessTemplatesQuery)
  const getOptions = (options: (typeof pickers)[number]['options']): Options => {
    if (options === 'templates') return toTemplateOptions(templates, filter.template)
    if (options === 'wholeLists') return toWholeLists(catalogue, filter.allOf)
    return typeof options === 'string' ? listChoices(catalogue, options) : options
  }
  return (
    <>
      {pickers.map(({ name, options, ...rest }) => {
        const choices = getOptions(options)
        // Without templates, and without a link to a whole list.
        if (typeof options === 'string' && choices.length === 0) return null
        if (onlyPicked && filter[name] === undefined) return null
        return (
          <Picker
            key={name}
            {...rest}
            every="qualquer"
            options={choices}
            value={filter[name]}
            onPick={(value) => onFilter({ ...filter, [name]: value })}
          />
        )
      })}
      {!isUnfiltered && (
        <Button variant="ghost" onClick={() => onFilter({})} className="px-3 max-sm:h-11">
          Limpar filtros
        </Button>
      )}
    </>
  )
}
