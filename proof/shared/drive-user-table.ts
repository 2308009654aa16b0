import type { Browser, BrowserContext, Page } from '@playwright/test'
import { ADMIN } from './people.ts'

/** What the page notes of itself; times in milliseconds of its own clock. */
interface TableMarks {
  /** From the start of the navigation until the first rows were drawn. */
  firstRows: number
  /** When the last key or click came in. */
  input: number
  /** What has to be on the page for an answer to be complete: a direction of the first column, or the words. */
  expected: string
  /** Since that input, until anything was seen of it, and until its rows were there. */
  feedback: number
  rows: number
}

/** Runs in the page and looks at every frame. What is drawn counts once the frame has been handed over. */
function watchUserTable(): void {
  const marks: TableMarks = { firstRows: 0, input: 0, expected: '', feedback: 0, rows: 0 }
  Object.assign(window, { tableMarks: marks })

  const isAnswered = (table: Element): boolean => {
    if (table.getAttribute('aria-busy') === 'true' || !table.querySelector('[data-index]')) return false
    const direction = table.querySelector('th[aria-sort]:not([aria-sort="none"])')?.getAttribute('aria-sort')
    const words = document.querySelector('#usuarios [role="status"]')?.textContent
    return marks.expected === direction || marks.expected === words
  }
  const look = () => {
    requestAnimationFrame(look)
    const table = document.querySelector('#usuarios table')
    if (!table) return
    const note = (name: 'firstRows' | 'feedback' | 'rows', since: number) =>
      setTimeout(() => {
        marks[name] ||= performance.now() - since
      })
    if (marks.firstRows === 0 && table.querySelector('[data-index]')) note('firstRows', 0)
    if (marks.input === 0) return
    const isDone = isAnswered(table)
    if (marks.feedback === 0 && (isDone || table.getAttribute('aria-busy') === 'true'))
      note('feedback', marks.input)
    if (marks.rows === 0 && isDone) note('rows', marks.input)
  }
  requestAnimationFrame(look)

  for (const type of ['keydown', 'click', 'change'])
    addEventListener(
      type,
      ({ timeStamp }) => {
        Object.assign(marks, { input: timeStamp, feedback: 0, rows: 0 })
      },
      { capture: true },
    )
}

const KEY_DELAY_MS = 90
const WHEEL_STEPS = 60
const WHEEL_PX = 900
const JUMPS = [0.3, 0.05, 0.6, 0.15, 0.45]

/** Milliseconds until something was seen of an input, and until its rows stood there. */
export interface Answer {
  feedback: number
  rows: number
}
type Marked = { tableMarks: TableMarks }

/** Signs the administrator in. @returns the browser's storage, for contexts without a cache */
export async function signInBrowser(browser: Browser, portalUrl: string) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${portalUrl}/login`)
  await page.getByLabel('E-mail').fill(ADMIN.email)
  await page.getByLabel('Senha', { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.waitForURL('**/power-bi')
  const storage = await context.storageState()
  await context.close()
  return storage
}

type Storage = Awaited<ReturnType<BrowserContext['storageState']>>

/** Opens /admin in a browser without cache. @returns milliseconds until the first rows, and the open page */
export async function openUserTable(browser: Browser, storageState: Storage, portalUrl: string) {
  const viewport = { width: 1440, height: 900 }
  const context = await browser.newContext({ storageState, viewport, locale: 'pt-BR' })
  const page = await context.newPage()
  await page.addInitScript(watchUserTable)
  await page.goto(`${portalUrl}/admin`)
  const firstRows = await page.waitForFunction(() => (window as unknown as Marked).tableMarks.firstRows)
  return { page, firstRows: await firstRows.jsonValue() }
}

/** Does something to the table and waits until the page shows `expected`. */
export async function answerTo(page: Page, expected: string, act: () => Promise<unknown>): Promise<Answer> {
  await page.evaluate((words) => {
    Object.assign((window as unknown as Marked).tableMarks, {
      expected: words,
      input: 0,
      feedback: 0,
      rows: 0,
    })
  }, expected)
  await act()
  const marks = await page.waitForFunction(() => {
    const { feedback, rows } = (window as unknown as Marked).tableMarks
    return rows > 0 && { feedback, rows }
  })
  return (await marks.jsonValue()) as Answer
}

/** Types as somebody who knows the keyboard. */
export async function typeSearch(page: Page, term: string): Promise<void> {
  await page.getByRole('searchbox').pressSequentially(term, { delay: KEY_DELAY_MS })
}

/** Turns the wheel as fast as it goes. */
export async function turnWheel(page: Page): Promise<void> {
  for (let step = 0; step < WHEEL_STEPS; step++) await page.mouse.wheel(0, WHEEL_PX)
  await page.waitForTimeout(300)
}

/** Drags the scroll bar here and there; rows on the way are read. */
export async function jumpAbout(page: Page): Promise<void> {
  for (const share of JUMPS) {
    await page.locator('main').evaluate((main, to) => main.scrollTo({ top: main.scrollHeight * to }), share)
    await page.waitForTimeout(300)
  }
}

/** Jumps to the very end. @returns milliseconds until the last row has been read and drawn */
export async function jumpToEnd(page: Page): Promise<number> {
  const started = performance.now()
  await page.locator('main').evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await page.waitForFunction(() => {
    const count = document.querySelector('#usuarios table')?.getAttribute('aria-rowcount')
    return document.querySelector(`#usuarios [aria-rowindex="${count}"]`) !== null
  })
  return performance.now() - started
}
