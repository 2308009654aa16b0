import {
  createRootRoute,
  createRoute,
  createRouter,
  defaultParseSearch,
  lazyRouteComponent,
  notFound,
  Outlet,
  type ParsedLocation,
  type RouterHistory,
  redirect,
  useMatches,
} from '@tanstack/react-router'
import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react'
import { formatDocumentTitle, PRIVACY_PATH, STYLE_PATH } from '#contract/portal.ts'
import type { UsagePeriod } from '#contract/usage.ts'
import { loadChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { getOwedStep, getSession, mustChangePassword, onAuthStateChange } from '#web/session/session.ts'
import { clearSessionEnd, getReturnPath, toReturnPath } from '#web/session/session-end.ts'
import { setDocumentTitle } from '#web/ui/document-title.ts'
import { toastStore } from '#web/ui/toast.tsx'
import type { SearchKey } from '#web/users/user-view.ts'
import { ErrorScreen, NotFoundScreen } from './error-screens.tsx'

/** The search parameters of /admin; the screen drops invalid ones. */
type AdminSearch = Partial<Record<SearchKey | 'area' | 'pessoa', string>>
/** The search parameters of /mensagens. */
type InboxSearch = Partial<Record<'q' | 'unread', string>>

function pickTexts<const K extends string>(search: Record<string, unknown>, names: readonly K[]) {
  const texts = names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : []))
  return Object.fromEntries(texts) as Partial<Record<K, string>>
}

/** Checks for a session that opens the portal; one that owes a step or a password stays at /login. */
function isSignedIn(): boolean {
  const session = getSession()
  return session !== undefined && !mustChangePassword(session) && !getOwedStep(session)
}

/** Whether this page has had a session: the next sign-in may be of another person. */
let hadSession = false

function requireSession({ location }: { location: ParsedLocation }): void {
  if (!isSignedIn()) {
    const state = hadSession || location.pathname === '/' ? {} : { returnPath: location.href }
    throw redirect({ to: '/login', replace: true, state })
  }
  hadSession = true
  clearSessionEnd()
}

/** Redirects to where this person's last session ended or a link led, or to /power-bi. */
function requireVisitor({ location }: { location: ParsedLocation }): void {
  if (!isSignedIn()) return
  const path = getReturnPath(getSession()?.user.id) ?? toReturnPath(location.state.returnPath)
  if (!path) throw redirect({ to: '/power-bi', replace: true })
  const [to = '', search = ''] = path.split('?')
  throw redirect({ to, search: defaultParseSearch(search), replace: true })
}

/** Returns the options that every screen's route has. */
const describePage = <Parent, const Path extends string>(
  getParentRoute: () => Parent,
  path: Path,
  title: string,
) => ({ getParentRoute, path, staticData: { title } })

/** Returns a screen's component in a chunk of its own. */
function screen<T extends Record<string, unknown>>(load: () => Promise<T>, name: keyof T & string) {
  return lazyRouteComponent(() => loadChunk(load) as Promise<Record<string, () => React.JSX.Element>>, name)
}

function Root() {
  // The innermost match is the current screen, for unknown paths too.
  const title = useMatches({
    select: (matches) =>
      matches.some((match) => match._notFound) ? 'Página não encontrada' : matches.at(-1)?.staticData.title,
  })
  useEffect(() => {
    setDocumentTitle({ title: formatDocumentTitle(title, portalSettings.groupName) })
  }, [title])
  return (
    <>
      <Outlet />
      <LazyToaster />
    </>
  )
}

/**
 * Loads the Toaster after the screen. Toasts queue until the
 * chunk loads; each one retries a failed load.
 */
function LazyToaster() {
  const [Toaster, setToaster] = useState<ComponentType>()
  const newest = useSyncExternalStore(toastStore.subscribe, toastStore.read, toastStore.read).at(-1)?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: each toast retries a failed load
  useEffect(() => {
    if (Toaster) return
    import('#web/ui/toaster.tsx').then(
      (chunk) => setToaster(() => chunk.Toaster),
      () => {},
    )
  }, [newest, Toaster])
  return Toaster && <Toaster />
}

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundScreen })

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: (match) => {
    requireSession(match)
    requireVisitor(match)
  },
})

// For visitors.

const visitorRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'visitor',
  beforeLoad: requireVisitor,
})

const loginRoute = createRoute({
  ...describePage(() => visitorRoute, '/login', 'Entrar'),
  component: screen(() => import('#web/accounts/login-screen.tsx'), 'LoginScreen'),
})

const signUpRoute = createRoute({
  ...describePage(() => visitorRoute, '/signup', 'Criar conta'),
  component: screen(() => import('#web/accounts/sign-up-screen.tsx'), 'SignUpScreen'),
})

const emailVerificationRoute = createRoute({
  ...describePage(() => visitorRoute, '/email-verification', 'Confirme seu e-mail'),
  beforeLoad: ({ location }) => {
    if (!location.state.email) throw redirect({ to: '/login', replace: true })
  },
  component: screen(() => import('#web/accounts/email-verification-screen.tsx'), 'EmailVerificationScreen'),
})

const forgotPasswordRoute = createRoute({
  ...describePage(() => visitorRoute, '/forgot-password', 'Esqueci minha senha'),
  component: screen(() => import('#web/accounts/forgot-password-screen.tsx'), 'ForgotPasswordScreen'),
})

const contactRoute = createRoute({
  ...describePage(() => rootRoute, '/contato', 'Entre em Contato'),
  component: screen(() => import('#web/support/contact-screen.tsx'), 'ContactScreen'),
})

const privacyRoute = createRoute({
  ...describePage(() => rootRoute, PRIVACY_PATH, 'Privacidade'),
  component: screen(() => import('#web/accounts/privacy-screen.tsx'), 'PrivacyScreen'),
})

// Targets of links in mails.

/** Moves the token out of the address bar, and so out of the browser's history, at once. */
function moveHashToState({ location: { pathname, hash } }: { location: { pathname: string; hash: string } }) {
  if (hash) throw redirect({ to: pathname, replace: true, state: { linkHash: hash } })
}

const callbackRoute = createRoute({
  ...describePage(() => rootRoute, '/auth/callback', 'Verificação de e-mail'),
  beforeLoad: moveHashToState,
  component: screen(() => import('#web/accounts/auth-callback-screen.tsx'), 'AuthCallbackScreen'),
})

const resetPasswordRoute = createRoute({
  ...describePage(() => rootRoute, '/reset-password', 'Nova senha'),
  beforeLoad: moveHashToState,
  component: screen(() => import('#web/accounts/reset-password-screen.tsx'), 'ResetPasswordScreen'),
})

const disownEmailRoute = createRoute({
  ...describePage(() => rootRoute, '/nao-fui-eu', 'Não fui eu'),
  beforeLoad: moveHashToState,
  component: screen(() => import('#web/accounts/disown-email-screen.tsx'), 'DisownEmailScreen'),
})

const factorLinkRoute = createRoute({
  ...describePage(() => rootRoute, '/segunda-etapa', 'Confirmar por e-mail'),
  beforeLoad: moveHashToState,
  component: screen(() => import('#web/accounts/factor-link-screen.tsx'), 'FactorLinkScreen'),
})

const unsubscribeRoute = createRoute({
  ...describePage(() => rootRoute, '/parar-envio', 'Parar de receber'),
  beforeLoad: moveHashToState,
  component: screen(() => import('#web/accounts/unsubscribe-screen.tsx'), 'UnsubscribeScreen'),
})

// For signed-in people, in the frame with header and footer.

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: screen(() => import('./signed-in-screens.tsx'), 'SignedInScreens'),
})

const loadReports = () => loadChunk(() => import('#web/reports/reports-screen.tsx'))

const reportsRoute = createRoute({
  ...describePage(() => signedInRoute, '/power-bi', 'Relatórios'),
  validateSearch: (search) => pickTexts(search, ['area', 'relatorio', 'visao']),
  // Not awaited: starts the screen's requests before it renders.
  loader: () => {
    loadReports().then(
      ({ prefetchOwnReports }) => prefetchOwnReports(),
      () => {},
    )
  },
  component: lazyRouteComponent(loadReports, 'ReportsScreen'),
})

const loadProfile = () => loadChunk(() => import('#web/accounts/profile-screen.tsx'))

const profileRoute = createRoute({
  ...describePage(() => signedInRoute, '/profile', 'Minha Conta'),
  loader: () =>
    loadProfile().then(
      ({ prefetchProfile }) => prefetchProfile(),
      () => {},
    ),
  component: lazyRouteComponent(loadProfile, 'ProfileScreen'),
})

const moreAccessRoute = createRoute({
  ...describePage(() => signedInRoute, '/pedir-acesso', 'Pedir acesso'),
  validateSearch: (search) => pickTexts(search, ['area']),
  component: screen(() => import('#web/reports/more-access-screen.tsx'), 'MoreAccessScreen'),
})

const subscriptionsRoute = createRoute({
  ...describePage(() => signedInRoute, '/profile/envios', 'Relatórios por e-mail'),
  component: screen(() => import('#web/reports/subscriptions-screen.tsx'), 'SubscriptionsScreen'),
})

const securityRoute = createRoute({
  ...describePage(() => signedInRoute, '/profile/seguranca', 'Segurança'),
  component: screen(() => import('#web/accounts/security-screen.tsx'), 'SecurityScreen'),
})

const administratorsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  id: 'administrators',
  component: screen(() => import('./admin-gate.tsx'), 'AdminGate'),
})

const loadAdmin = () => loadChunk(() => import('./admin-screen.tsx'))
const parseAdminSearch = (search: Record<string, unknown>) => search as AdminSearch
const prefetchUsers = ({ location }: { location: ParsedLocation }) => {
  loadAdmin().then(
    (chunk) => chunk.prefetchUsers(location.search as AdminSearch),
    () => {},
  )
}

const adminRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin', 'Administração'),
  validateSearch: parseAdminSearch,
  loader: prefetchUsers,
  component: lazyRouteComponent(loadAdmin, 'AdminScreen'),
})

const peopleRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/pessoas', 'Pessoas'),
  validateSearch: parseAdminSearch,
  loader: prefetchUsers,
  component: lazyRouteComponent(loadAdmin, 'PeopleScreen'),
})

const areaReportsRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/relatorios', 'Relatórios das áreas'),
  validateSearch: parseAdminSearch,
  component: lazyRouteComponent(loadAdmin, 'AreaReportsScreen'),
})

const waitingRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/aguardando', 'Aguardando aprovação'),
  component: lazyRouteComponent(loadAdmin, 'WaitingScreen'),
})

const catalogueRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/listas', 'Áreas, marcas e estados'),
  component: screen(() => import('#web/users/catalogue-screen.tsx'), 'CatalogueScreen'),
})

const accessTemplatesRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/modelos', 'Modelos de acesso'),
  component: screen(() => import('#web/users/access-templates-screen.tsx'), 'AccessTemplatesScreen'),
})

const groupMappingsRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/grupos', 'Grupos do diretório'),
  component: screen(() => import('#web/users/group-mappings-screen.tsx'), 'GroupMappingsScreen'),
})

const accessReviewsRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/revisoes', 'Revisão de acessos'),
  validateSearch: ({ kind, code }): { kind?: 'types' | 'marcas'; code?: string } =>
    (kind === 'types' || kind === 'marcas') && typeof code === 'string' ? { kind, code } : {},
  component: screen(() => import('#web/users/access-reviews-screen.tsx'), 'AccessReviewsScreen'),
})

const viewAsRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/ver-como/$userId', 'Ver como'),
  component: screen(() => import('#web/reports/view-as-screen.tsx'), 'ViewAsScreen'),
})

const invitationsRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/convites', 'Convidar pessoas'),
  component: screen(() => import('#web/users/invitations-screen.tsx'), 'InvitationsScreen'),
})

/** The search parameters of /admin/uso; the server refuses what is no date. */
type UsageSearch = { from?: string; to?: string; by?: UsagePeriod }

const usageRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/uso', 'Uso'),
  validateSearch: ({ by, ...search }): UsageSearch => ({
    ...pickTexts(search, ['from', 'to']),
    ...((by === 'day' || by === 'week' || by === 'month') && { by }),
  }),
  component: screen(() => import('#web/reports/usage-screen.tsx'), 'UsageScreen'),
})

const healthRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/saude', 'Saúde do portal'),
  component: screen(() => import('./health-screen.tsx'), 'HealthScreen'),
})

const auditRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/auditoria', 'Auditoria'),
  validateSearch: (search) => pickTexts(search, ['person', 'actor', 'action', 'area', 'from', 'to']),
  component: screen(() => import('#web/users/audit-screen.tsx'), 'AuditScreen'),
})

const accessRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/auditoria/acesso', 'Quem vê o quê'),
  validateSearch: (search) => pickTexts(search, ['area', 'pessoa', 'dia']),
  component: screen(() => import('#web/users/access-screen.tsx'), 'AccessScreen'),
})

const noticesRoute = createRoute({
  ...describePage(() => administratorsRoute, '/admin/avisos', 'Avisos'),
  component: screen(() => import('#web/support/notices-screen.tsx'), 'NoticesScreen'),
})

const inboxRoute = createRoute({
  ...describePage(() => administratorsRoute, '/mensagens', 'Mensagens de Suporte'),
  validateSearch: (search) => search as InboxSearch,
  component: screen(() => import('#web/support/inbox-screen.tsx'), 'InboxScreen'),
})

const styleRoute = createRoute({
  ...describePage(() => rootRoute, STYLE_PATH, 'Estilo'),
  beforeLoad: () => {
    if (!portalSettings.isDemo) throw notFound()
  },
  component: screen(() => import('./style-screen.tsx'), 'StyleScreen'),
})

const routeTree = rootRoute.addChildren([
  startRoute,
  visitorRoute.addChildren([loginRoute, signUpRoute, emailVerificationRoute, forgotPasswordRoute]),
  contactRoute,
  privacyRoute,
  callbackRoute,
  resetPasswordRoute,
  disownEmailRoute,
  factorLinkRoute,
  unsubscribeRoute,
  styleRoute,
  signedInRoute.addChildren([
    reportsRoute,
    profileRoute,
    moreAccessRoute,
    subscriptionsRoute,
    securityRoute,
    administratorsRoute.addChildren([
      adminRoute,
      peopleRoute,
      areaReportsRoute,
      waitingRoute,
      catalogueRoute,
      accessReviewsRoute,
      accessTemplatesRoute,
      groupMappingsRoute,
      invitationsRoute,
      usageRoute,
      auditRoute,
      accessRoute,
      healthRoute,
      noticesRoute,
      viewAsRoute,
      inboxRoute,
    ]),
  ]),
])

/** @param history the browser's history by default */
export function createPortalRouter(history?: RouterHistory) {
  return createRouter({
    routeTree,
    ...(history && { history }),
    defaultErrorComponent: ErrorScreen,
    defaultPreload: 'intent',
    // Chunks come from the portal's own server within milliseconds; a pending state would only flash.
    defaultPendingMs: 1000,
    scrollRestoration: false,
  })
}

type PortalRouter = ReturnType<typeof createPortalRouter>

/**
 * Runs the route guards again after a sign-in or sign-out in any tab.
 * @returns an unsubscribe function
 */
export function syncRoutesWithSession(router: PortalRouter): () => void {
  let wasSignedIn = isSignedIn()
  return onAuthStateChange((event) => {
    // A forced password change in another tab opens the portal in this one too.
    const isOpened = isSignedIn() && !wasSignedIn
    wasSignedIn = isSignedIn()
    if (event === 'SIGNED_IN' || event === 'SIGNED_OUT' || isOpened) void router.invalidate()
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: PortalRouter
  }
  interface StaticDataRouteOption {
    title?: string
  }
  interface HistoryState {
    /**
     * The address that the confirmation link was sent to, for
     * /email-verification, or prefilled by a visitors' form.
     */
    email?: string
    /** Where a link led before the sign-in; for /login. */
    returnPath?: string
    /** The message to prefill on /contato. */
    contactMessage?: string
    /** The kind of mailed link that has just proved invalid or lost its fragment, for /login. */
    deadLink?: 'signup' | 'invite' | 'incomplete'
    /** The fragment of a mailed link until it is used; survives a reload. */
    linkHash?: string
    /** A former setting of an area's report, for its form. */
    reportSetting?: Record<string, unknown>
    /** Where 'Ver como' ends. */
    returnTo?: string
  }
}
