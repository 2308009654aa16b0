import { readFileSync } from 'node:fs'
import { expect, type Frame, type Page, test } from '@playwright/test'
import type axeCore from 'axe-core'

/** A violation of an axe rule. */
export interface Finding {
  impact: string | null | undefined
  /** The rule and the element that violates it. */
  text: string
}

const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

async function runAxe(frame: Frame, within: string): Promise<Finding[]> {
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(axeSource)
  return frame.evaluate(async (selector) => {
    const { axe } = window as typeof window & { axe: typeof axeCore }
    const listRunningAnimations = () =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) =>
            playState === 'running' && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY,
        )
    const waitForFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    // Ends color transitions, whose colors are not the page's; inheriting elements start theirs later.
    await waitForFrame()
    for (let moving = listRunningAnimations(); moving.length > 0; moving = listRunningAnimations()) {
      await Promise.allSettled(moving.map(({ finished }) => finished))
      await waitForFrame()
    }
    // A focus guard only passes the focus on, which axe cannot know (dequelabs/axe-core#4832).
    const context = { include: selector, exclude: '[data-base-ui-focus-guard]' }
    const { violations } = await axe.run(context, { iframes: false, resultTypes: ['violations'] })
    return violations.map(({ id, impact, nodes }) => ({
      impact,
      text: `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    }))
  }, within)
}

/**
 * Returns axe's findings in a page and its frames. Injects axe once per page
 * and returns only the findings: transferring axe and its full results took most of the time.
 */
export async function findViolations(page: Page, within = 'html'): Promise<Finding[]> {
  const found = await runAxe(page.mainFrame(), within)
  for (const frame of page.frames().slice(1))
    if (await (await frame.frameElement()).isVisible()) found.push(...(await runAxe(frame, 'html')))
  return found
}

/** Returns axe's serious and critical findings in a page, each with its element. */
export async function findSeriousViolations(page: Page): Promise<string[]> {
  const found = await findViolations(page)
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ text }) => text)
}

/** Runs a check in light and dark, desktop and phone; the page keeps the last of them. */
export async function forEachAppearance(page: Page, check: () => Promise<void>): Promise<void> {
  for (const width of [1440, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await test.step(`${colorScheme}, ${width} px`, check)
    }
}

export function expectNoSeriousViolations(page: Page): Promise<void> {
  return forEachAppearance(page, async () => expect(await findSeriousViolations(page)).toEqual([]))
}
