import { readFileSync } from 'node:fs'
import { expect, type Frame, type Page, test } from '@playwright/test'
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
    const readMoving = () =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) =>
            playState === 'running' && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY,
        )
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    // A colour on its way to another is none of the page's colours; what inherits it sets out when it has arrived.
    await drawn()
    for (let moving = readMoving(); moving.length > 0; moving = readMoving()) {
      await Promise.allSettled(moving.map(({ finished }) => finished))
      await drawn()
    }
    // A focus guard passes the focus on and never has it, which axe cannot know (dequelabs/axe-core#4832).
    const context = { include: selector, exclude: '[data-base-ui-focus-guard]' }
    const { violations } = await axe.run(context, { iframes: false, resultTypes: ['violations'] })
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

/** Looks at the same state in light and dark, at a desk and on a phone; the page stays as it was looked at last. */
export async function inEachLook(page: Page, check: () => Promise<void>): Promise<void> {
  for (const width of [1440, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await test.step(`${colorScheme}, ${width} px`, check)
    }
}

export function expectNothingSerious(page: Page): Promise<void> {
  return inEachLook(page, async () => expect(await seriousFindings(page)).toEqual([]))
}
