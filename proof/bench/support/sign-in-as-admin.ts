import { ADMIN } from './demo-accounts.ts'

/** Signs the demo's administrator in. @returns an access token */
export async function signInAsAdmin(portalUrl: string): Promise<string> {
  const reply = await fetch(`${portalUrl}/api/auth/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  if (!reply.ok) throw new Error(`the administrator could not sign in: ${await reply.text()}`)
  const { access_token } = (await reply.json()) as { access_token: string }
  return access_token
}
