// Measures the user table of /admin with 10,000 people: time to the
// first rows, time to the response to a click or key, and the longest
// task while scrolling. `node proof/bench/admin-screen.ts [--rounds 5]`
import type { Page } from '@playwright/test'
import { type LongestTask, measureLongestTask, openChromium } from '#proof/shared/chromium.ts'
import { type Figure, formatSpread, readNumbers, runBench, toMsFigure } from '#proof/shared/figures.ts'
import { ADMIN, signInAsAdmin, startWithPeople } from '#proof/shared/people.ts'
import { openPostgres } from '#proof/shared/postgres.ts'
import { send } from '#proof/shared/requests.ts'
import { say } from '#proof/shared/run-task.ts'

const { rounds } = readNumbers({ rounds: 5 })
const PEOPLE = 10_000
const MAX_FIRST_ROWS_MS = 1_000
const MAX_ANSWER_MS = 100
const MAX_TASK_MS = 50
const KEY_DELAY_MS = 90
/** Each further letter narrows the list. */
const TERMS = ['mar', 'ca', 'sil', 'lim', 'jos']
const COLUMNS = ['Nome', 'Último Acesso', 'Data de Registro']
const FILTERS = [
  { label: 'Marca', option: 'FIAT', query: 'marca=FIAT' },
  { label: 'Status', option: 'Pendente', query: 'approved=false' },
  { label: 'Estado', option: 'MG', query: 'estado=MG' },
]

/**
 * Marks in milliseconds on the page's clock, and what identifies
 * a response: a column's direction, or the status text.
 */
interface TableMarks {
  firstRows: number
  input: number
  rows: number
  expected: string
}
type Marked = { tableMarks: TableMarks }

/** Runs in the page and checks every frame. A row counts once its frame has been submitted. */
function watchUserTable(): void {
  const marks: TableMarks = { firstRows: 0, input: 0, rows: 0, expected: '' }
  Object.assign(window, { tableMarks: marks })
  const look = () => {
    requestAnimationFrame(look)
    const table = document.querySelector('#usuarios table')
    if (!table?.querySelector('[data-index]')) return
    const note = (name: 'firstRows' | 'rows', since: number) =>
      setTimeout(() => {
        marks[name] ||= performance.now() - since
      })
    if (marks.firstRows === 0) note('firstRows', 0)
    const direction = table.querySelector('th[aria-sort$=ending]')?.getAttribute('aria-sort')
    const words = document.querySelector('#usuarios [role="status"]')?.textContent
    const isThere = marks.expected === direction || marks.expected === words
    if (marks.input > 0 && isThere && table.getAttribute('aria-busy') === 'false') note('rows', marks.input)
  }
  requestAnimationFrame(look)
  for (const type of ['keydown', 'click'])
    addEventListener(type, ({ timeStamp }) => Object.assign(marks, { input: timeStamp, rows: 0 }), {
      capture: true,
    })
}

/**
 * Performs an action on the table.
 * @returns milliseconds from its last key or click until the page shows the expected rows
 */
async function measure(page: Page, expected: string, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate((text) => {
    Object.assign((window as unknown as Marked).tableMarks, { expected: text, input: 0, rows: 0 })
  }, expected)
  await act()
  const rows = await page.waitForFunction(() => (window as unknown as Marked).tableMarks.rows)
  return rows.jsonValue()
}

/**
 * Queries the server's count.
 * @returns the status text that the page will show
 */
type ReadStatus = (query?: string) => Promise<string>

async function createStatusReader(url: string): Promise<ReadStatus> {
  const token = await signInAsAdmin(url)
  const count = async (query: string) => {
    const { body } = await send(url, { path: `/api/profiles/count?${query}`, token })
    return (JSON.parse(body) as { total: number }).total.toLocaleString('pt-BR')
  }
  const all = `${await count('')} usuários`
  return async (query) => (query ? `${await count(query)} de ${all}` : all)
}

interface Run {
  firstRows: number[]
  sort: number[]
  filter: number[]
  search: number[]
  wheel: LongestTask[]
  jumps: LongestTask[]
}

async function measureInputs(page: Page, run: Run, words: ReadStatus): Promise<void> {
  const all = await words()
  const clear = () => measure(page, all, () => page.getByRole('button', { name: 'Limpar filtros' }).click())
  for (const name of COLUMNS)
    for (const direction of ['ascending', 'descending']) {
      const header = page.getByRole('columnheader', { name }).getByRole('button')
      run.sort.push(await measure(page, direction, () => header.click()))
    }
  await page.getByRole('button', { name: /^Filtros/ }).click()
  for (const { label, option, query } of FILTERS) {
    const expected = await words(query)
    await page.getByLabel(`Filtrar por ${label}`).click()
    const choice = page.getByRole('option', { name: option, exact: true })
    run.filter.push(await measure(page, expected, () => choice.click()), await clear())
  }
  for (const term of TERMS) {
    const expected = await words(`q=${term}`)
    if (expected === (await words(`q=${term.slice(0, -1)}`)))
      throw new Error(`the last letter of '${term}' changes nothing`)
    const type = () => page.getByRole('searchbox').pressSequentially(term, { delay: KEY_DELAY_MS })
    run.search.push(await measure(page, expected, type))
    await clear()
  }
}

/** Turns the wheel continuously. */
async function scrollByWheel(page: Page): Promise<void> {
  for (let step = 0; step < 60; step++) await page.mouse.wheel(0, 900)
  await page.waitForTimeout(300)
}

/** Drags the scroll bar to distant positions, where rows load. */
async function dragScrollBar(page: Page): Promise<void> {
  for (const share of [0.3, 0.05, 0.6, 0.15, 0.45]) {
    await page.locator('main').evaluate((main, to) => main.scrollTo({ top: main.scrollHeight * to }), share)
    await page.waitForTimeout(300)
  }
}

const toTaskFigure = (what: string, tasks: LongestTask[]): Figure => ({
  ...toMsFigure(
    `longest task while ${what}`,
    tasks.map(({ cpu }) => cpu),
    MAX_TASK_MS,
  ),
  note: `of the processor; ${formatSpread(tasks.map(({ clock }) => clock))} on the clock`,
})

await runBench(async (cleanUp) => {
  const browser = await openChromium(cleanUp)
  const { url } = await startWithPeople(PEOPLE, await openPostgres(cleanUp), cleanUp)
  const words = await createStatusReader(url)
  const first = await browser.newPage()
  await first.goto(`${url}/login`)
  await first.getByLabel('E-mail').fill(ADMIN.email)
  await first.getByLabel('Senha', { exact: true }).fill(ADMIN.password)
  await first.getByRole('button', { name: 'Entrar', exact: true }).click()
  await first.waitForURL('**/power-bi')
  const storageState = await first.context().storageState()
  const run: Run = { firstRows: [], sort: [], filter: [], search: [], wheel: [], jumps: [] }
  // The first round warms up the server and the database.
  for (let round = 0; round <= rounds; round++) {
    const viewport = { width: 1440, height: 900 }
    const page = await browser.newPage({ storageState, viewport, locale: 'pt-BR' })
    await page.addInitScript(watchUserTable)
    await page.goto(`${url}/admin`)
    const marked = await page.waitForFunction(() => (window as unknown as Marked).tableMarks.firstRows)
    if (round > 0) {
      run.firstRows.push(await marked.jsonValue())
      await measureInputs(page, run, words)
      await page.locator('main').hover()
      run.wheel.push(await measureLongestTask(browser, page, () => scrollByWheel(page)))
      run.jumps.push(await measureLongestTask(browser, page, () => dragScrollBar(page)))
      say(`round ${round} of ${rounds}: first rows after ${run.firstRows.at(-1)?.toFixed(0)} ms`)
    }
    await page.close()
  }
  return [
    toMsFigure('first rows of /admin', run.firstRows, MAX_FIRST_ROWS_MS),
    toMsFigure('sorted rows', run.sort, MAX_ANSWER_MS),
    toMsFigure('filtered rows', run.filter, MAX_ANSWER_MS),
    toMsFigure('found rows, last key', run.search, MAX_ANSWER_MS),
    toTaskFigure('scrolling', run.wheel),
    toTaskFigure('jumping about', run.jumps),
  ]
})
