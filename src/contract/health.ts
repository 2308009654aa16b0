import * as z from 'zod/mini'
import { defineRoutes } from './route.ts'

const statusSchema = z.object({ status: z.literal('ok') })

export const healthRoutes = defineRoutes({
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
    response: statusSchema,
  },
})
