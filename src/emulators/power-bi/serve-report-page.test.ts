import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { policyOf } from './serve-report-page.ts'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

it('allows the page its own inline script and style and nothing else', () => {
  const policy = policyOf('<style>a{}</style><script>let x\n= 1</script>')
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${hashOf('let x\n= 1')}`,
    `style-src ${hashOf('a{}')}`,
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ])
})
