import * as z from 'zod'
import { api } from '#contract/index.ts'
import type { Route, Schema } from '#contract/route.ts'

function jsonSchema(schema: Schema, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function parametersOf(schema: Schema | undefined, where: 'path' | 'query') {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
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

function operationOf(name: string, tag: string, route: Route) {
  const status = route.status ?? (route.response || route.text || route.events ? 200 : 204)
  return {
    operationId: name,
    tags: [tag],
    summary: route.summary,
    'x-access': route.access,
    ...(route.alsoFor && { 'x-also-for': route.alsoFor }),
    ...(route.access !== 'public' && {
      security: [{ [route.access === 'operator' ? 'operator' : 'bearer']: [] }],
    }),
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...(route.conditional ? [{ name: 'If-Match', in: 'header', schema: { type: 'string' } }] : []),
    ],
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchema(route.body, 'input') } },
      },
    }),
    responses: {
      [status]: {
        description: 'OK',
        ...(route.response && {
          content: { 'application/json': { schema: jsonSchema(route.response, 'output') } },
        }),
        ...(route.text && { content: { [route.text]: { schema: { type: 'string' } } } }),
        // The schema is that of each event's data.
        ...(route.events && {
          content: { 'text/event-stream': { schema: jsonSchema(route.events, 'output') } },
        }),
      },
      default: {
        description: 'Problema (RFC 9457)',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

/** The whole contract as an OpenAPI 3.1 document. */
export function describeApi() {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [tag, routes] of Object.entries(api))
    for (const [name, route] of Object.entries<Route>(routes)) {
      const operations = paths[route.path] ?? {}
      operations[route.method.toLowerCase()] = operationOf(name, tag, route)
      paths[route.path] = operations
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
      schemas: {
        Problem: {
          type: 'object',
          required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
          properties: {
            type: { type: 'string' },
            title: { type: 'string' },
            status: { type: 'integer' },
            detail: { type: 'string' },
            code: { type: 'string' },
            requestId: { type: 'string' },
            fields: {
              type: 'array',
              items: {
                type: 'object',
                properties: { path: { type: 'string' }, message: { type: 'string' } },
              },
            },
          },
        },
      },
    },
  }
}
