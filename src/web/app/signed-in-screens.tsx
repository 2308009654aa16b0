import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { followSessionInQueries, queryClient } from '#web/http/query-client.ts'
import { useSession } from '#web/session/session.ts'

// From the moment this chunk is there, so that no sign-out goes unnoticed between two screens.
followSessionInQueries()

/** Around every screen behind the sign-in. Another person who signs in in another tab gets fresh screens here too. */
export function SignedInScreens() {
  const userId = useSession()?.user.id
  return (
    <QueryClientProvider client={queryClient}>
      <Outlet key={userId} />
    </QueryClientProvider>
  )
}
