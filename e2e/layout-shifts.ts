import type { Page } from '@playwright/test'

/**
 * Watches from the next page on what moves without having been moved, also within the half second after a key that
 * Chromium's own sum leaves out.
 * @returns reads what has moved since the last reading, each with how much
 */
export async function watchLayoutShifts(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const moved: string[] = []
    Object.assign(window, { moved })
    type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] }
    new PerformanceObserver((list) => {
      // A font that comes late moves a line by a hair.
      for (const { value, sources } of list.getEntries() as Shift[])
        if (value >= 0.001)
          moved.push(
            `${value.toFixed(4)} ${sources.map(({ node }) => (node?.nodeType === 1 ? (node as Element).outerHTML.slice(0, 160) : node?.textContent)).join(' | ')}`,
          )
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return () =>
    page.evaluate(async () => {
      await document.fonts.ready
      // What has moved is told after the next two frames.
      for (let frames = 0; frames < 3; frames += 1)
        await new Promise((resolve) => requestAnimationFrame(resolve))
      return (window as unknown as { moved: string[] }).moved.splice(0)
    })
}
