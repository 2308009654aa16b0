import { createRootRoute, Outlet, useMatches } from '@tanstack/react-router'
import { Toaster } from '#web/ui/toast.tsx'
import { useDocumentTitle } from './document-title.ts'
import { NotFoundScreen } from './not-found-screen.tsx'

function Root() {
  // Said here for the screen of unknown paths too: its own effects run before this one's, and below a screen's
  // path the innermost match is that screen.
  const title = useMatches({
    select: (matches) =>
      matches.some((match) => match._notFound) ? 'Página não encontrada' : matches.at(-1)?.staticData.title,
  })
  useDocumentTitle(title)
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  )
}

export const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundScreen })
