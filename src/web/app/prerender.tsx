import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode } from 'react'
import { prerender } from 'react-dom/static'
import {
  getVariant,
  LOGO_PATH,
  PLACEHOLDERS,
  type PortalSettings,
  type PrerenderedScreen,
} from '#contract/portal.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { clearSession, storeSession } from '#web/session/session-store.ts'
import { BlankPage } from '#web/ui/visitor-page.tsx'
import { createPortalRouter } from './routes.tsx'

const FRAME = 'src/web/app/signed-in-screens.tsx'

/** The screens that the build prerenders, with the modules whose style sheets and scripts they need. */
const SCREENS = [
  { path: '/login', modules: ['src/web/accounts/login-screen.tsx'] },
  { path: '/signup', modules: ['src/web/accounts/sign-up-screen.tsx'] },
  { path: '/forgot-password', modules: ['src/web/accounts/forgot-password-screen.tsx'] },
  { path: '/reset-password', modules: ['src/web/accounts/reset-password-screen.tsx'] },
  { path: '/auth/callback', modules: ['src/web/accounts/auth-callback-screen.tsx'] },
  { path: '/contato', modules: ['src/web/support/contact-screen.tsx'] },
  {
    path: '/power-bi',
    modules: ['node_modules/powerbi-client/dist/powerbi.js', FRAME, 'src/web/reports/reports-screen.tsx'],
    isSignedIn: true,
  },
  { path: '/profile', modules: [FRAME, 'src/web/accounts/profile-screen.tsx'], isSignedIn: true },
  { path: '/admin', modules: [FRAME, 'src/web/app/admin-screen.tsx'], isSignedIn: true },
  ...['/admin/pessoas', '/admin/relatorios', '/admin/aguardando'].map((path) => ({
    path,
    modules: [FRAME, 'src/web/app/admin-screen.tsx'],
    isSignedIn: true,
  })),
  { path: '/admin/listas', modules: [FRAME, 'src/web/users/catalogue-screen.tsx'], isSignedIn: true },
  { path: '/admin/modelos', modules: [FRAME, 'src/web/users/access-templates-screen.tsx'], isSignedIn: true },
  { path: '/admin/convites', modules: [FRAME, 'src/web/users/invitations-screen.tsx'], isSignedIn: true },
  { path: '/admin/revisoes', modules: [FRAME, 'src/web/users/access-reviews-screen.tsx'], isSignedIn: true },
  { path: '/admin/uso', modules: [FRAME, 'src/web/reports/usage-screen.tsx'], isSignedIn: true },
  { path: '/admin/avisos', modules: [FRAME, 'src/web/support/notices-screen.tsx'], isSignedIn: true },
  { path: '/admin/saude', modules: [FRAME, 'src/web/app/health-screen.tsx'], isSignedIn: true },
  { path: '/mensagens', modules: [FRAME, 'src/web/support/inbox-screen.tsx'], isSignedIn: true },
]

/** A placeholder session, with which signed-in screens render in their loading state. */
const SESSION = {
  access_token: '-',
  refresh_token: '-',
  expires_in: 3600,
  user: {
    id: '00000000-0000-4000-8000-000000000000',
    email: '',
    app_metadata: { must_change_password: false },
  },
} as Parameters<typeof storeSession>[0]

function listSettingsVariants(): Partial<PortalSettings>[] {
  const checks: PortalSettings['humanCheck'][] = [{ kind: 'altcha' }, { kind: 'recaptcha', siteKey: '' }]
  return [null, LOGO_PATH].flatMap((logoPath) =>
    checks.flatMap((humanCheck) =>
      [false, true].flatMap((contactCaptcha) =>
        (['password', 'both', 'microsoft'] as const).map((signIn) => ({
          logoPath,
          humanCheck,
          contactCaptcha,
          signIn,
        })),
      ),
    ),
  )
}

/**
 * Renders every screen for every variant of the settings.
 * @param getHead returns the head elements for the files of the given modules
 */
export async function prerenderScreens(getHead: (modules: string[]) => string): Promise<PrerenderedScreen[]> {
  const screens = []
  for (const { path, modules, isSignedIn = false } of SCREENS) {
    if (isSignedIn) storeSession(SESSION)
    else clearSession()
    const bodies: Record<string, string> = {}
    let title = ''
    for (const shape of listSettingsVariants()) {
      Object.assign(portalSettings, PLACEHOLDERS, shape)
      const rendered = await renderPath(path)
      bodies[getVariant(portalSettings)] = rendered.body
      title = rendered.title
    }
    screens.push({ path, title, isHydrated: !isSignedIn, head: getHead(modules), bodies })
  }
  return [...screens, await renderBlank()]
}

/** Renders the fallback for all other paths: the brand only. */
async function renderBlank(): Promise<PrerenderedScreen> {
  const bodies: Record<string, string> = {}
  for (const shape of listSettingsVariants()) {
    Object.assign(portalSettings, PLACEHOLDERS, shape)
    bodies[getVariant(portalSettings)] = await renderBody(<BlankPage />)
  }
  return { path: '', title: '', isHydrated: false, head: '', bodies }
}

async function renderPath(path: string): Promise<{ title: string; body: string }> {
  const router = createPortalRouter(createMemoryHistory({ initialEntries: [path] }))
  await router.load()
  const finalPath = router.state.location.pathname
  const title = router.state.matches.at(-1)?.staticData.title
  if (finalPath !== path || !title) throw new Error(`${path} leads to ${title ? finalPath : 'no screen'}`)
  const body = await renderBody(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  )
  return { title, body }
}

async function renderBody(screen: ReactNode): Promise<string> {
  const { prelude } = await prerender(screen, {
    onError: (error) => {
      throw error
    },
  })
  return new Response(prelude).text()
}
