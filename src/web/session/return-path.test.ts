import { expect, it } from 'vitest'
import { toReturnPath } from './session-end.ts'

it.each(['/power-bi?area=Vendas&visao=1', '/admin/listas', '/apiario', '/profile#x'])('keeps %s', (path) =>
  expect(toReturnPath(path)).toBe(path),
)

it.each([
  undefined,
  '',
  '//example.com',
  '/\\example.com',
  '/a\\b',
  '/\t/example.com',
  '/\n/example.com',
  '/\r\\example.com',
  'https://example.com',
  'javascript:alert(1)',
  'power-bi',
  '/api',
  '/api/reports/me',
])('drops %s', (path) => expect(toReturnPath(path)).toBeUndefined())
