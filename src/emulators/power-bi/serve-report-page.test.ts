import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { buildPolicy } from './serve-report-page.ts'

const computeHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

it('the policy only allows the page’s inline script and style', () => {
  const policy = buildPolicy('<style>a{}</style><script>let x\n= 1</script>')
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${computeHash('let x\n= 1')}`,
    `style-src ${computeHash('a{}')}`,
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ])
})
