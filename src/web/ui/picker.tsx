import { CSPProvider } from '@base-ui/react/csp-provider'
import Check from 'lucide-react/icons/check'
import ChevronDown from 'lucide-react/icons/chevron-down'
import { foldText } from '#contract/entitlement-lists.ts'
import { classNames } from './class-names.ts'
import { useLazyPopup } from './lazy-dialog.ts'
import { itemClasses, popupClasses } from './menu.tsx'

/** Shorter lists have no search field. */
const MIN_SEARCHED = 9

interface Option<V> {
  value: V
  label: string
  /** The label on the button, if it differs from the one in the list. */
  buttonLabel?: string
}

interface PickerProps<V> {
  /** The name of what is picked: 'Marca'. */
  title: string
  /** The text while nothing is picked: 'todas'. */
  every: string
  options: readonly Option<V>[]
  value: V | undefined
  onPick: (value: V | undefined) => void
}

const loadParts = () => Promise.all([import('@base-ui/react/select'), import('@base-ui/react/combobox')])
const place = { align: 'start', sideOffset: 4, className: 'z-50' } as const
const optionClasses = `${itemClasses} justify-between data-selected:font-medium`
const check = <Check aria-hidden="true" className="size-4 shrink-0 text-brand-strong" />

/** A button that shows the picked value ('Marca: FIAT') and opens a list, with a search field if long. */
export function Picker<V extends string | boolean>({ title, every, options, value, onPick }: PickerProps<V>) {
  const { parts, open } = useLazyPopup(loadParts)
  const picked = options.find((option) => option.value === value)
  const text = `${title}: ${picked ? (picked.buttonLabel ?? picked.label) : every}`
  const trigger = {
    'aria-label': `Filtrar por ${text}`,
    className: classNames(
      'flex h-10 max-sm:h-11 min-w-0 items-center gap-1.5 rounded-lg border bg-surface pr-2 pl-3 text-sm transition-colors hover:bg-subtle focus-visible:outline-offset-0 aria-expanded:bg-subtle xl:max-w-60',
      picked ? 'border-brand-strong font-medium text-ink' : 'border-line-strong/50 text-muted',
    ),
    children: (
      <>
        <span className="min-w-0 flex-1 truncate text-left">{text}</span>
        <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
      </>
    ),
  }
  if (!parts)
    return (
      <button
        type="button"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={false}
        onClick={open}
        {...trigger}
      />
    )
  const [{ Select }, { Combobox }] = parts
  type Item = Option<V | null>
  const all: Item = { value: null, label: every.charAt(0).toUpperCase() + every.slice(1) }
  const items = [all, ...options]
  const choice = {
    value: picked ?? all,
    isItemEqualToValue: (a: Item, b: Item) => a.value === b.value,
    onValueChange: (item: Item | null) => onPick(item?.value ?? undefined),
    defaultOpen: true,
  }
  if (options.length < MIN_SEARCHED)
    return (
      <CSPProvider disableStyleElements>
        <Select.Root {...choice} modal={false}>
          <Select.Trigger {...trigger} />
          <Select.Portal>
            <Select.Positioner {...place} alignItemWithTrigger={false}>
              <Select.Popup className={popupClasses}>
                <Select.List aria-label={title}>
                  {items.map((item) => (
                    <Select.Item key={String(item.value)} value={item} className={optionClasses}>
                      <Select.ItemText>{item.label}</Select.ItemText>
                      <Select.ItemIndicator>{check}</Select.ItemIndicator>
                    </Select.Item>
                  ))}
                </Select.List>
              </Select.Popup>
            </Select.Positioner>
          </Select.Portal>
        </Select.Root>
      </CSPProvider>
    )
  return (
    <Combobox.Root
      {...choice}
      items={items}
      filter={(item, typed) => !typed || (item !== all && foldText(item.label).includes(foldText(typed)))}
      autoHighlight
    >
      <Combobox.Trigger {...trigger} />
      <Combobox.Portal>
        <Combobox.Positioner {...place}>
          <Combobox.Popup aria-label={title} className={popupClasses}>
            <Combobox.Input
              aria-label={`Buscar em ${title}`}
              placeholder="Buscar"
              spellCheck={false}
              className="mb-1 h-9 w-full shrink-0 rounded-md border border-line-strong/60 bg-surface px-2.5 text-base placeholder:text-muted focus-visible:outline-offset-0 sm:text-sm"
            />
            <Combobox.List aria-label={title}>
              {(item: Item) => (
                <Combobox.Item key={String(item.value)} value={item} className={optionClasses}>
                  {item.label}
                  <Combobox.ItemIndicator>{check}</Combobox.ItemIndicator>
                </Combobox.Item>
              )}
            </Combobox.List>
            <Combobox.Empty className="text-muted">
              <p className="px-2.5 py-2">Nada encontrado</p>
            </Combobox.Empty>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
