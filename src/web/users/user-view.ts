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

/** A regular expression, because the schemas would be loaded for this check alone. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function oneOf<Value extends string>(value: unknown, values: readonly Value[]): Value | undefined {
  return values.find((each) => each === value)
}
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

export interface FilterOption<Value> {
  value: Value
  /** The value in the query string. */
  word: string
  label: string
  /** The label on the button, if it differs from the one in the list. */
  said?: string
}

/** How a filter is parsed, serialized and picked. */
interface ScreenFilter<Value> {
  /** The key in the query string, if it differs from the filter's name. */
  part?: 'status'
  /** Returns undefined for an invalid value. @param catalogue undefined until loaded */
  read: (said: unknown, catalogue: Catalogue | undefined) => Value | undefined
  write: (value: Value) => string | undefined
  picker?: {
    title: string
    /** The label of the option without a filter. */
    every: string
    /** The options, or the catalogue's list that has them. */
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

/** Every filter in the order of the buttons; null for one that is not part of the address. */
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
  // The approval queue above the table lists them.
  waiting: null,
}

type FilterName = keyof ProfileFilter
export const screenFilters = Object.entries(FILTERS).flatMap(([name, filter]) =>
  filter
    ? [{ name: name as FilterName, part: name as SearchPart, ...(filter as ScreenFilter<string | boolean>) }]
    : [],
)

/** The query keys of /admin: the names of the filters, except for the approval status. */
export type SearchPart = Exclude<keyof ProfileFilter, 'approved' | 'waiting'> | 'status' | 'sort' | 'order'
/** Changes of the query string; undefined removes a key. */
type UserSearch = { [Name in SearchPart]?: string | undefined }

/**
 * Parses the query string of /admin, which may be typed by hand; invalid values are dropped.
 * @param catalogue undefined until loaded
 */
export function readUserView(search: Record<string, unknown>, catalogue: Catalogue | undefined) {
  const filter: ProfileFilter = definedOf(
    screenFilters.map(({ name, part, read }) => [name, read(search[part], catalogue)]),
  )
  const sort = oneOf(search.sort, PROFILE_SORTS) ?? DEFAULT_ORDER.sort
  const order = oneOf(search.order, ['asc', 'desc']) ?? DEFAULT_ORDER.order
  return { filter, order: { sort, order } }
}

/** Serializes a filter for the query string; undefined removes a key. */
export function writeFilter(filter: ProfileFilter): UserSearch {
  return Object.fromEntries(
    screenFilters.map(({ name, part, write }) => {
      const wanted = filter[name]
      return [part, wanted === undefined ? undefined : write(wanted)]
    }),
  )
}

/** Serializes an order for the query string; the default order is omitted. */
export function writeOrder({ sort, order }: ProfileOrder): UserSearch {
  return {
    sort: sort === DEFAULT_ORDER.sort ? undefined : sort,
    order: order === DEFAULT_ORDER.order ? undefined : order,
  }
}

/** Returns the order after a click on a column: toggled, or ascending for another column. */
export function orderAfterClick(current: ProfileOrder, sort: ProfileOrder['sort']): ProfileOrder {
  return { sort, order: current.sort === sort && current.order === 'asc' ? 'desc' : 'asc' }
}

/**
 * Normalizes a search term; TanStack Router parses digits in the address as a number.
 * Control characters, which no name contains and PostgreSQL refuses, become spaces.
 */
export function tidySearch(typed: unknown): string {
  if (typeof typed !== 'string' && typeof typed !== 'number') return ''
  return String(typed)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_SEARCH_LENGTH)
    .trim()
}

/** Prefetches the data of the screen while the session's role is still loading. */
export function readUsersAhead(search: UserSearch): void {
  readListAhead(search)
  void queryClient.prefetchQuery(catalogueQuery)
  void queryClient.prefetchQuery(waitingQuery(FIRST_WAITING))
}

/** Prefetches the list for a query string. */
function readListAhead(search: UserSearch): void {
  const catalogue = queryClient.getQueryData(catalogueQuery.queryKey)
  const { filter, order } = readUserView(search, catalogue)
  if (catalogue || !namesValues(filter)) readAhead(filter, order)
}

/** Whether the filter can be validated only once the catalogue is loaded. */
const namesValues = (filter: ProfileFilter) =>
  screenFilters.some(({ name, picker }) => filter[name] && LISTS.some((list) => list === picker?.options))

/** Reads the table's filter and order from the address, and changes them there. */
export function useUserView() {
  const search = useSearch({ from: '/signed-in/administrators/admin' })
  const navigate = useNavigate({ from: '/admin' })
  const catalogue = useQuery(catalogueQuery)
  const { filter, order } = readUserView(search, catalogue.data)

  const go = (change: UserSearch, replace = false) => {
    // Prefetching starts before the navigation renders.
    readListAhead({ ...search, ...change })
    void navigate({
      to: '/admin',
      search: (last) => definedOf(Object.entries({ ...last, ...change })),
      replace,
    })
  }
  const setFilter = (next: ProfileFilter) => {
    // Typing a search replaces the history entry instead of adding one per letter.
    const isTyping = Boolean(filter.q && next.q && filter.q !== next.q)
    go(writeFilter(next), isTyping)
  }
  const sortBy = (sort: ProfileSort) => go(writeOrder(orderAfterClick(order, sort)))
  return { filter, order, isReadable: !catalogue.isPending || !namesValues(filter), setFilter, sortBy }
}

function definedOf<Value>(entries: readonly (readonly [string, Value | undefined])[]): Record<string, Value> {
  return Object.fromEntries(entries.filter((each): each is [string, Value] => each[1] !== undefined))
}
