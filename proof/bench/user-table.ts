// Measures the API of the user table with 10,000 people on PostgreSQL: pages of 100 in every
// order, filtered and searched, then bulk edits. `node proof/bench/user-table.ts [--rounds 5]`
import { PROFILE_SORTS } from '#contract/user-rules.ts'
import { type Figure, formatSpread, median, readNumbers, runBench } from '#proof/shared/figures.ts'
import { signInAsAdmin, startWithPeople } from '#proof/shared/people.ts'
import { openPostgres } from '#proof/shared/postgres.ts'
import { send } from '#proof/shared/requests.ts'

const { rounds } = readNumbers({ rounds: 5 })
const PEOPLE = 10_000
const MAX_PAGE_MS = 15
const MAX_EDIT_MS = 150
const MAX_EDIT_OF_ALL_MS = 1_500

/** Filters that match many, few or none of the seeded people. */
const FILTERS = {
  'no filter': [''],
  'a filter': ['approved=true', 'approved=false', 'verified=false', 'type=Vendas', 'marca=FIAT', 'estado=RJ'],
  'a search': ['q=helio', 'q=concei%C3%A7%C3%A3o', 'q=an', 'q=z%C3%A9lia+xavier', 'q=301', 'q=nobody'],
}
const ORDERS = PROFILE_SORTS.flatMap((sort) => ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}`))

await runBench(async (cleanUp) => {
  const { url } = await startWithPeople(PEOPLE, await openPostgres(cleanUp), cleanUp)
  const token = await signInAsAdmin(url)

  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await send(url, {
      path: `/api/profiles${path}`,
      token,
      ...(body && { method: 'POST', body }),
    })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`)
    return JSON.parse(answer.body) as T
  }
  /** Returns medians of several calls in turns, without the first round, which warms up. */
  async function time(calls: readonly (() => Promise<unknown>)[]): Promise<number[][]> {
    const times = calls.map((): number[] => [])
    for (let round = 0; round <= rounds; round++)
      for (const [index, each] of calls.entries()) {
        const startedAt = performance.now()
        await each()
        if (round > 0) times[index]?.push(performance.now() - startedAt)
      }
    return times
  }
  /** Measures the slowest of the queries. */
  async function measurePages(what: string, queries: string[], bound = {}): Promise<Figure> {
    const times = await time(queries.map((query) => () => call(query)))
    const medians = times.map(median)
    const value = Math.max(...medians)
    const slowest = medians.indexOf(value)
    const note = `${queries[slowest]} (${formatSpread(times[slowest] ?? [], 1)}); half of ${queries.length} ≤ ${median(medians).toFixed(1)}`
    return { what, value, unit: 'ms', digits: 1, note, ...bound }
  }
  const figures: Figure[] = []
  for (const [kind, filters] of Object.entries(FILTERS)) {
    const queries = filters.flatMap((filter) => ORDERS.map((order) => `?${order}&${filter}`))
    figures.push(await measurePages(`page with ${kind}`, queries, { atMost: MAX_PAGE_MS }))
  }
  const counts = Object.values(FILTERS).flatMap((filters) => filters.map((filter) => `/count?${filter}`))
  figures.push(await measurePages('count', counts))

  const { items } = await call<{ items: { user_id: string }[] }>('?sort=full_name&limit=1000')
  const userIds = items.map(({ user_id }) => user_id)
  const { total: count } = await call<{ total: number }>('/count')
  const all = { allMatching: { filter: {}, except: [], count }, action: 'add', types: ['Slack'] }
  let undoId = ''
  const edits = {
    [`bulk edit of ${userIds.length}`]: () =>
      call('/bulk-edit', { userIds, action: 'add', marcas: ['GWM'], estados: ['PR'] }),
    'taking it away again': () =>
      call('/bulk-edit', { userIds, action: 'remove', marcas: ['GWM'], estados: ['PR'] }),
    [`preview of an edit of all ${count}`]: () => call('/bulk-edit?dryRun=true', all),
    'bulk edit of all': async () => {
      undoId = (await call<{ undoId: string }>('/bulk-edit', all)).undoId
    },
    'its undo': () => call(`/bulk-edit/${undoId}/undo`, {}),
  }
  const times = await time(Object.values(edits))
  for (const [index, what] of Object.keys(edits).entries()) {
    const list = times[index] ?? []
    const atMost = index < 2 ? MAX_EDIT_MS : MAX_EDIT_OF_ALL_MS
    figures.push({ what, value: median(list), unit: 'ms', atMost, note: formatSpread(list) })
  }
  return figures
})
