import { readFileSync } from 'node:fs'
import type { Frame, Page } from '@playwright/test'
import type axeCore from 'axe-core'

/** Of every rule that axe has. */
export interface Finding {
  impact: string | null | undefined
  /** The rule and where it is broken. */
  text: string
}

const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

async function lookAt(frame: Frame, within: string): Promise<Finding[]> {
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(axeSource)
  return frame.evaluate(async (selector) => {
    const { axe } = window as typeof window & { axe: typeof axeCore }
    // A colour on its way to another is none of the page's colours.
    const moving = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
    await Promise.allSettled(moving.map(({ finished }) => finished))
    const { violations } = await axe.run(selector, { iframes: false, resultTypes: ['violations'] })
    return violations.map(({ id, impact, nodes }) => ({
      impact,
      text: `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    }))
  }, within)
}

/**
 * What axe finds in a page and its frames. A page keeps axe from one look to the next, and only what was found crosses
 * over to the test: most of what the tests of accessibility took went into carrying both.
 */
export async function axeFindings(page: Page, within = 'html'): Promise<Finding[]> {
  const found = await lookAt(page.mainFrame(), within)
  for (const frame of page.frames().slice(1))
    if (await (await frame.frameElement()).isVisible()) found.push(...(await lookAt(frame, 'html')))
  return found
}

/** What axe finds serious or critical in a page, each with where it is. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const found = await axeFindings(page)
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ text }) => text)
}
