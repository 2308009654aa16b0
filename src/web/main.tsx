import './configure-zod.ts'
import './index.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { keepSessionFresh } from './keep-session-fresh.ts'
import { followSessionInQueries, queryClient } from './query-client.ts'
import { followSessionInRoutes, router } from './routes.tsx'

// Queries first: what the last person has read must be gone before a route is drawn for the next one.
followSessionInQueries()
followSessionInRoutes()
keepSessionFresh()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element to draw in')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
