import './index.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchInactivity } from '#web/session/inactivity.ts'
import { keepSessionFresh } from '#web/session/keep-session-fresh.ts'
import { createPortalRouter, followSessionInRoutes } from './routes.tsx'

const router = createPortalRouter()
followSessionInRoutes(router)
// Before anything asks the server: a session that was left too long ago ends here.
watchInactivity()
keepSessionFresh()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element to draw in')
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
)
