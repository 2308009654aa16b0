import { expect, test } from 'vitest'
import { describeApi } from './openapi.ts'

test('a stream is documented with the schema of its events', () => {
  const { get } = describeApi().paths['/api/support-messages/changes'] as Record<
    string,
    { responses: object }
  >
  expect(get?.responses).toMatchObject({
    200: { content: { 'text/event-stream': { schema: { anyOf: [expect.anything(), expect.anything()] } } } },
  })
  expect(get?.responses).not.toHaveProperty('204')
})
