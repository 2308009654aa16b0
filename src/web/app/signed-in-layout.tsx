import type { ReactNode } from 'react'
import { Footer } from '#web/ui/footer.tsx'
import { Header } from './header.tsx'

/**
 * The frame of every screen behind the sign-in. Main gets all the height that header and footer leave and
 * never grows past it: children may fill it (h-full) or be longer, then main scrolls. On a phone the
 * footer waits below the screen, so that a report has the whole height under the header.
 */
export function SignedInLayout({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col sm:h-dvh">
      <a
        href="#conteudo"
        className="sr-only rounded-md bg-raised px-3 py-2 text-sm focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-20"
      >
        Ir para o conteúdo
      </a>
      <Header />
      <main
        id="conteudo"
        tabIndex={-1}
        className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-none flex-col overflow-y-auto outline-none sm:h-auto sm:flex-1"
      >
        {children}
      </main>
      <Footer />
    </div>
  )
}
