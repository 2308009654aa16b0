import { passwordMessages } from '#contract/passwords.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { isUnexplained } from '#web/http/send-request.ts'
import { storeDeviceToken } from '#web/session/device-token.ts'
import { getSession } from '#web/session/session.ts'
import type { ToastContent } from '#web/ui/toast.tsx'
import { toFailureToast } from '#web/ui/use-submit.ts'

/**
 * Sets a new password for the signed-in person.
 * @throws ApiError, 'password-rejected' where another password may be accepted, or NetworkError
 */
export async function changePassword(newPassword: string): Promise<void> {
  const { error, device_token } = await callApi('POST /api/functions/change-password', {
    body: { newPassword },
  })
  const session = getSession()
  if (session) storeDeviceToken({ ...session, device_token })
  if (!error) return
  const problem = { type: 'about:blank', title: error, detail: error, status: 422, requestId: '' }
  throw new ApiError({ ...problem, code: 'password-rejected' }, problem.status)
}

/**
 * Converts a refusal to a toast: the server's own detail, or a fixed text for an unexplained failure.
 * @param fallback title where there was no reply
 */
export function explainRefusal(error: unknown, fallback: string): ToastContent {
  if (!(error instanceof ApiError)) return toFailureToast(fallback, error)
  const title = isUnexplained(error) ? passwordMessages.rejected : error.message || fallback
  // Names the guessable part of a rejected password.
  const description = error.problem.fields?.[0]?.message
  return { kind: 'error', title, ...(description && { description }) }
}
