import type { passwordRoutes } from '#contract/passwords.ts'
import type { Handlers } from '#server/http/implement.ts'
import { changePassword, type PasswordDeps } from './change-password.ts'

export function passwordHandlers(deps: PasswordDeps): Handlers<typeof passwordRoutes> {
  return {
    changePassword: ({ actor, body, request }) => changePassword(deps, actor, body.newPassword, request),
  }
}
