// Takes screenshots of every screen in every state of a demo: desktop, narrow desktop and phone;
// light, dark and forced colors. `npm run pictures [-- --only PART-OF-A-NAME] [--to FOLDER] [--docs]`:
// default folder dist/pictures; --docs writes the README's, light only, to docs/pictures.
import { mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import { DIRECTOR, fetchPasses } from '#proof/shared/people.ts'
import { FIRST_PORT, startPortal } from '#proof/shared/processes.ts'
import { makeTempFolder, runTask, say } from '#proof/shared/run-task.ts'
import { ensureChromium } from '#scripts/find-programs.mjs'
import { root } from '#scripts/run-command.mjs'
import { SCREEN_STATES, type ScreenState } from './screen-states.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, to: { type: 'string' }, docs: { type: 'boolean' } },
})
const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
const SIZES = values.docs ? [DESK, PHONE] : [DESK, { width: 1180, height: 820 }, PHONE]
const LIGHT = { colorScheme: 'light', forcedColors: 'none' } as const
const MEDIA = {
  light: LIGHT,
  ...(!values.docs &&
    ({
      dark: { colorScheme: 'dark', forcedColors: 'none' },
      forced: { colorScheme: 'dark', forcedColors: 'active' },
    } as const)),
}
const folder = values.to ?? join(root, values.docs ? 'docs/pictures' : 'dist/pictures')
const wanted = SCREEN_STATES.filter(({ name, isInDocs }) =>
  values.docs ? isInDocs : name.includes(values.only ?? ''),
)

/** Returns the browser storage of each account needed, by the local part of its address. */
async function openSessions(url: string): Promise<Map<string, string>> {
  const names = [...new Set(wanted.flatMap((state) => state.as ?? []))]
  const passes = await fetchPasses(url, names.length)
  const sessions = names.map(async (name, index) => {
    const body = { email: `${name}@grupopatio.com.br`, password: DIRECTOR.password, captcha: passes[index] }
    const reply = await fetch(`${url}/api/auth/token?grant_type=password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${name} could not sign in: ${await reply.text()}`)
    return [name, await reply.text()] as const
  })
  return new Map(await Promise.all(sessions))
}

/** Takes all pictures of a state: opens it once per size and switches the colors without a reload. */
async function take(
  browser: Browser,
  state: ScreenState,
  url: string,
  session: string | undefined,
): Promise<void> {
  const localStorage = session === undefined ? [] : [{ name: 'patio.session', value: session }]
  const context = await browser.newContext({
    viewport: DESK,
    baseURL: url,
    locale: 'pt-BR',
    timezoneId: 'America/Sao_Paulo',
    reducedMotion: 'reduce',
    storageState: { cookies: [], origins: [{ origin: url, localStorage }] },
  })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    await state.given?.(page)
    for (const viewport of SIZES) {
      await page.setViewportSize(viewport)
      // Via another page: the same URL, or a hash-only change, would not reload.
      await page.goto('about:blank')
      await page.emulateMedia(LIGHT)
      await page.goto(state.path)
      await state.ready(page).waitFor()
      await state.act?.(page)
      for (const [look, media] of Object.entries(MEDIA)) {
        await page.emulateMedia(media)
        const name = `${state.name}-${viewport.width}${values.docs ? '' : `-${look}`}.png`
        await page.screenshot({ path: join(folder, name), fullPage: !values.docs, animations: 'disabled' })
      }
    }
  } finally {
    await context.close()
  }
}

await runTask(async (cleanUp) => {
  mkdirSync(folder, { recursive: true })
  const env = { DATA_DIR: makeTempFolder(cleanUp), RATE_LIMITS: 'off', ALTCHA_COST: '1', LOG_LEVEL: 'warn' }
  const portal = await startPortal(FIRST_PORT, env)
  cleanUp(portal.stop)
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: ['--no-sandbox', '--lang=pt-BR'],
  })
  cleanUp(() => browser.close())
  const sessions = await openSessions(portal.url)
  const failed: string[] = []
  for (const state of wanted) {
    await take(browser, state, portal.url, sessions.get(state.as ?? '')).catch((error: unknown) => {
      failed.push(state.name)
      say(String(error))
    })
    say(state.name)
  }
  say(`pictures in ${relative(process.cwd(), folder)}`)
  if (failed.length > 0) throw new Error(`no picture of:\n${failed.join('\n')}`)
})
