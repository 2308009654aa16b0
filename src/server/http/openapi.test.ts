import { expect, test } from 'vitest'
import { describeApi } from './openapi.ts'

test('a stream is documented with the schema of its events', () => {
  const { get } = describeApi().paths['/api/changes'] as Record<string, { responses: object }>
  expect(get?.responses).toMatchObject({
    200: { content: { 'text/event-stream': { schema: { type: 'object' } } } },
  })
  expect(get?.responses).not.toHaveProperty('204')
})
