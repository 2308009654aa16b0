import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Catalogue } from '#contract/catalogue.ts'
import { LISTS, type ListName, valuesOf } from '#contract/held-lists.ts'
import { IDLE_DAYS, PROFILE_SORTS, type ProfileSort } from '#contract/user-rules.ts'
import type { ProfileFilter } from '#contract/users.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { MAX_SEARCH_LENGTH } from '#web/ui/search-field.tsx'
import { FIRST_WAITING, type ProfileOrder, readAhead, waitingQuery } from './user-queries.ts'

const DEFAULT_ORDER: ProfileOrder = { sort: 'email', order: 'asc' }

/** Written here: the schemas would be loaded for it alone. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What makes no sense counts as left out. */
function oneOf<Value extends string>(value: unknown, values: readonly Value[]): Value | undefined {
  return values.find((each) => each === value)
}
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

export interface FilterOption<Value> {
  value: Value
  /** How the address says it. */
  word: string
  label: string
  /** How the button says it, where that differs from the list. */
  said?: string
}

/** How the address says a filter, and the button that it is picked by. */
interface ScreenFilter<Value> {
  /** What the address calls it, unless by its own name. */
  part?: 'status'
  /** Undefined for what makes no sense. @param catalogue undefined while it is not known what there is */
  read: (said: unknown, catalogue: Catalogue | undefined) => Value | undefined
  write: (value: Value) => string | undefined
  picker?: {
    title: string
    /** What it says while it lets everybody through. */
    every: string
    /** What there is to pick: a list of the catalogue has its name. */
    options: readonly FilterOption<Value>[] | ListName | 'templates'
  }
}

const amongOptions = <Value>(title: string, options: readonly FilterOption<Value>[]) => ({
  read: (said: unknown) => options.find(({ word }) => word === said)?.value,
  write: (wanted: Value) => options.find(({ value }) => value === wanted)?.word,
  picker: { title, every: 'todos', options },
})

const amongList = (options: ListName, title: string, every: string): ScreenFilter<string> => ({
  read(said, catalogue) {
    const text = textOf(said)
    return catalogue && text !== undefined && !valuesOf(catalogue, options).includes(text) ? undefined : text
  },
  write: String,
  picker: { title, every, options },
})

/** Every filter as the screen knows it, in the order of the buttons; null is not set here and stands in no address. */
const FILTERS: {
  [Name in keyof ProfileFilter]-?: ScreenFilter<NonNullable<ProfileFilter[Name]>> | null
} = {
  q: { read: (said) => tidySearch(said) || undefined, write: String },
  approved: {
    part: 'status',
    ...amongOptions('Status', [
      { value: true, word: 'approved', label: 'Aprovado', said: 'aprovado' },
      { value: false, word: 'pending', label: 'Pendente', said: 'pendente' },
    ]),
  },
  verified: amongOptions('E-mail', [
    { value: true, word: 'yes', label: 'Verificado', said: 'verificado' },
    { value: false, word: 'no', label: 'Pendente', said: 'pendente' },
  ]),
  type: amongList('types', 'Tipo', 'todos'),
  marca: amongList('marcas', 'Marca', 'todas'),
  estado: amongList('estados', 'Estado', 'todos'),
  lastAccess: amongOptions('Acesso', [
    {
      value: 'idle',
      word: 'idle',
      label: `Sem acesso há ${IDLE_DAYS} dias`,
      said: `há mais de ${IDLE_DAYS} dias`,
    },
    { value: 'never', word: 'never', label: 'Nunca entrou', said: 'nunca' },
  ]),
  template: {
    read: (said) => (typeof said === 'string' && UUID.test(said) ? said : undefined),
    write: String,
    picker: { title: 'Modelo', every: 'todos', options: 'templates' },
  },
  // Those who wait stand above the table.
  waiting: null,
}

type FilterName = keyof ProfileFilter
/** The filters that the table can be narrowed by. */
export const screenFilters = Object.entries(FILTERS).flatMap(([name, filter]) =>
  filter
    ? [{ name: name as FilterName, part: name as SearchPart, ...(filter as ScreenFilter<string | boolean>) }]
    : [],
)

/** The table's part of the address of /admin: as the filter calls it, but for the state of the approval. */
export type SearchPart = Exclude<keyof ProfileFilter, 'approved' | 'waiting'> | 'status' | 'sort' | 'order'
/** Parts of it to write; undefined takes a part away. */
type UserSearch = { [Name in SearchPart]?: string | undefined }

/**
 * Reads the table's part of an address that anybody may have typed; what makes no sense is left out.
 * @param catalogue what types, marcas and estados there are; undefined while that is not known
 */
export function readUserView(search: Record<string, unknown>, catalogue: Catalogue | undefined) {
  const filter: ProfileFilter = definedOf(
    screenFilters.map(({ name, part, read }) => [name, read(search[part], catalogue)]),
  )
  const sort = oneOf(search.sort, PROFILE_SORTS) ?? DEFAULT_ORDER.sort
  const order = oneOf(search.order, ['asc', 'desc']) ?? DEFAULT_ORDER.order
  return { filter, order: { sort, order } }
}

/** A filter as the address says it; what it leaves open is taken out of there. */
export function writeFilter(filter: ProfileFilter): UserSearch {
  return Object.fromEntries(
    screenFilters.map(({ name, part, write }) => {
      const wanted = filter[name]
      return [part, wanted === undefined ? undefined : write(wanted)]
    }),
  )
}

/** An order as the address says it; the default one is not worth a word. */
export function writeOrder({ sort, order }: ProfileOrder): UserSearch {
  return {
    sort: sort === DEFAULT_ORDER.sort ? undefined : sort,
    order: order === DEFAULT_ORDER.order ? undefined : order,
  }
}

/** The order after a click on a column: the same one turns round, another one starts ascending. */
export function orderAfterClick(current: ProfileOrder, sort: ProfileOrder['sort']): ProfileOrder {
  return { sort, order: current.sort === sort && current.order === 'asc' ? 'desc' : 'asc' }
}

/**
 * What is searched for when this has been typed; the address gives a number for a search made of digits. Control
 * characters, which no name holds and no database takes, count as blanks.
 */
export function tidySearch(typed: unknown): string {
  if (typeof typed !== 'string' && typeof typed !== 'number') return ''
  return String(typed)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_SEARCH_LENGTH)
    .trim()
}

/** Starts to read what the screen shows, while the role is still being read. */
export function readUsersAhead(search: UserSearch): void {
  readListAhead(search)
  void queryClient.prefetchQuery(catalogueQuery)
  void queryClient.prefetchQuery(waitingQuery(FIRST_WAITING))
}

/** Starts to read the list that an address asks for. */
function readListAhead(search: UserSearch): void {
  const catalogue = queryClient.getQueryData(catalogueQuery.queryKey)
  const { filter, order } = readUserView(search, catalogue)
  if (catalogue || !namesValues(filter)) readAhead(filter, order)
}

/** Whether it cannot be asked for before it is known what there is. */
const namesValues = (filter: ProfileFilter) =>
  screenFilters.some(({ name, picker }) => filter[name] && LISTS.some((list) => list === picker?.options))

/** The table's filter and order, which live in the address, and how to change them. */
export function useUserView() {
  const search = useSearch({ from: '/signed-in/administrators/admin' })
  const navigate = useNavigate({ from: '/admin' })
  const catalogue = useQuery(catalogueQuery)
  const { filter, order } = readUserView(search, catalogue.data)

  const go = (change: UserSearch, replace = false) => {
    // The list is on its way before the screen is drawn anew.
    readListAhead({ ...search, ...change })
    void navigate({
      to: '/admin',
      search: (last) => definedOf(Object.entries({ ...last, ...change })),
      replace,
    })
  }
  const setFilter = (next: ProfileFilter) => {
    // Letters of one search are one step back, not many.
    const isTyping = Boolean(filter.q && next.q && filter.q !== next.q)
    go(writeFilter(next), isTyping)
  }
  const sortBy = (sort: ProfileSort) => go(writeOrder(orderAfterClick(order, sort)))
  return { filter, order, isReadable: !catalogue.isPending || !namesValues(filter), setFilter, sortBy }
}

function definedOf<Value>(entries: readonly (readonly [string, Value | undefined])[]): Record<string, Value> {
  return Object.fromEntries(entries.filter((each): each is [string, Value] => each[1] !== undefined))
}
