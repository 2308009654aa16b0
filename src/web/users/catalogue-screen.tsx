import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import Archive from 'lucide-react/icons/archive'
import ArchiveRestore from 'lucide-react/icons/archive-restore'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { Catalogue, CatalogueItem } from '#contract/catalogue.ts'
import type { ListName } from '#contract/entitlement-lists.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { EntryActions } from '#web/session/entry-actions.tsx'
import { useSession } from '#web/session/session.ts'
import { AdminPage } from '#web/ui/admin-page.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/choices.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { ConfirmDialog, FormDialog } from '#web/ui/dialog.tsx'
import { LazyPart } from '#web/ui/lazy-part.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { NotLoaded } from '#web/ui/not-loaded.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { closeToasts } from '#web/ui/toast.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'
import {
  type NewItem,
  type Usage,
  useAddItem,
  useArchiveItem,
  useHoldersOfAll,
  useItemOrder,
  useItemUsage,
  useRemoveItem,
} from './change-catalogue.ts'
import { RenameDialog } from './rename-dialog.tsx'
import { formatCount } from './selection.ts'

const CARDS: readonly { list: ListName; title: string; hint: string }[] = [
  { list: 'types', title: 'Áreas', hint: 'Cada área é uma aba da tela de relatórios, nesta ordem.' },
  { list: 'marcas', title: 'Marcas', hint: 'O Power BI recebe o código, que não muda mais.' },
  { list: 'estados', title: 'Estados', hint: 'O Power BI recebe o código, que não muda mais.' },
]

/** /admin/listas, 'Áreas, marcas e estados': edits the catalogue's items and their order. */
export function CatalogueScreen() {
  const reader = useSession()?.user.email
  const catalogue = useQuery(catalogueQuery)
  const { data } = catalogue
  return (
    <AdminPage
      title="Áreas, marcas e estados"
      isWide
      action={
        <Link to="/admin/auditoria" search={{ action: 'catalogue' }} className={`text-sm ${textLinkClasses}`}>
          O que mudou nas listas
        </Link>
      }
    >
      {!data && catalogue.errorUpdateCount > 0 ? (
        <NotLoaded query={catalogue} failed="As listas não puderam ser lidas agora." skeleton="h-96" />
      ) : (
        <div className="grid items-start gap-6 lg:grid-cols-3">
          {CARDS.map((card) => (
            <ListCard key={card.list} {...card} catalogue={data} />
          ))}
        </div>
      )}
      {/* Below lists whose height is not known before. */}
      {data && (
        <Card>
          <h2 className="mb-2 font-semibold text-lg">O que mudou por último</h2>
          <LazyPart
            name="recent-entries"
            load={() => import('#web/ui/recent-entries.tsx')}
            loading={<Skeleton className="h-28" />}
            failed="O que mudou não pôde ser lido agora."
          >
            {({ RecentEntries }) => (
              <RecentEntries
                filter={{ action: 'catalogue' }}
                reader={reader}
                actions={(entry) => <EntryActions entry={entry} />}
              />
            )}
          </LazyPart>
        </Card>
      )}
    </AdminPage>
  )
}

interface ListCardProps {
  list: ListName
  title: string
  hint: string
  /** Undefined while loading. */
  catalogue: Catalogue | undefined
}

function ListCard({ list, title, hint, catalogue }: ListCardProps) {
  const titleId = useId()
  const { order, announcement, move } = useItemOrder(list, catalogue)
  const [renamed, setRenamed] = useState<CatalogueItem>()
  const place = useRef<HTMLElement>(null)
  const moved = useRef<{ code: string; by: -1 | 1 }>(undefined)
  // Moving a row in the DOM makes the browser drop its focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each move
  useEffect(() => {
    const { code, by } = moved.current ?? {}
    moved.current = undefined
    const buttons = [...(place.current?.querySelectorAll<HTMLElement>(`[data-moves="${code}"]`) ?? [])]
    const wanted = buttons[by === -1 ? 0 : 1]
    const other = buttons[by === -1 ? 1 : 0]
    ;(wanted?.getAttribute('aria-disabled') === 'true' ? other : wanted)?.focus()
  }, [order])

  const archived = catalogue?.[list].filter((item) => item.archived) ?? []
  return (
    <>
      <section
        aria-labelledby={titleId}
        ref={place}
        className={classNames(
          'rounded-xl border border-line bg-surface shadow-xs',
          // On a phone the position of the later cards is unknown until the first has loaded.
          !catalogue && list !== 'types' && 'max-lg:hidden',
        )}
      >
        <div className="px-5 pt-5 pb-3">
          <h2 id={titleId} className="font-semibold text-lg">
            {title}
          </h2>
          <p className="text-muted text-sm">{hint}</p>
        </div>
        {!catalogue && <ListLoading />}
        <ol aria-labelledby={titleId} hidden={!catalogue} className="border-line border-t">
          {order.map((item, index) => (
            <ItemRow key={item.code} list={list} item={item} onRename={() => setRenamed(item)}>
              {([-1, 1] as const).map((by) => (
                <IconButton
                  key={by}
                  icon={by === -1 ? ArrowUp : ArrowDown}
                  label={by === -1 ? 'Mover para cima' : 'Mover para baixo'}
                  of={item.label}
                  data-moves={item.code}
                  aria-disabled={index + by < 0 || index + by >= order.length}
                  onClick={() => {
                    moved.current = { code: item.code, by }
                    move(index, by)
                  }}
                />
              ))}
            </ItemRow>
          ))}
        </ol>
        <p role="status" className="sr-only">
          {announcement}
        </p>
        {archived.length > 0 && (
          <>
            <h3 className="px-5 pt-4 pb-2 font-medium text-muted text-sm">No arquivo</h3>
            <ul aria-label={`${title} no arquivo`} className="border-line border-t">
              {archived.map((item) => (
                <ItemRow key={item.code} list={list} item={item} onRename={() => setRenamed(item)} />
              ))}
            </ul>
          </>
        )}
        {catalogue && <AddForm list={list} title={title} />}
      </section>
      {renamed && catalogue && (
        <RenameDialog list={list} item={renamed} onClose={() => setRenamed(undefined)} />
      )}
    </>
  )
}

function ListLoading() {
  return (
    <div role="status" className="space-y-3 px-5 pb-5">
      <span className="sr-only">Carregando…</span>
      {Array.from({ length: 4 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={index} className="h-10" />
      ))}
    </div>
  )
}

interface ItemRowProps {
  list: ListName
  item: CatalogueItem
  onRename: () => void
  children?: React.ReactNode
}

function ItemRow({ list, item, onRename, children }: ItemRowProps) {
  const use = useItemUsage(list, item)
  const archiving = useArchiveItem(list)
  const [isRemoving, setIsRemoving] = useState(false)
  const { submit: remove, isBusy } = useRemoveItem(list, () => setIsRemoving(false))
  const { label, code, archived } = item
  return (
    <li className="flex min-h-14 items-center gap-2 border-line border-b py-1.5 pr-3 pl-5">
      <div className="min-w-0 flex-1">
        <p className={archived ? 'break-words text-muted text-sm' : 'break-words font-medium text-sm'}>
          {label}
          {list !== 'types' && code !== label && <span className="text-muted"> ({code})</span>}
        </p>
        {/* One line, so that nothing moves when it is known. */}
        <p className="min-h-4 truncate text-muted text-xs tabular-nums">
          {use && formatUsage(list, use)}
          {use !== undefined && use.holdersOfOthers > 0 && (
            <>
              {' · '}
              <Link
                to="/admin/pessoas"
                search={{ allOf: `${list}:${code}` }}
                title={`Quem tem ${OTHERS[list]}`}
                className={classNames(textLinkClasses, 'font-normal')}
              >
                só falta a {use.holdersOfOthers.toLocaleString('pt-BR')}
              </Link>
            </>
          )}
        </p>
      </div>
      <div className="flex shrink-0 items-center">
        {children}
        <IconButton icon={Pencil} label="Renomear" of={label} onClick={onRename} />
        <IconButton
          icon={archived ? ArchiveRestore : Archive}
          label={archived ? 'Desarquivar' : 'Arquivar'}
          of={label}
          aria-disabled={archiving.isBusy}
          onClick={() => void archiving.archive({ item, isArchived: !archived, use })}
        />
        {use?.people === 0 && use.reports === 0 && (
          <IconButton icon={Trash2} label="Excluir" of={label} onClick={() => setIsRemoving(true)} />
        )}
      </div>
      {isRemoving && (
        <ConfirmDialog
          title={`Excluir “${label}”?`}
          description="Só sai da lista o que ninguém nunca teve; o resto pode ser arquivado. Não pode ser desfeito."
          confirmLabel="Excluir"
          isBusy={isBusy}
          onConfirm={() => void remove(item)}
          onCancel={() => setIsRemoving(false)}
        />
      )}
    </li>
  )
}

/** '1.204 pessoas · 1 relatório' */
function formatUsage(list: ListName, { people, reports }: Usage): string {
  const persons = people === 1 ? '1 pessoa' : `${people.toLocaleString('pt-BR')} pessoas`
  if (list !== 'types') return persons
  return `${persons} · ${reports === 0 ? 'sem relatório' : `${reports} ${reports === 1 ? 'relatório' : 'relatórios'}`}`
}

interface IconButtonProps extends React.ComponentProps<'button'> {
  icon: LucideIcon
  label: string
  /** The item's label. */
  of: string
}

function IconButton({ icon: Icon, label, of, onClick, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={`${label}: ${of}`}
        onClick={(event) => rest['aria-disabled'] !== true && onClick?.(event)}
        className="inline-flex size-9 max-sm:h-11 items-center justify-center rounded-lg text-muted transition-colors hover:bg-subtle hover:text-ink aria-disabled:opacity-35 aria-disabled:hover:bg-transparent"
      >
        <Icon aria-hidden="true" className="size-4" />
      </button>
    </Tooltip>
  )
}

/** What somebody holds who lacks one item alone. */
const OTHERS: Record<ListName, string> = {
  types: 'todas as outras',
  marcas: 'todas as outras',
  estados: 'todos os outros',
}

/** Who holds a whole list. */
const HOLDERS_OF_ALL: Record<ListName, string> = {
  types: 'todas as áreas',
  marcas: 'todas as marcas',
  estados: 'todos os estados',
}

const ADD_LABELS: Record<ListName, string> = {
  types: 'Incluir área',
  marcas: 'Incluir marca',
  estados: 'Incluir estado',
}

function AddForm({ list, title }: { list: ListName; title: string }) {
  const [code, setCode] = useState('')
  const [label, setLabel] = useState('')
  /** The item to confirm: its code never changes. */
  const [asked, setAsked] = useState<NewItem>()
  const holders = useHoldersOfAll(list)
  const form = useRef<HTMLFormElement>(null)
  const { add, isBusy, errors, clearErrors } = useAddItem(list, () => {
    setCode('')
    setLabel('')
    ;(form.current?.elements[0] as HTMLElement | undefined)?.focus()
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    closeToasts()
    const item = list === 'types' ? { label: label.trim() } : { code, label: label.trim() || code }
    // The server names what is missing.
    if (item.label && (item.code ?? item.label)) setAsked(item)
    else void add({ body: item, form: event.currentTarget })
  }
  const confirm = () => {
    if (!asked || !form.current) return
    setAsked(undefined)
    void add({ body: asked, form: form.current })
  }
  return (
    // React bubbles a submit out of the dialog: it must not be inside the form.
    <>
      <form
        ref={form}
        noValidate
        aria-label={`${ADD_LABELS[list]} em ${title}`}
        onSubmit={submit}
        onInput={clearErrors}
        className="space-y-3 p-5"
      >
        <div className="grid grid-cols-2 gap-3">
          {list !== 'types' && (
            <TextField
              name="code"
              label="Código"
              value={code}
              maxLength={20}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              error={errors.code}
              onChange={({ target }) => setCode(target.value.toUpperCase())}
            />
          )}
          <TextField
            name="label"
            label="Nome"
            value={label}
            maxLength={40}
            autoComplete="off"
            placeholder={{ types: undefined, marcas: 'Ex.: FIAT', estados: 'Ex.: Rio de Janeiro' }[list]}
            error={errors.label}
            onChange={({ target }) => setLabel(target.value)}
            className={list === 'types' ? 'col-span-2' : undefined}
          />
        </div>
        <Button type="submit" variant="secondary" isBusy={isBusy}>
          {ADD_LABELS[list]}
        </Button>
      </form>
      {asked && (
        <FormDialog
          title={`${ADD_LABELS[list]} “${asked.label}”?`}
          description={asked.code && `O Power BI recebe o código ${asked.code}, que não muda depois.`}
          confirmLabel="Incluir"
          onSubmit={confirm}
          onCancel={() => setAsked(undefined)}
        >
          {holders > 0 && (
            <>
              <Checkbox
                label={`Dar também a quem tem ${HOLDERS_OF_ALL[list]} (${formatCount(holders, 'pessoa', 'pessoas')})`}
                checked={asked.giveToHolders === true}
                onChange={({ target }) => setAsked({ ...asked, giveToHolders: target.checked })}
              />
              <Link
                to="/admin/pessoas"
                search={{ allOf: list }}
                target="_blank"
                className={`text-sm ${textLinkClasses}`}
              >
                Ver quem são, em outra aba
              </Link>
            </>
          )}
        </FormDialog>
      )}
    </>
  )
}
