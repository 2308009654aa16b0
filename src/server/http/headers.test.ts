import { expect, test } from 'vitest'
import { securityHeaders } from './headers.ts'

test.each([true, false])('browsers are told to insist on TLS only where there is one: %s', (isHttps) => {
  const headers = new Headers(securityHeaders(isHttps, ['app.powerbi.com']))
  expect(headers.get('strict-transport-security')).toBe(
    isHttps ? 'max-age=31536000; includeSubDomains' : null,
  )
})
