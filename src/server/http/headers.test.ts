import { expect, test } from 'vitest'
import { createSecurityHeaders } from './headers.ts'

test.each([true, false])('Strict-Transport-Security is sent only with TLS: %s', (isHttps) => {
  const headers = new Headers(createSecurityHeaders(isHttps, ['app.powerbi.com']))
  expect(headers.get('strict-transport-security')).toBe(
    isHttps ? 'max-age=31536000; includeSubDomains' : null,
  )
})

test('reports alone may use full screen and write to the clipboard', () => {
  const headers = new Headers(createSecurityHeaders(true, ['app.powerbi.com']))
  const reports = '(self "https://app.powerbi.com")'
  expect(headers.get('permissions-policy')?.split(', ')).toEqual(
    expect.arrayContaining([`fullscreen=${reports}`, `clipboard-write=${reports}`]),
  )
})
