import * as z from 'zod/mini'
import { defineRoutes } from './route.ts'

export const docsRoutes = defineRoutes({
  readOpenApi: {
    method: 'GET',
    path: '/api/openapi.json',
    access: 'admin',
    summary: 'This API as an OpenAPI 3.1 document',
    response: z.looseObject({ openapi: z.literal('3.1.0') }),
  },
})
