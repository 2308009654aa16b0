// The user table of /admin with 10,000 people: until the first rows are there, until a click or key is answered, and how
// long scrolling blocks the page. `node proof/bench/admin-screen.ts [--rounds 5]`
import type { Browser, Page } from '@playwright/test'
import { type LongestTask, longestTask, openChromium } from '#proof/shared/chromium.ts'
import {
  type Answer,
  answerTo,
  jumpAbout,
  jumpToEnd,
  openUserTable,
  signInBrowser,
  turnWheel,
  typeSearch,
} from '#proof/shared/drive-user-table.ts'
import { type Figure, median, readNumbers, runBench, spread } from '#proof/shared/figures.ts'
import { signInAsAdmin, startWithPeople } from '#proof/shared/people.ts'
import { openPostgres } from '#proof/shared/postgres.ts'
import { say } from '#proof/shared/run-task.ts'

const { rounds } = readNumbers({ rounds: 5 })
const PEOPLE = 10_000
const MAX_FIRST_ROWS_MS = 1_000
const MAX_ANSWER_MS = 100
const MAX_TASK_MS = 50
/** The last letter of each makes the list shorter. */
const TERMS = ['mar', 'ca', 'sil', 'lim', 'jos']
const FILTERS = [
  { label: 'Marca', option: 'FIAT', query: 'marca=FIAT' },
  { label: 'Status', option: 'Pendente', query: 'approved=false' },
  { label: 'Estado', option: 'MG', query: 'estado=MG' },
]
const numbers = new Intl.NumberFormat('pt-BR')

interface Run {
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
  const all = `${numbers.format(await count(''))} usuários`
  return {
    all,
    matching: async (query: string) => `${numbers.format(await count(query))} de ${all}`,
  }
}

async function measureInputs(page: Page, words: Awaited<ReturnType<typeof wordsFrom>>, run: Run) {
  const clear = () =>
    answerTo(page, words.all, () => page.getByRole('button', { name: 'Limpar filtros' }).click())
  for (const name of ['Nome', 'Último Acesso', 'Data de Registro']) {
    const header = page.getByRole('columnheader', { name }).getByRole('button')
    run.sort.push(await answerTo(page, 'ascending', () => header.click()))
    run.sort.push(await answerTo(page, 'descending', () => header.click()))
  }
  for (const { label, option, query } of FILTERS) {
    await page.getByRole('button', { name: `Filtrar por ${label}` }).click()
    const choice = page.getByRole('option', { name: option, exact: true })
    run.filter.push(await answerTo(page, await words.matching(query), () => choice.click()))
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

async function measure(browser: Browser, portalUrl: string): Promise<Run> {
  const words = await wordsFrom(portalUrl)
  const storage = await signInBrowser(browser, portalUrl)
  const run: Run = { firstRows: [], sort: [], filter: [], search: [], wheel: [], jumps: [], end: 0 }
  // The first round makes the server and the database warm.
  for (let round = 0; round <= rounds; round++) {
    const { page, firstRows } = await openUserTable(browser, storage, portalUrl)
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
}

function figuresOf(run: Run): Figure[] {
  const unit = 'ms'
  const answers = (what: string, list: Answer[]): Figure => ({
    what,
    value: median(list.map(({ rows }) => rows)),
    unit,
    atMost: MAX_ANSWER_MS,
    note: `${spread(list.map(({ rows }) => rows))}, something seen after ${median(list.map(({ feedback }) => feedback)).toFixed(0)}`,
  })
  const tasks = (what: string, list: LongestTask[]): Figure => ({
    what: `longest task while ${what}`,
    value: median(list.map(({ cpu }) => cpu)),
    unit,
    atMost: MAX_TASK_MS,
    note: `${spread(list.map(({ cpu }) => cpu))} of the processor, ${spread(list.map(({ clock }) => clock))} on the clock`,
  })
  return [
    {
      what: 'first rows of /admin',
      value: median(run.firstRows),
      unit,
      atMost: MAX_FIRST_ROWS_MS,
      note: spread(run.firstRows),
    },
    answers('sorted rows', run.sort),
    answers('filtered rows', run.filter),
    answers('found rows, last key', run.search),
    tasks('scrolling', run.wheel),
    tasks('jumping about', run.jumps),
    { what: 'last row after a jump to the end', value: run.end, unit },
  ]
}

await runBench(async (cleanUp) => {
  const browser = await openChromium(cleanUp)
  const portal = await startWithPeople(PEOPLE, await openPostgres(cleanUp), cleanUp)
  return figuresOf(await measure(browser, portal.url))
})
