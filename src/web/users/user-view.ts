import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Catalogue } from '#contract/catalogue.ts'
import { getValues, LISTS, type ListName, NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import {
  ENDING_DAYS,
  IDLE_DAYS,
  PROFILE_SORTS,
  type ProfileSort,
  RECENT_DAYS,
  WHOLE_LIST,
} from '#contract/user-rules.ts'
import type { ProfileFilter } from '#contract/users.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { MAX_SEARCH_LENGTH } from '#web/ui/search-field.tsx'
import {
  FIRST_WAITING,
  type ProfileOrder,
  prefetchUserList,
  requestsQuery,
  waitingQuery,
} from './user-queries.ts'

const DEFAULT_ORDER: ProfileOrder = { sort: 'email', order: 'asc' }

/** A regular expression, because the schemas would be loaded for this check alone. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function parseEnum<Value extends string>(value: unknown, values: readonly Value[]): Value | undefined {
  return values.find((each) => each === value)
}
const parseText = (value: unknown) => (typeof value === 'string' ? value : undefined)

export interface FilterOption<Value> {
  value: Value
  /** The value in the query string. */
  searchValue: string
  label: string
  /** The label on the button, if it differs from the one in the list. */
  buttonLabel?: string
}

/** How a filter is parsed, serialized and picked. */
interface ScreenFilter<Value> {
  /** The key in the query string, if it differs from the filter's name. */
  key?: 'status'
  /** Returns undefined for an invalid value. @param catalogue undefined until loaded */
  parse: (raw: unknown, catalogue: Catalogue | undefined) => Value | undefined
  serialize: (value: Value) => string | undefined
  picker?: {
    title: string
    /** The options, or the catalogue's list that has them. */
    options: readonly FilterOption<Value>[] | ListName | 'templates' | 'wholeLists'
  }
}

const createOptionFilter = <Value>(title: string, options: readonly FilterOption<Value>[]) => ({
  parse: (raw: unknown) => options.find(({ searchValue }) => searchValue === raw)?.value,
  serialize: (wanted: Value) => options.find(({ value }) => value === wanted)?.searchValue,
  picker: { title, options },
})

const createListFilter = (options: ListName, title: string): ScreenFilter<string> => ({
  parse(raw, catalogue) {
    const text = parseText(raw)
    return catalogue && text !== undefined && !getValues(catalogue, options).includes(text) ? undefined : text
  },
  serialize: String,
  picker: { title, options },
})

/** Every filter in the order of the buttons; null for one that is not part of the address. */
const FILTERS: {
  [Name in keyof ProfileFilter]-?: ScreenFilter<NonNullable<ProfileFilter[Name]>> | null
} = {
  q: { parse: (raw) => normalizeSearch(raw) || undefined, serialize: String },
  approved: {
    key: 'status',
    ...createOptionFilter('Status', [
      { value: true, searchValue: 'approved', label: 'Aprovado', buttonLabel: 'aprovado' },
      { value: false, searchValue: 'pending', label: 'Pendente', buttonLabel: 'pendente' },
    ]),
  },
  verified: createOptionFilter('E-mail', [
    { value: true, searchValue: 'yes', label: 'Verificado', buttonLabel: 'verificado' },
    { value: false, searchValue: 'no', label: 'Pendente', buttonLabel: 'pendente' },
  ]),
  type: createListFilter('types', 'Tipo'),
  marca: createListFilter('marcas', 'Marca'),
  estado: createListFilter('estados', 'Estado'),
  lastAccess: createOptionFilter('Acesso', [
    {
      value: 'recent',
      searchValue: 'recent',
      label: `Entrou nos últimos ${RECENT_DAYS} dias`,
      buttonLabel: `há até ${RECENT_DAYS} dias`,
    },
    {
      value: 'idle',
      searchValue: 'idle',
      label: `Sem acesso há ${IDLE_DAYS} dias`,
      buttonLabel: `há mais de ${IDLE_DAYS} dias`,
    },
    { value: 'never', searchValue: 'never', label: 'Nunca entrou', buttonLabel: 'nunca' },
  ]),
  template: {
    parse: (raw) => (typeof raw === 'string' && UUID.test(raw) ? raw : undefined),
    serialize: String,
    picker: { title: 'Modelo', options: 'templates' },
  },
  reports: createOptionFilter('Relatórios', [
    { value: 'none', searchValue: 'none', label: 'Não vê nenhum', buttonLabel: 'nenhum' },
    { value: 'all', searchValue: 'all', label: 'Tem todas as áreas, marcas e estados', buttonLabel: 'tudo' },
  ]),
  allOf: {
    parse: (raw) => (typeof raw === 'string' && WHOLE_LIST.test(raw) ? raw : undefined),
    serialize: String,
    picker: { title: 'Tem', options: 'wholeLists' },
  },
  validity: createOptionFilter('Prazo', [
    {
      value: 'ending',
      searchValue: 'ending',
      label: `Termina em ${ENDING_DAYS} dias`,
      buttonLabel: `até ${ENDING_DAYS} dias`,
    },
    { value: 'ended', searchValue: 'ended', label: 'Acesso encerrado', buttonLabel: 'encerrado' },
  ]),
  admin: createOptionFilter('Papel', [
    { value: true, searchValue: 'yes', label: 'Administrador', buttonLabel: 'administrador' },
    { value: false, searchValue: 'no', label: 'Usuário', buttonLabel: 'usuário' },
  ]),
  secondFactor: createOptionFilter('2ª etapa', [
    { value: true, searchValue: 'yes', label: 'Usa no portal', buttonLabel: 'usa' },
    { value: false, searchValue: 'no', label: 'Sem segunda etapa', buttonLabel: 'sem' },
  ]),
  // The queues above the table list them.
  waiting: null,
  requesting: null,
}

/** Names the filters that are set: 'busca “ramos”, Status: pendente, Marca: FIAT'. */
export function describeFilters(filter: ProfileFilter): string {
  const named = screenFilters.flatMap(({ name, picker }) => {
    const wanted = filter[name]
    if (wanted === undefined) return []
    if (!picker) return [`busca “${wanted}”`]
    const { title, options } = picker
    if (typeof options !== 'string') {
      const option = options.find(({ value }) => value === wanted)
      return [`${title}: ${option?.buttonLabel ?? option?.label}`]
    }
    return [options in NO_ENTITLEMENTS ? `${title}: ${wanted}` : title]
  })
  return named.join(', ')
}

type FilterName = keyof ProfileFilter
export const screenFilters = Object.entries(FILTERS).flatMap(([name, filter]) =>
  filter
    ? [{ name: name as FilterName, key: name as SearchKey, ...(filter as ScreenFilter<string | boolean>) }]
    : [],
)

/** The query keys of /admin: the names of the filters, except for the approval status. */
export type SearchKey =
  | Exclude<keyof ProfileFilter, 'approved' | 'waiting' | 'requesting'>
  | 'status'
  | 'sort'
  | 'order'
/** Changes of the query string; undefined removes a key. */
type UserSearch = { [Name in SearchKey]?: string | undefined }

/**
 * Parses the query string of /admin, which may be typed by hand; invalid values are dropped.
 * @param catalogue undefined until loaded
 */
export function parseUserView(search: Record<string, unknown>, catalogue: Catalogue | undefined) {
  const filter: ProfileFilter = toRecord(
    screenFilters.map(({ name, key, parse }) => [name, parse(search[key], catalogue)]),
  )
  const sort = parseEnum(search.sort, PROFILE_SORTS) ?? DEFAULT_ORDER.sort
  const order = parseEnum(search.order, ['asc', 'desc']) ?? DEFAULT_ORDER.order
  return { filter, order: { sort, order } }
}

/** Serializes a filter for the query string; undefined removes a key. */
export function serializeFilter(filter: ProfileFilter): UserSearch {
  return Object.fromEntries(
    screenFilters.map(({ name, key, serialize }) => {
      const wanted = filter[name]
      return [key, wanted === undefined ? undefined : serialize(wanted)]
    }),
  )
}

/** Serializes an order for the query string; the default order is omitted. */
export function serializeOrder({ sort, order }: ProfileOrder): UserSearch {
  return {
    sort: sort === DEFAULT_ORDER.sort ? undefined : sort,
    order: order === DEFAULT_ORDER.order ? undefined : order,
  }
}

/** Returns the order after a click on a column: toggled, or ascending for another column. */
export function toggleOrder(current: ProfileOrder, sort: ProfileOrder['sort']): ProfileOrder {
  return { sort, order: current.sort === sort && current.order === 'asc' ? 'desc' : 'asc' }
}

/**
 * Normalizes a search term; TanStack Router parses digits in the address as a number.
 * Control characters, which no name contains and PostgreSQL refuses, become spaces.
 */
export function normalizeSearch(typed: unknown): string {
  if (typeof typed !== 'string' && typeof typed !== 'number') return ''
  return String(typed)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_SEARCH_LENGTH)
    .trim()
}

/** Prefetches the data of the screen while the session's role is still loading. */
export function prefetchUsers(search: UserSearch): void {
  void queryClient.prefetchQuery(catalogueQuery)
  prefetchList(search)
  void queryClient.prefetchQuery(waitingQuery(FIRST_WAITING))
  void queryClient.prefetchQuery(requestsQuery)
}

/** Prefetches the list for a query string. */
function prefetchList(search: UserSearch): void {
  const catalogue = queryClient.getQueryData(catalogueQuery.queryKey)
  const { filter, order } = parseUserView(search, catalogue)
  if (catalogue || !needsCatalogue(filter)) prefetchUserList(filter, order)
}

/** Whether the filter can be validated only once the catalogue is loaded. */
const needsCatalogue = (filter: ProfileFilter) =>
  screenFilters.some(({ name, picker }) => filter[name] && LISTS.some((list) => list === picker?.options))

/** Reads the table's filter and order from the address, and changes them there. */
export function useUserView() {
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  const catalogue = useQuery(catalogueQuery)
  const { filter, order } = parseUserView(search, catalogue.data)

  const updateSearch = (change: UserSearch, replace = false) => {
    // Prefetching starts before the navigation renders.
    prefetchList({ ...search, ...change })
    void navigate({
      to: '.',
      search: (last: object) => toRecord(Object.entries({ ...last, ...change })),
      replace,
    })
  }
  const setFilter = (next: ProfileFilter) => {
    // Typing a search replaces the history entry instead of adding one per letter.
    const isTyping = Boolean(filter.q && next.q && filter.q !== next.q)
    updateSearch(serializeFilter(next), isTyping)
  }
  const sortBy = (sort: ProfileSort) => updateSearch(serializeOrder(toggleOrder(order, sort)))
  return { filter, order, isEnabled: !catalogue.isPending || !needsCatalogue(filter), setFilter, sortBy }
}

/** Builds an object from entries, without the undefined values. */
function toRecord<Value>(entries: readonly (readonly [string, Value | undefined])[]): Record<string, Value> {
  return Object.fromEntries(entries.filter((each): each is [string, Value] => each[1] !== undefined))
}
