import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useMatches,
} from '@tanstack/react-router'
import { useDocumentTitle } from './document-title.ts'
import { ErrorScreen } from './layout/error-screen.tsx'
import { NotFoundScreen } from './layout/not-found-screen.tsx'
import { keepLinkHash } from './link-hash.ts'
import { loadChunk } from './load-chunk.ts'
import { getSession, onAuthStateChange, owesPasswordChange } from './session.ts'
import { Toaster } from './ui/toast.tsx'

/** Whether there is a session that opens the portal; one that owes a password change stays at /login. */
function isSignedIn(): boolean {
  const session = getSession()
  return session !== undefined && !owesPasswordChange(session)
}

function requireSession(): void {
  if (!isSignedIn()) throw redirect({ to: '/login', replace: true })
}

function requireVisitor(): void {
  if (isSignedIn()) throw redirect({ to: '/power-bi', replace: true })
}

function Root() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title })
  useDocumentTitle(title)
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  )
}

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundScreen })

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    requireSession()
    requireVisitor()
  },
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  beforeLoad: requireVisitor,
  staticData: { title: 'Entrar' },
  component: lazyRouteComponent(() => loadChunk(() => import('./sign-in/login-screen.tsx')), 'LoginScreen'),
})

const callbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/callback',
  beforeLoad: ({ location }) => {
    if (!location.hash) return
    keepLinkHash(location.hash)
    throw redirect({ to: '/auth/callback', replace: true })
  },
  staticData: { title: 'Verificação de e-mail' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('./sign-in/auth-callback-screen.tsx')),
    'AuthCallbackScreen',
  ),
})

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: lazyRouteComponent(
    () => loadChunk(() => import('./layout/signed-in-screens.tsx')),
    'SignedInScreens',
  ),
})

const loadReports = () => loadChunk(() => import('./reports/reports-screen.tsx'))

const reportsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/power-bi',
  validateSearch: (search): { area?: string } =>
    typeof search.area === 'string' ? { area: search.area } : {},
  staticData: { title: 'Relatórios' },
  // Not waited for: what the screen asks for is on its way before the screen is drawn.
  loader: () => {
    loadReports().then(
      ({ prefetchOwnReports }) => prefetchOwnReports(),
      () => {},
    )
  },
  component: lazyRouteComponent(loadReports, 'ReportsScreen'),
})

const routeTree = rootRoute.addChildren([
  startRoute,
  loginRoute,
  callbackRoute,
  signedInRoute.addChildren([reportsRoute]),
])

export const router = createRouter({
  routeTree,
  defaultErrorComponent: ErrorScreen,
  defaultPreload: 'intent',
  // A chunk of the portal's own server is there in an instant; a flash of anything else would be noise.
  defaultPendingMs: 1000,
  scrollRestoration: false,
})

/**
 * Asks every route's guard again when somebody has signed in or out, in this tab or another.
 * @returns a function that ends it
 */
export function followSessionInRoutes(): () => void {
  return onAuthStateChange((event) => {
    if (event === 'SIGNED_IN' || event === 'SIGNED_OUT') void router.invalidate()
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** The screen's name in the browser's tab. */
    title?: string
  }
}
