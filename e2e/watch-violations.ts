import type { BrowserContext, ConsoleMessage, Page } from '@playwright/test'

/** The known violations of the report-only policy (docs/security.md): the human check, of either kind. */
const KNOWN_REPORTER =
  /^(http:\/\/[^/]+\/assets\/(altcha|recaptcha)-widget-[\w-]+\.js|https:\/\/www\.google\.com\/recaptcha\/.*)$/

interface Violation {
  disposition: SecurityPolicyViolationEventDisposition
  sourceFile: string
  text: string
}

/**
 * Collects policy violations of a context's pages and frames from now on,
 * by events and console messages. Includes those of the report-only policy,
 * except the human check's, so that nothing new obstructs Trusted Types.
 */
export async function watchViolations(context: BrowserContext): Promise<string[]> {
  const violations: string[] = []
  context.on('console', (message) => {
    if (isAboutPolicy(message)) violations.push(`console at ${message.page()?.url()}: ${message.text()}`)
  })
  await context.exposeBinding('reportViolation', (_, { disposition, sourceFile, text }: Violation) => {
    if (disposition === 'report' && KNOWN_REPORTER.test(sourceFile)) return
    violations.push(`${disposition}: ${text}`)
  })
  await context.addInitScript(() => {
    const { reportViolation } = globalThis as unknown as { reportViolation: (violation: Violation) => void }
    document.addEventListener('securitypolicyviolation', (event) => {
      const { disposition, effectiveDirective, blockedURI, documentURI, sourceFile, sample } = event
      const text = `${effectiveDirective} ${blockedURI} at ${documentURI} by ${sourceFile}: ${sample}`
      reportViolation({ disposition, sourceFile: sourceFile ?? '', text })
    })
  })
  return violations
}

/** Report-only messages have no source here; their events do. */
function isAboutPolicy(message: ConsoleMessage): boolean {
  const text = message.text()
  return (
    /Content Security Policy|Permissions policy violation|TrustedHTML|TrustedScript/i.test(text) &&
    !/policy is report-only/i.test(text)
  )
}

/** Violates a page's policies on purpose, to show that it is detected. */
export function breakPolicy(page: Page): Promise<void> {
  return page.evaluate(() => {
    const image = new Image()
    image.src = 'https://elsewhere.example/x.png'
    document.createElement('p').innerHTML = 'a bare string'
  })
}
