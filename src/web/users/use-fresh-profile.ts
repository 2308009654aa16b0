import { useQuery } from '@tanstack/react-query'
import { useEffect, useId } from 'react'
import { userRoutes } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { showToast } from '#web/ui/toast.tsx'
import { isGone } from './is-gone.ts'

/**
 * Reads a person anew for a dialog, and only once: what stands in a dialog must not change under the hand.
 * @param failureTitle title of the notice when it cannot be read (SPEC section 8)
 */
export function useFreshProfile(userId: string, failureTitle: string) {
  const dialogId = useId()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['profile-in-dialog', userId, dialogId],
    queryFn: ({ signal }) => callApi(userRoutes.readProfile, { params: { userId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
  useEffect(() => {
    if (error) showToast({ kind: 'error', title: failureTitle, description: error.message })
  }, [error, failureTitle])
  return {
    profile: data,
    failure: isFetching ? undefined : error?.message,
    isGone: isGone(error),
    retry: () => void refetch(),
  }
}
