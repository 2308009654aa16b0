import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { loadChunk } from '#web/http/load-chunk.ts'
import { getSession, onAuthStateChange, owesPasswordChange } from '#web/session/session.ts'
import { ErrorScreen } from './error-screen.tsx'
import { mailLinkRoutes } from './mail-link-routes.ts'
import { rootRoute } from './root-route.tsx'

/** What /admin keeps in its address; the screen itself drops what makes no sense. */
export type AdminSearch = Partial<
  Record<'q' | 'status' | 'verified' | 'type' | 'marca' | 'estado' | 'sort' | 'order' | 'area', string>
>
/** What /mensagens keeps in its address. */
export type InboxSearch = Partial<Record<'q' | 'unread', string>>

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

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    requireSession()
    requireVisitor()
  },
})

const visitorRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'visitor',
  beforeLoad: requireVisitor,
})

const loginRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/login',
  staticData: { title: 'Entrar' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/accounts/login-screen.tsx')),
    'LoginScreen',
  ),
})

const signUpRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/signup',
  staticData: { title: 'Criar conta' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/accounts/sign-up-screen.tsx')),
    'SignUpScreen',
  ),
})

const emailVerificationRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/email-verification',
  beforeLoad: ({ location }) => {
    if (!location.state.email) throw redirect({ to: '/login', replace: true })
  },
  staticData: { title: 'Confirme seu e-mail' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/accounts/email-verification-screen.tsx')),
    'EmailVerificationScreen',
  ),
})

const forgotPasswordRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/forgot-password',
  staticData: { title: 'Esqueci minha senha' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/accounts/forgot-password-screen.tsx')),
    'ForgotPasswordScreen',
  ),
})

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: lazyRouteComponent(() => loadChunk(() => import('./signed-in-screens.tsx')), 'SignedInScreens'),
})

const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/profile',
  staticData: { title: 'Minha Conta' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/accounts/profile-screen.tsx')),
    'ProfileScreen',
  ),
})

const adminRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/admin',
  staticData: { title: 'Administração' },
  validateSearch: (search) => search as AdminSearch,
  component: lazyRouteComponent(() => loadChunk(() => import('./admin-screen.tsx')), 'AdminScreen'),
})

const inboxRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/mensagens',
  staticData: { title: 'Mensagens de Suporte' },
  validateSearch: (search) => search as InboxSearch,
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/support/inbox-screen.tsx')),
    'InboxScreen',
  ),
})

const contactRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/contato',
  staticData: { title: 'Entre em Contato' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/support/contact-screen.tsx')),
    'ContactScreen',
  ),
})

const loadReports = () => loadChunk(() => import('#web/reports/reports-screen.tsx'))

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
  visitorRoute.addChildren([loginRoute, signUpRoute, emailVerificationRoute, forgotPasswordRoute]),
  ...mailLinkRoutes,
  contactRoute,
  signedInRoute.addChildren([reportsRoute, profileRoute, adminRoute, inboxRoute]),
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
  let wasSignedIn = isSignedIn()
  return onAuthStateChange((event) => {
    // A forced change made in another tab opens the portal in this one too.
    const isOpened = isSignedIn() && !wasSignedIn
    wasSignedIn = isSignedIn()
    if (event === 'SIGNED_IN' || event === 'SIGNED_OUT' || isOpened) void router.invalidate()
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
  interface HistoryState {
    /** Where the confirmation link of a sign-up went, for /email-verification. */
    email?: string
    /** Changes with each reset link that is opened in this tab. */
    linkKey?: string
    /** What stood behind '#' of a 'não fui eu' link, which is used only when its button is pressed. */
    linkHash?: string
  }
}
