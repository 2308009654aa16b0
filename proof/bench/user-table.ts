// The server's half of the user table: pages of 100 by every column either way, first and in the middle, filtered and
// searched, then bulk edits, with 10,000 people. `node proof/bench/user-table.ts [--rounds 5]`
import { PROFILE_SORTS } from '#contract/user-rules.ts'
import { type Figure, median, readNumbers, runBench, spread } from '#proof/shared/figures.ts'
import { signInAsAdmin, startWithPeople } from '#proof/shared/people.ts'
import { openPostgres } from '#proof/shared/postgres.ts'
import { type CleanUp, say } from '#proof/shared/run-task.ts'

/** Which of the people are asked for; the seeded ones make some of these many, some few and some none. */
const FILTERS: Record<string, string[]> = {
  'no filter': [''],
  'a filter': [
    '&approved=true',
    '&approved=false',
    '&verified=true',
    '&verified=false',
    '&type=Vendas',
    '&marca=FIAT',
    '&estado=RJ',
  ],
  'a search': ['&q=helio', '&q=concei%C3%A7%C3%A3o', '&q=an', '&q=z%C3%A9lia+xavier', '&q=301', '&q=nobody'],
}

/** Every column either way. */
const ORDERS = PROFILE_SORTS.flatMap((sort) => ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}`))

interface Page {
  items: { user_id: string }[]
  next: string | null
}

/** A reader of lists in an administrator's name. */
type Read = <T>(path: string) => Promise<T>

function createReader(url: string, token: string): Read {
  return async <T>(path: string) => {
    const reply = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as T
  }
}

/** Walks to the middle of all people in an order. @returns the cursor of a page there, which serves any filter */
async function findMiddle(read: Read, order: string): Promise<string> {
  const { total } = await read<{ total: number }>('/api/profiles/count')
  let cursor = ''
  for (let passed = 0; passed < total / 2; ) {
    const limit = Math.min(1000, Math.ceil(total / 2 - passed))
    const page: Page = await read<Page>(`/api/profiles?${order}&limit=${limit}${cursor}`)
    passed += page.items.length
    cursor = `&cursor=${page.next}`
  }
  return cursor
}

const { rounds } = readNumbers({ rounds: 5 })
const PEOPLE = 10_000
const MAX_PAGE_MS = 15
const MAX_EDIT_MS = 150
const MAX_EDIT_OF_ALL_MS = 1_500

interface Case {
  query: string
  times: number[]
}

/** Milliseconds that a call takes. */
async function time(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await call()
  return performance.now() - startedAt
}

async function measure(read: Read, path: string, queries: string[]): Promise<Case[]> {
  const cases = queries.map((query): Case => ({ query, times: [] }))
  for (let round = 0; round <= rounds; round++)
    for (const { query, times } of cases) {
      const taken = await time(() => read(`/api/profiles${path}${query}`))
      // The first round is for warming up.
      if (round > 0) times.push(taken)
    }
  return cases
}

/** The slowest of the cases is the one that counts. */
function figureOf(what: string, cases: Case[], isJudged: boolean): Figure {
  const medians = cases.map(({ times }) => median(times))
  const slowest = cases.toSorted((a, b) => median(b.times) - median(a.times))[0] as Case
  const { query, times } = slowest
  const note = `${query.replace(/&cursor=[^&]*/, '')} (${spread(times, 1)}); half of ${cases.length} ≤ ${median(medians).toFixed(1)}`
  return {
    what,
    value: median(times),
    unit: 'ms',
    digits: 1,
    ...(isJudged && { atMost: MAX_PAGE_MS }),
    note,
  }
}

async function measurePages(read: Read, name: string, isJudged: boolean): Promise<Figure[]> {
  const middles: string[] = []
  for (const order of ORDERS) middles.push(order + (await findMiddle(read, order)))
  const figures: Figure[] = []
  for (const [kind, filters] of Object.entries(FILTERS))
    for (const [where, pages] of Object.entries({ 'first page': ORDERS, middle: middles })) {
      const queries = filters.flatMap((filter) => pages.map((page) => page + filter))
      figures.push(figureOf(`${name}: ${kind}, ${where}`, await measure(read, '?', queries), isJudged))
      say(`${figures.at(-1)?.what} ${figures.at(-1)?.value.toFixed(1)} ms`)
    }
  const counts = await measure(read, '/count?', Object.values(FILTERS).flat())
  return [...figures, figureOf(`${name}: count`, counts, false)]
}

interface Edit {
  gaining: number
  losing: number
  undoId: string | null
}

function createEditor(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (path: string, body?: object): Promise<Edit> => {
    const reply = await fetch(`${url}/api/profiles/bulk-edit${path}`, {
      method: 'POST',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as Edit
  }
}

/** Adding a brand to a thousand people and taking it away again, in turns. */
async function measureEdits(
  read: Read,
  edit: ReturnType<typeof createEditor>,
  name: string,
  isJudged: boolean,
) {
  const { items } = await read<{ items: { user_id: string }[] }>('/api/profiles?sort=full_name&limit=1000')
  const userIds = items.map(({ user_id }) => user_id)
  const times: number[] = []
  for (let round = 0; round <= rounds; round++)
    for (const action of ['add', 'remove']) {
      const taken = await time(() => edit('', { userIds, action, marcas: ['GWM'], estados: ['PR'] }))
      if (round > 0) times.push(taken)
    }
  return {
    what: `${name}: bulk edit of ${userIds.length}`,
    value: median(times),
    unit: 'ms',
    ...(isJudged && { atMost: MAX_EDIT_MS }),
    note: spread(times),
  }
}

async function measureEditOfAll(
  read: Read,
  edit: ReturnType<typeof createEditor>,
  name: string,
): Promise<Figure[]> {
  const { total } = await read<{ total: number }>('/api/profiles/count')
  const body = { allMatching: { filter: {}, except: [], count: total }, action: 'add', types: ['Slack'] }
  const previews: number[] = []
  const edits: number[] = []
  const undos: number[] = []
  for (let round = 0; round < rounds; round++) {
    let undoId: string | null = null
    previews.push(await time(() => edit('?dryRun=true', body)))
    const taken = await time(async () => {
      undoId = (await edit('', body)).undoId
    })
    edits.push(taken)
    undos.push(await time(() => edit(`/${undoId}/undo`)))
  }
  return Object.entries({ 'preview of an edit': previews, 'bulk edit': edits, 'its undo': undos }).map(
    ([what, times]) => ({
      what: `${name}: ${what}, all ${total}`,
      value: median(times),
      unit: 'ms',
      atMost: MAX_EDIT_OF_ALL_MS,
      note: spread(times),
    }),
  )
}

async function measurePortal(server: string | undefined, cleanUp: CleanUp): Promise<Figure[]> {
  const portal = await startWithPeople(PEOPLE, server, cleanUp)
  const name = server ? 'PostgreSQL' : 'embedded'
  const token = await signInAsAdmin(portal.url)
  const read = createReader(portal.url, token)
  const edit = createEditor(portal.url, token)
  const isJudged = server !== undefined
  const figures = [
    ...(await measurePages(read, name, isJudged)),
    await measureEdits(read, edit, name, isJudged),
    ...(await measureEditOfAll(read, edit, name)),
  ]
  await portal.stop()
  return figures
}

await runBench(async (cleanUp) => {
  const onServer = await measurePortal(await openPostgres(cleanUp), cleanUp)
  return [...onServer, ...(await measurePortal(undefined, cleanUp))]
})
