import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { keepLinkHash } from '#web/accounts/link-hash.ts'
import { loadChunk } from '#web/http/load-chunk.ts'
import { rootRoute } from './root-route.tsx'

// Where the links of mails lead. Their tokens leave the address bar, and with it the history, at once.

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
    () => loadChunk(() => import('#web/accounts/auth-callback-screen.tsx')),
    'AuthCallbackScreen',
  ),
})

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  beforeLoad: ({ location }) => {
    if (!location.hash) return
    keepLinkHash(location.hash)
    throw redirect({ to: '/reset-password', replace: true, state: { linkKey: crypto.randomUUID() } })
  },
  staticData: { title: 'Nova senha' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/accounts/reset-password-screen.tsx')),
    'ResetPasswordScreen',
  ),
})

const disownEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/nao-fui-eu',
  beforeLoad: ({ location }) => {
    if (location.hash)
      throw redirect({ to: '/nao-fui-eu', replace: true, state: { linkHash: location.hash } })
  },
  staticData: { title: 'Não fui eu' },
  component: lazyRouteComponent(
    () => loadChunk(() => import('#web/accounts/disown-email-screen.tsx')),
    'DisownEmailScreen',
  ),
})

export const mailLinkRoutes = [callbackRoute, resetPasswordRoute, disownEmailRoute] as const
