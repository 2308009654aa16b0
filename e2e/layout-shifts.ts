import type { Page } from '@playwright/test'

/**
 * Records layout shifts from the next page on, also within half a
 * second after a key press, which Chromium's own score excludes.
 * @returns a function that reads the shifts since its last call, each with its score
 */
export async function watchLayoutShifts(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const moved: string[] = []
    Object.assign(window, { moved })
    type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] }
    new PerformanceObserver((list) => {
      // A late font shifts a line by a fraction of a pixel.
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
      // Shifts are reported after the next two frames.
      for (let frames = 0; frames < 3; frames += 1)
        await new Promise((resolve) => requestAnimationFrame(resolve))
      return (window as unknown as { moved: string[] }).moved.splice(0)
    })
}
