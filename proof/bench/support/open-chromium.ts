import { type Browser, chromium } from '@playwright/test'
import type { CleanUp } from './run-task.ts'

interface Scripts {
  ensureChromium(): Promise<string>
}

/** The Chromium of the browser tests, with the switches of playwright.config.ts; closed when the run ends. */
export async function openChromium(cleanUp: CleanUp): Promise<Browser> {
  const script = new URL('../../../scripts/find-chromium.mjs', import.meta.url).href
  const { ensureChromium } = (await import(script)) as Scripts
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-sync',
    ],
  })
  cleanUp(() => browser.close())
  return browser
}
