import './index.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { watchInactivity } from '#web/session/inactivity.ts'
import { watchSessionEnd } from '#web/session/session-end.ts'
import { keepSessionFresh } from '#web/session/session-refresh.ts'
import { createPortalRouter, followSessionInRoutes } from './routes.tsx'

const router = createPortalRouter()
followSessionInRoutes(router)
// Before anything asks the server: a session that was left too long ago ends here.
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

// Only with its screen at hand can the portal take over what was drawn, or take its place without a blank moment.
void router.load().then(() => {
  if (root.dataset.prerendered !== router.state.location.pathname) return createRoot(root).render(portal)
  // What the prerenderer's router is by itself: the boundaries of the two trees must be the same.
  router.ssr = { manifest: undefined }
  hydrateRoot(root, portal)
})
