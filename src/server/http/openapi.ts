import * as z from 'zod'
import { routeGroups } from '#contract/index.ts'
import type { Problem } from '#contract/problem.ts'
import type { Route, Schema } from '#contract/route.ts'

function toJsonSchema(schema: Schema, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function listParameters(schema: Schema | undefined, where: 'path' | 'query') {
  if (!schema) return []
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input') as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: value,
  }))
}

function describeOperation(name: string, tag: string, route: Route) {
  const hasReply = route.response || route.text || route.events || route.file
  const status = route.status ?? (hasReply ? 200 : 204)
  const toContent = (type: string, schema: object) => ({ content: { [type]: { schema } } })
  return {
    operationId: name,
    tags: [tag],
    summary: route.summary,
    'x-access': route.access,
    ...(route.alsoFor && { 'x-also-for': route.alsoFor }),
    ...(route.recentAuthentication && { 'x-recent-authentication': route.recentAuthentication }),
    ...(route.access !== 'public' && {
      security: [{ [route.access === 'operator' ? 'operator' : 'bearer']: [] }],
    }),
    parameters: [
      ...listParameters(route.params, 'path'),
      ...listParameters(route.query, 'query'),
      ...(route.conditional ? [{ name: 'If-Match', in: 'header', schema: TEXT }] : []),
      ...(route.idempotent ? [{ name: 'Idempotency-Key', in: 'header', schema: TEXT }] : []),
    ],
    ...(route.body && {
      requestBody: { required: true, ...toContent('application/json', toJsonSchema(route.body, 'input')) },
    }),
    responses: {
      [status]: {
        description: 'OK',
        ...(route.response && toContent('application/json', toJsonSchema(route.response, 'output'))),
        ...(route.text && toContent(route.text, TEXT)),
        ...(route.file && toContent('application/octet-stream', {})),
        // The schema describes the data of each event.
        ...(route.events && toContent('text/event-stream', toJsonSchema(route.events, 'output'))),
      },
      default: {
        description: 'Problema (RFC 9457)',
        ...toContent('application/problem+json', { $ref: '#/components/schemas/Problem' }),
      },
    },
  }
}

const TEXT = { type: 'string' }
const FIELD = { type: 'object', properties: { path: TEXT, message: TEXT } }
const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: TEXT,
    title: TEXT,
    status: { type: 'integer' },
    detail: TEXT,
    code: TEXT,
    requestId: TEXT,
    fields: { type: 'array', items: FIELD },
  } satisfies Record<keyof Problem, object>,
}

export function describeApi() {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [tag, routes] of Object.entries(routeGroups))
    for (const [name, route] of Object.entries(routes)) {
      const operation = describeOperation(name, tag, route)
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
    }
  return {
    openapi: '3.1.0' as const,
    info: { title: 'Pátio', version: '1' },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        operator: { type: 'http', scheme: 'bearer', description: 'METRICS_TOKEN' },
      },
      schemas: { Problem: PROBLEM },
    },
  }
}
