import './main.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { watchInactivity } from '#web/session/inactivity.ts'
import { watchSessionEnd } from '#web/session/session-end.ts'
import { keepSessionFresh } from '#web/session/session-refresh.ts'
import { createPortalRouter, syncRoutesWithSession } from './routes.tsx'

const router = createPortalRouter()
syncRoutesWithSession(router)
// Before the first request: a session that expired while the portal was closed ends here.
watchSessionEnd()
watchInactivity()
keepSessionFresh()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element to draw in')
const portal = (
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>
)

// Hydrates only once the screen's code has loaded, so that the prerendered page is never blanked.
void router.load().then(() => {
  if (root.dataset.prerendered !== router.state.location.pathname) return createRoot(root).render(portal)
  // The prerenderer's router has it set: hydration needs identical Suspense boundaries.
  router.ssr = { manifest: undefined }
  hydrateRoot(root, portal)
})
