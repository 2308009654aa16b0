import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet, useMatches } from '@tanstack/react-router'
import { NetworkError, onReauthenticationNeeded } from '#web/http/api.ts'
import { useOptionalChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { queryClient, syncQueriesWithSession } from '#web/http/query-client.ts'
import { useSession } from '#web/session/session.ts'
import { Footer } from '#web/ui/footer.tsx'
import { InsideFrame } from '#web/ui/visitor-page.tsx'
import { Header } from './header.tsx'
import { useShortcuts } from './shortcuts.ts'
import { ThumbBar } from './thumb-bar.tsx'
import { prefetchRole, useRole } from './use-role.ts'

const loadLive = () => import('#web/live/live-changes.ts')
const loadExports = () => import('#web/reports/report-exports.ts')

const loadReauthentication = () =>
  import('#web/session/reauthenticate.tsx').catch((cause: unknown) => {
    throw new NetworkError(cause)
  })
onReauthenticationNeeded(async (refused) => (await loadReauthentication()).reauthenticate(refused))

// As soon as this chunk has loaded, so that no sign-out between two screens is missed.
syncQueriesWithSession()
prefetchRole()

/**
 * The frame of every signed-in screen. Main takes the height that header and footer
 * leave and scrolls when the screen is longer. On phones a thumb bar replaces the
 * footer; a report with data-whole-height takes the whole window in landscape.
 */
export function SignedInScreens() {
  // A different person who signs in in another tab gets fresh screens here too.
  const userId = useSession()?.user.id
  return (
    <QueryClientProvider client={queryClient}>
      <Frame key={userId} userId={userId} />
    </QueryClientProvider>
  )
}

function Frame({ userId }: { userId: string | undefined }) {
  // Every screen starts scrolled to its top.
  const screen = useMatches({ select: (matches) => matches.at(-1)?.routeId })
  const { search, keys } = useShortcuts()
  const live = useOptionalChunk(loadLive)
  const exports = useOptionalChunk(loadExports)
  return (
    <div className="group/frame flex min-h-dvh flex-col sm:h-dvh">
      <a
        href="#conteudo"
        className="sr-only rounded-md bg-raised px-3 py-2 text-sm focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-20"
      >
        Ir para o conteúdo
      </a>
      <Header onSearch={search.open} />
      <main
        key={screen}
        id="conteudo"
        tabIndex={-1}
        className="relative flex h-[calc(100dvh-6.5rem-1px-env(safe-area-inset-bottom))] min-h-0 flex-none flex-col overflow-y-auto outline-none sm:h-auto sm:flex-1 sideways:h-[calc(100dvh-2.75rem)] group-has-data-[whole-height=always]/frame:h-dvh sideways:group-has-data-whole-height/frame:h-dvh sideways:group-has-data-whole-height/frame:flex-none"
      >
        <InsideFrame value={true}>
          <Outlet />
        </InsideFrame>
      </main>
      <div className="contents max-sm:hidden">
        <FooterByRole />
      </div>
      <ThumbBar onSearch={search.open} />
      {live && <live.LiveChanges />}
      {exports && userId && <exports.ExportNotices userId={userId} />}
      {search.Dialog && (
        <search.Dialog q={search.q} onType={search.setQ} onClose={search.close} onKeys={keys.open} />
      )}
      {keys.Dialog && <keys.Dialog onClose={keys.close} />}
    </div>
  )
}

function FooterByRole() {
  return <Footer version={useRole() === 'admin' ? portalSettings.version : undefined} />
}
