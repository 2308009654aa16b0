import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet, useMatches } from '@tanstack/react-router'
import { portalSettings } from '#web/http/portal-settings.ts'
import { followSessionInQueries, queryClient } from '#web/http/query-client.ts'
import { useSession } from '#web/session/session.ts'
import { Footer } from '#web/ui/footer.tsx'
import { InsideFrame } from '#web/ui/visitor-page.tsx'
import { Header } from './header.tsx'
import { useRole } from './use-role.ts'

// From the moment this chunk is there, so that no sign-out goes unnoticed between two screens.
followSessionInQueries()

/**
 * The frame around every screen behind the sign-in. Main gets all the height that header and footer leave and
 * never grows past it: a screen may fill it (h-full) or be longer, then main scrolls. On a phone the
 * footer waits below the screen, so that a report has the whole height under the header. A report that asks for
 * all of a phone held sideways (data-whole-height) gets it.
 */
export function SignedInScreens() {
  // Another person who signs in in another tab gets fresh screens here too.
  const userId = useSession()?.user.id
  // A screen begins at its top, whatever was scrolled on the last one.
  const screen = useMatches({ select: (matches) => matches.at(-1)?.routeId })
  return (
    <QueryClientProvider client={queryClient}>
      <div key={userId} className="group/frame flex min-h-dvh flex-col sm:h-dvh">
        <a
          href="#conteudo"
          className="sr-only rounded-md bg-raised px-3 py-2 text-sm focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-20"
        >
          Ir para o conteúdo
        </a>
        <Header />
        <main
          key={screen}
          id="conteudo"
          tabIndex={-1}
          className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-none flex-col overflow-y-auto outline-none sm:h-auto sm:flex-1 sideways:group-has-data-whole-height/frame:h-dvh sideways:group-has-data-whole-height/frame:flex-none"
        >
          <InsideFrame value={true}>
            <Outlet />
          </InsideFrame>
        </main>
        <FooterByRole />
      </div>
    </QueryClientProvider>
  )
}

function FooterByRole() {
  return <Footer version={useRole() === 'admin' ? portalSettings.version : undefined} />
}
