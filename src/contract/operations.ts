import * as z from 'zod/mini'
import type { Routes } from './route.ts'

const statusSchema = z.object({ status: z.literal('ok') })

export const operationsRoutes = {
  readLiveness: {
    method: 'GET',
    path: '/api/health/live',
    access: 'public',
    summary: 'The process answers',
    response: statusSchema,
  },
  readReadiness: {
    method: 'GET',
    path: '/api/health/ready',
    access: 'public',
    summary: 'The process and its database answer',
    response: z.extend(statusSchema, { version: z.string() }),
  },
  readOpenApi: {
    method: 'GET',
    path: '/api/openapi.json',
    access: 'admin',
    summary: 'This API as an OpenAPI 3.1 document',
    response: z.looseObject({ openapi: z.literal('3.1.0') }),
  },
  readMetrics: {
    method: 'GET',
    path: '/api/metrics',
    access: 'operator',
    summary: 'Figures of this process, for Prometheus',
    text: 'text/plain; version=0.0.4; charset=utf-8',
  },
} as const satisfies Routes
