import type { BrowserContext, ConsoleMessage, Page } from '@playwright/test'

/** Who is known to break the policy that is only tried (docs/security.md): the human check, of either kind. */
const KNOWN_REPORTER =
  /^(http:\/\/[^/]+\/assets\/(altcha|recaptcha)-widget-[\w-]+\.js|https:\/\/www\.google\.com\/recaptcha\/.*)$/

interface Violation {
  disposition: SecurityPolicyViolationEventDisposition
  sourceFile: string
  text: string
}

/**
 * Collects what the pages of a context, and every frame in them, break of a policy from now on: the events, and the
 * console's lines.
 * Also what is only reported, but for the human check's part, so that nothing else comes to stand in the way of Trusted Types.
 */
export async function watchViolations(context: BrowserContext): Promise<string[]> {
  const violations: string[] = []
  context.on('console', (message) => {
    if (isAboutPolicy(message)) violations.push(`console at ${message.page()?.url()}: ${message.text()}`)
  })
  await context.exposeBinding('tellViolation', (_, { disposition, sourceFile, text }: Violation) => {
    if (disposition === 'report' && KNOWN_REPORTER.test(sourceFile)) return
    violations.push(`${disposition}: ${text}`)
  })
  await context.addInitScript(() => {
    const { tellViolation } = globalThis as unknown as { tellViolation: (violation: Violation) => void }
    document.addEventListener('securitypolicyviolation', (event) => {
      const { disposition, effectiveDirective, blockedURI, documentURI, sourceFile, sample } = event
      const text = `${effectiveDirective} ${blockedURI} at ${documentURI} by ${sourceFile}: ${sample}`
      tellViolation({ disposition, sourceFile: sourceFile ?? '', text })
    })
  })
  return violations
}

/** What is only reported has no source here; its event has. */
function isAboutPolicy(message: ConsoleMessage): boolean {
  const text = message.text()
  return (
    /Content Security Policy|Permissions policy violation|TrustedHTML|TrustedScript/i.test(text) &&
    !/policy is report-only/i.test(text)
  )
}

/** What of a watched page breaks its policies on purpose: shows that the watch sees it. */
export function breakPolicy(page: Page): Promise<void> {
  return page.evaluate(() => {
    const image = new Image()
    image.src = 'https://elsewhere.example/x.png'
    document.createElement('p').innerHTML = 'a bare string'
  })
}
