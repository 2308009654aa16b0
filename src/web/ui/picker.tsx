import Check from 'lucide-react/icons/check'
import ChevronDown from 'lucide-react/icons/chevron-down'
import { useId, useRef, useState } from 'react'
import { fold } from '#contract/held-lists.ts'
import { classNames } from './class-names.ts'
import { Popup, partClasses } from './menu.tsx'

/** Fewer options are seen at once, and are not searched. */
const MIN_SEARCHED = 9

interface PickerProps<V> {
  /** What is picked: 'Marca'. */
  title: string
  /** What it says while nothing is picked: 'todas'. */
  every: string
  /** `said`: how the button says it, where that differs from the list. */
  options: readonly { value: V; label: string; said?: string }[]
  value: V | undefined
  onPick: (value: V | undefined) => void
}

/** A button that says what is picked ('Marca: FIAT') and opens the list, which is searched where it is long. */
export function Picker<V extends string | boolean>({ title, every, options, value, onPick }: PickerProps<V>) {
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const picked = options.find((option) => option.value === value)
  const says = `${title}: ${picked ? (picked.said ?? picked.label) : every}`
  const close = () => setIsOpen(false)
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={`Filtrar por ${says}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
        className={classNames(
          'flex h-10 min-w-0 items-center gap-1.5 rounded-lg border bg-surface pr-2 pl-3 text-sm transition-colors hover:bg-subtle focus-visible:outline-offset-0 aria-expanded:bg-subtle xl:max-w-44',
          picked ? 'border-brand-strong font-medium text-ink' : 'border-line-strong/50 text-muted',
        )}
      >
        <span className="min-w-0 flex-1 truncate text-left">{says}</span>
        <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
      </button>
      {isOpen && (
        <Popup anchor={button} id={id} role="dialog" label={title} align="start" onClose={close}>
          <Options
            {...{ title, every, options, value }}
            onPick={(next) => {
              close()
              button.current?.focus({ preventScroll: true })
              onPick(next)
            }}
          />
        </Popup>
      )}
    </>
  )
}

function Options<V extends string | boolean>({ title, every, options, value, onPick }: PickerProps<V>) {
  const [typed, setTyped] = useState('')
  const isSearched = options.length >= MIN_SEARCHED
  const found = options.filter(({ label }) => fold(label).includes(fold(typed)))
  const all = { value: undefined, label: every.charAt(0).toUpperCase() + every.slice(1) }
  return (
    <>
      {isSearched && (
        <input
          type="text"
          data-part
          aria-label={`Buscar em ${title}`}
          placeholder="Buscar"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !found[0]) return
            // It would press the button that has the focus next.
            event.preventDefault()
            onPick(found[0].value)
          }}
          className="mb-1 h-9 w-full rounded-md border border-line-strong/60 bg-surface px-2.5 text-base placeholder:text-muted focus-visible:outline-offset-0 sm:text-sm"
        />
      )}
      <div role="listbox" aria-label={title}>
        {[...(typed ? [] : [all]), ...found].map((option) => (
          <button
            key={String(option.value)}
            type="button"
            role="option"
            aria-selected={option.value === value}
            tabIndex={-1}
            data-part
            onClick={() => onPick(option.value)}
            className={classNames(partClasses, 'justify-between aria-selected:font-medium')}
          >
            {option.label}
            {option.value === value && (
              <Check aria-hidden="true" className="size-4 shrink-0 text-brand-strong" />
            )}
          </button>
        ))}
      </div>
      {found.length === 0 && (
        <p role="status" className="px-2.5 py-2 text-muted">
          Nada encontrado
        </p>
      )}
    </>
  )
}
