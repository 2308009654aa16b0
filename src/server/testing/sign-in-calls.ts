import { send } from './builders.ts'
import { givePass } from './human-passes.ts'
import type { TestPortal } from './test-portal.ts'

/** POST /token with a password and, unless another captcha is given, a human-check pass. */
export async function signIn(
  portal: TestPortal,
  email: string,
  password: string,
  { captcha, headers = {} }: { captcha?: string; headers?: Record<string, string> } = {},
) {
  const body = { email, password, captcha: captcha ?? (await givePass(portal)) }
  return send(portal, 'POST', '/api/auth/token?grant_type=password', { body, headers })
}

/** POST /token with a refresh token. */
export function refresh(portal: TestPortal, refreshToken: string) {
  const body = { refresh_token: refreshToken }
  return send(portal, 'POST', '/api/auth/token?grant_type=refresh_token', { body })
}

/** Whether an access token still opens its owner's profile. */
export async function isSignedIn(portal: TestPortal, token: string): Promise<boolean> {
  return (await send(portal, 'GET', '/api/profiles/me', { token })).status === 200
}
