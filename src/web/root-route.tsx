import { createRootRoute, Outlet, useMatches } from '@tanstack/react-router'
import { useDocumentTitle } from './document-title.ts'
import { NotFoundScreen } from './layout/not-found-screen.tsx'
import { Toaster } from './ui/toast.tsx'

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

export const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFoundScreen })
