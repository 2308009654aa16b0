import { defineRoutes } from './route.ts'

export const metricsRoutes = defineRoutes({
  readMetrics: {
    method: 'GET',
    path: '/api/metrics',
    access: 'operator',
    summary: 'Figures of this process, for Prometheus',
    text: 'text/plain; version=0.0.4; charset=utf-8',
  },
})
