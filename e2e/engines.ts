import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Browser, launch } from 'puppeteer-core'
import { runProcess } from '#proof/shared/processes.ts'
import { type CleanUp, makeTempFolder } from '#proof/shared/run-task.ts'
import { findFirefox, findWebKit } from '#scripts/find-programs.mjs'
import { findFreePort } from '#server/testing/portal-process.ts'

/** The few operations that a journey needs of a browser. An XPath without a match rejects. */
export interface Engine {
  goto(path: string): Promise<unknown>
  click(xpath: string): Promise<unknown>
  type(xpath: string, text: string): Promise<unknown>
  /** Evaluates an expression in the page, or in the frame with this title. */
  evaluate(expression: string, frame?: string): Promise<unknown>
  resize(width: number): Promise<unknown>
}

const HEIGHT = 844

/** Opens headless Firefox, driven over WebDriver BiDi. */
async function openFirefox(portal: string, cleanUp: CleanUp): Promise<Engine> {
  const browser: Browser = await launch({ browser: 'firefox', executablePath: findFirefox() as string })
  cleanUp(() => browser.close())
  const page = await browser.newPage()
  const find = async (selector: string) => {
    const element = await page.$(selector)
    if (!element) throw new Error(`${selector} is not there`)
    return element
  }
  const byXPath = (xpath: string) => find(`::-p-xpath(${xpath})`)
  return {
    goto: (path) => page.goto(`${portal}${path}`),
    click: async (xpath) => (await byXPath(xpath)).click(),
    type: async (xpath, text) => (await byXPath(xpath)).type(text),
    async evaluate(expression, frame) {
      if (frame === undefined) return page.evaluate(expression)
      const content = await (await find(`iframe[title="${frame}"]`)).contentFrame()
      return content?.evaluate(expression)
    },
    resize: (width) => page.setViewport({ width, height: HEIGHT }),
  }
}

/** Opens WebKitGTK's MiniBrowser on a virtual screen, driven over classic WebDriver. */
async function openWebKit(portal: string, cleanUp: CleanUp): Promise<Engine> {
  const port = await findFreePort()
  const display = `:${port - 10_000}`
  const XDG_CONFIG_HOME = makeTempFolder(cleanUp)
  mkdirSync(join(XDG_CONFIG_HOME, 'gtk-3.0'))
  // Its toolbar would keep the window from becoming as narrow as a phone.
  writeFileSync(
    join(XDG_CONFIG_HOME, 'gtk-3.0/gtk.css'),
    '* { min-width: 0; padding: 0; margin: 0; font-size: 4px; }',
  )
  const screen = runProcess('Xvfb', [display, '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'])
  cleanUp(screen.stop)
  const env = { DISPLAY: display, XDG_CONFIG_HOME }
  const driver = runProcess('WebKitWebDriver', ['-p', String(port)], { env, isGroup: true })
  cleanUp(driver.stop)

  const call = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    const { value } = (await reply.json()) as { value: unknown }
    if (!reply.ok) throw new Error(`${path}: ${JSON.stringify(value)}`)
    return value
  }
  const openSession = async (triesLeft = 100): Promise<unknown> => {
    try {
      return await call('POST', '', { capabilities: {} })
    } catch (error) {
      // Driver and screen are still starting.
      if (triesLeft === 0 || driver.hasEnded() || screen.hasEnded()) throw error
      await wait(200)
      return openSession(triesLeft - 1)
    }
  }
  const { sessionId } = (await openSession()) as { sessionId: string }
  cleanUp(() => call('DELETE', `/${sessionId}`))
  const post = (path: string, body: object) => call('POST', `/${sessionId}${path}`, body)
  const find = (xpath: string) => post('/element', { using: 'xpath', value: xpath }) as Promise<object>
  const act = async (xpath: string, action: string, body: object) => {
    const [id] = Object.values(await find(xpath))
    return post(`/element/${id}/${action}`, body)
  }
  const evaluate = (expression: string) => post('/execute/sync', { script: `return ${expression}`, args: [] })
  return {
    goto: (path) => post('/url', { url: `${portal}${path}` }),
    click: (xpath) => act(xpath, 'click', {}),
    type: (xpath, text) => act(xpath, 'value', { text }),
    async evaluate(expression, frame) {
      if (frame === undefined) return evaluate(expression)
      await post('/frame', { id: await find(`//iframe[@title="${frame}"]`) })
      try {
        return await evaluate(expression)
      } finally {
        await post('/frame', { id: null })
      }
    },
    resize: (width) => post('/window/rect', { x: 0, y: 0, width, height: HEIGHT }),
  }
}

/** Browser engines other than Chromium, with how each is detected and opened. */
export const ENGINES = {
  Firefox: { isHere: () => findFirefox() !== undefined, open: openFirefox },
  WebKit: { isHere: findWebKit, open: openWebKit },
}
