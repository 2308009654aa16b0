import { accountRoutes } from '#contract/accounts.ts'
import { passwordMessages } from '#contract/passwords.ts'
import { ApiError, callApi } from '#web/http/api.ts'

export interface ChangeRefusal {
  title: string
  description?: string
  /** Whether another password may do, so that the sentence belongs beside the field. */
  isAboutPassword: boolean
}

/**
 * Sets a new password for the signed-in person.
 * @param fallback title for a failure that the server has said nothing about (SPEC section 8)
 * @returns undefined on success, else what to tell the person
 */
export async function changePassword(
  newPassword: string,
  fallback: string,
): Promise<ChangeRefusal | undefined> {
  try {
    const { error } = await callApi(accountRoutes.changePassword, { body: { newPassword } })
    return error ? { title: error, isAboutPassword: true } : undefined
  } catch (error) {
    return explainRefusal(error, fallback)
  }
}

/** The server's own sentence; the specification's for a failure that is not explained; else the fallback. */
function explainRefusal(error: unknown, fallback: string): ChangeRefusal {
  if (!(error instanceof ApiError)) {
    const description = error instanceof Error ? error.message : undefined
    return { title: fallback, ...(description && { description }), isAboutPassword: false }
  }
  const { code } = error.problem
  if (code === 'internal') return { title: passwordMessages.rejected, isAboutPassword: false }
  return { title: error.message || fallback, isAboutPassword: code === 'password-rejected' }
}
