import type { Page } from '@playwright/test'

/** Collects what a page, and every frame in it, breaks of a policy from now on: the events, and the console's lines. */
export async function watchViolations(page: Page): Promise<string[]> {
  const violations: string[] = []
  page.on('console', (message) => {
    if (
      /Content Security Policy|Permissions policy violation|TrustedHTML|TrustedScript/i.test(message.text())
    )
      violations.push(`console at ${page.url()}: ${message.text()}`)
  })
  await page.exposeBinding('tellViolation', (_, violation: string) => void violations.push(violation))
  await page.addInitScript(() => {
    const { tellViolation } = globalThis as unknown as { tellViolation: (violation: string) => void }
    document.addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective, blockedURI, documentURI, sourceFile, sample } = event
      tellViolation(`${effectiveDirective} ${blockedURI} at ${documentURI} by ${sourceFile}: ${sample}`)
    })
  })
  return violations
}

/** What of a watched page breaks its policy on purpose: shows that the watch sees it. */
export function breakPolicy(page: Page): Promise<void> {
  return page.evaluate(() => {
    const image = new Image()
    image.src = 'https://elsewhere.example/x.png'
  })
}
