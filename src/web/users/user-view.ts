import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Catalogue } from '#contract/catalogue.ts'
import { type ListName, valuesOf } from '#contract/held-lists.ts'
import { PROFILE_SORTS, type ProfileSort } from '#contract/user-rules.ts'
import type { ProfileFilter } from '#contract/users.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { FIRST_WAITING, type ProfileOrder, readAhead, waitingQuery } from './user-queries.ts'

/** Longest search that the server takes. */
export const MAX_SEARCH_LENGTH = 100
const DEFAULT_ORDER: ProfileOrder = { sort: 'email', order: 'asc' }

/** Written here: the schemas would be loaded for it alone. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What makes no sense counts as left out. */
function oneOf<Value extends string>(value: unknown, values: readonly Value[]): Value | undefined {
  return values.find((each) => each === value)
}
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The table's part of the address of /admin: as the filter calls it, but for the state of the approval. */
export type SearchPart = Exclude<keyof ProfileFilter, 'approved' | 'waiting'> | 'status' | 'sort' | 'order'
/** Parts of it to write; undefined takes a part away. */
type UserSearch = { [Name in SearchPart]?: string | undefined }

/**
 * Reads the table's part of an address that anybody may have typed; what makes no sense is left out.
 * @param catalogue what types, marcas and estados there are; undefined while that is not known
 */
export function readUserView(search: Record<string, unknown>, catalogue: Catalogue | undefined) {
  const known = (list: ListName, value: unknown) => {
    const text = textOf(value)
    return catalogue && text !== undefined && !valuesOf(catalogue, list).includes(text) ? undefined : text
  }
  const status = oneOf(search.status, ['approved', 'pending'])
  const verified = oneOf(search.verified, ['yes', 'no'])
  const type = known('types', search.type)
  const marca = known('marcas', search.marca)
  const estado = known('estados', search.estado)
  const template = textOf(search.template)
  const lastAccess = oneOf(search.lastAccess, ['idle', 'never'])
  const sort = oneOf(search.sort, PROFILE_SORTS)
  const order = oneOf(search.order, ['asc', 'desc'])
  const q = tidySearch(search.q)
  const filter: ProfileFilter = {
    ...(q && { q }),
    ...(status && { approved: status === 'approved' }),
    ...(verified && { verified: verified === 'yes' }),
    ...(type && { type }),
    ...(marca && { marca }),
    ...(estado && { estado }),
    ...(template && UUID.test(template) && { template }),
    ...(lastAccess && { lastAccess }),
  }
  return { filter, order: { sort: sort ?? DEFAULT_ORDER.sort, order: order ?? DEFAULT_ORDER.order } }
}

/** A filter as the address says it; what it leaves open is taken out of there. */
export function writeFilter({
  q,
  approved,
  verified,
  type,
  marca,
  estado,
  template,
  lastAccess,
}: ProfileFilter): UserSearch {
  return {
    q: q || undefined,
    status: approved === undefined ? undefined : approved ? 'approved' : 'pending',
    verified: verified === undefined ? undefined : verified ? 'yes' : 'no',
    type,
    marca,
    estado,
    template,
    lastAccess,
  }
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
const namesValues = ({ type, marca, estado }: ProfileFilter) => Boolean(type || marca || estado)

/** The table's filter and order, which live in the address, and how to change them. */
export function useUserView() {
  const search = useSearch({ from: '/signed-in/administrators/admin' })
  const navigate = useNavigate({ from: '/admin' })
  const catalogue = useQuery(catalogueQuery)
  const { filter, order } = readUserView(search, catalogue.data)

  const go = (change: UserSearch, replace = false) => {
    // The list is on its way before the screen is drawn anew.
    readListAhead({ ...search, ...change })
    void navigate({ to: '/admin', search: (last) => definedOf({ ...last, ...change }), replace })
  }
  const setFilter = (next: ProfileFilter) => {
    // Letters of one search are one step back, not many.
    const isTyping = Boolean(filter.q && next.q && filter.q !== next.q)
    go(writeFilter(next), isTyping)
  }
  const sortBy = (sort: ProfileSort) => go(writeOrder(orderAfterClick(order, sort)))
  return { filter, order, isReadable: !catalogue.isPending || !namesValues(filter), setFilter, sortBy }
}

function definedOf(search: UserSearch): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter((part): part is [string, string] => part[1] !== undefined),
  )
}
