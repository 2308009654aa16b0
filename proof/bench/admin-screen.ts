// The user table of /admin with 10,000 and 100,000 people: until the first rows are there, until a click or key is
// answered, and how long scrolling blocks the page. `node proof/bench/admin-screen.ts [--rounds 5] [--few 10000] [--many 100000]`
import type { Browser, Page } from '@playwright/test'
import { openServer } from '#server/database/open-server.ts'
import { addPeople } from './support/add-people.ts'
import {
  type Answer,
  answerTo,
  jumpAbout,
  jumpToEnd,
  openUserTable,
  signInBrowser,
  turnWheel,
  typeSearch,
} from './support/drive-user-table.ts'
import type { Figure } from './support/figures.ts'
import { type LongestTask, longestTask } from './support/longest-task.ts'
import { openChromium } from './support/open-chromium.ts'
import { createDatabase, openPostgres } from './support/open-postgres.ts'
import { readNumbers } from './support/options.ts'
import { FIRST_PORT } from './support/paths.ts'
import { runBench } from './support/run-bench.ts'
import { type CleanUp, say } from './support/run-task.ts'
import { signInAsAdmin } from './support/sign-in-as-admin.ts'
import { startPortal } from './support/start-portal.ts'
import { median, spread } from './support/statistics.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const { rounds, few, many } = readNumbers({ rounds: 5, few: 10_000, many: 100_000 })
/** The last letter of each makes the list shorter. */
const TERMS = ['mar', 'ca', 'sil', 'lim', 'jos']
const FILTERS = [
  { label: 'Filtrar por marca', value: 'FIAT', query: 'marca=FIAT' },
  { label: 'Filtrar por status', value: 'false', query: 'approved=false' },
  { label: 'Filtrar por estado', value: 'MG', query: 'estado=MG' },
]
const numbers = new Intl.NumberFormat('pt-BR')

interface Run {
  people: number
  firstRows: number[]
  sort: Answer[]
  filter: Answer[]
  search: Answer[]
  wheel: LongestTask[]
  jumps: LongestTask[]
  end: number
}

/** Asks the server how many match. @returns the words that the page will say, by the query */
async function wordsFrom(portalUrl: string) {
  const authorization = `Bearer ${await signInAsAdmin(portalUrl)}`
  const count = async (query: string) => {
    const reply = await fetch(`${portalUrl}/api/profiles/count?${query}`, { headers: { authorization } })
    return ((await reply.json()) as { total: number }).total
  }
  const everybody = `${numbers.format(await count(''))} usuários`
  return {
    everybody,
    matching: async (query: string) => `${numbers.format(await count(query))} de ${everybody}`,
  }
}

async function measureInputs(page: Page, words: Awaited<ReturnType<typeof wordsFrom>>, run: Run) {
  const clear = () =>
    answerTo(page, words.everybody, () => page.getByRole('button', { name: 'Limpar filtros' }).click())
  for (const name of ['Nome', 'Último Acesso', 'Data de Registro']) {
    const header = page.getByRole('columnheader', { name }).getByRole('button')
    run.sort.push(await answerTo(page, 'ascending', () => header.click()))
    run.sort.push(await answerTo(page, 'descending', () => header.click()))
  }
  for (const { label, value, query } of FILTERS) {
    const select = page.getByLabel(label).first()
    run.filter.push(await answerTo(page, await words.matching(query), () => select.selectOption(value)))
    run.filter.push(await clear())
  }
  for (const term of TERMS) {
    const expected = await words.matching(`q=${term}`)
    if (expected === (await words.matching(`q=${term.slice(0, -1)}`)))
      throw new Error(`the last letter of '${term}' changes nothing`)
    run.search.push(await answerTo(page, expected, () => typeSearch(page, term)))
    await clear()
  }
}

async function measure(browser: Browser, serverUrl: string, people: number, cleanUp: CleanUp): Promise<Run> {
  const DATABASE_URL = await createDatabase(serverUrl, `admin_${people}`, cleanUp)
  const env = { DATABASE_URL, DATA_DIR: temporaryFolder(cleanUp), RATE_LIMITS: 'off' }
  const portal = await startPortal(FIRST_PORT, env)
  try {
    const { db, close } = await openServer(DATABASE_URL, () => {})
    await addPeople(db, people)
    await close()
    say(`${people} people are there`)
    const words = await wordsFrom(portal.url)
    const storage = await signInBrowser(browser, portal.url)
    const run: Run = { people, firstRows: [], sort: [], filter: [], search: [], wheel: [], jumps: [], end: 0 }
    // The first round makes the server and the database warm.
    for (let round = 0; round <= rounds; round++) {
      const { page, firstRows } = await openUserTable(browser, storage, portal.url)
      if (round > 0) {
        run.firstRows.push(firstRows)
        await measureInputs(page, words, run)
        await page.locator('main').hover()
        run.wheel.push(await longestTask(browser, page, () => turnWheel(page)))
        run.jumps.push(await longestTask(browser, page, () => jumpAbout(page)))
        say(`round ${round} of ${rounds}: first rows after ${firstRows.toFixed(0)} ms`)
        if (round === rounds) run.end = await jumpToEnd(page)
      }
      await page.context().close()
    }
    return run
  } finally {
    await portal.stop()
  }
}

function figuresOf(run: Run, atMost: { rows: number; answer: number }): Figure[] {
  const size = numbers.format(run.people)
  const unit = 'ms'
  const answers = (what: string, list: Answer[]): Figure => ({
    what: `${what}, ${size} people`,
    value: median(list.map(({ rows }) => rows)),
    unit,
    atMost: atMost.answer,
    note: `${spread(list.map(({ rows }) => rows))}, something seen after ${median(list.map(({ feedback }) => feedback)).toFixed(0)}`,
  })
  const tasks = (what: string, list: LongestTask[]): Figure => ({
    what: `longest task while ${what}, ${size} people`,
    value: median(list.map(({ cpu }) => cpu)),
    unit,
    atMost: 50,
    note: `${spread(list.map(({ cpu }) => cpu))} of the processor, ${spread(list.map(({ clock }) => clock))} on the clock`,
  })
  return [
    {
      what: `first rows of /admin, ${size} people`,
      value: median(run.firstRows),
      unit,
      atMost: atMost.rows,
      note: spread(run.firstRows),
    },
    answers('sorted rows', run.sort),
    answers('filtered rows', run.filter),
    answers('found rows, last key', run.search),
    tasks('scrolling', run.wheel),
    tasks('jumping about', run.jumps),
    { what: `last row after a jump to the end, ${size} people`, value: run.end, unit },
  ]
}

await runBench(async (cleanUp) => {
  const browser = await openChromium(cleanUp)
  const server = await openPostgres(cleanUp)
  const small = await measure(browser, server, few, cleanUp)
  const large = await measure(browser, server, many, cleanUp)
  return [
    ...figuresOf(small, { rows: 1_000, answer: 100 }),
    ...figuresOf(large, { rows: 1_500, answer: 400 }),
  ]
})
