import { send } from './builders.ts'
import { issuePass } from './human-passes.ts'
import type { TestPortal } from './test-portal.ts'

/** Neither common nor personal, and fit for every form. */
export const NEW_PASSWORD = 'Travessia-Lunar-88!'

/** POST /signup; with a human-check pass unless another captcha is given. */
export async function signUp(portal: TestPortal, email: string, password = NEW_PASSWORD, captcha?: string) {
  const body = { email, password, captcha: captcha ?? (await issuePass(portal)) }
  return send(portal, 'POST', '/api/auth/signup', { body })
}

/** POST /recover */
export function requestRecovery(portal: TestPortal, email: string) {
  return send(portal, 'POST', '/api/auth/recover', { body: { email } })
}

type Link = string | null | undefined
type LinkType = 'signup' | 'recovery' | 'invite'

/** What may go along with a mailed link; token is the access token of whoever is signed in. */
interface LinkExtras {
  mark?: string
  password?: string
  token?: string
}

/** POST /verify */
export function useLink(portal: TestPortal, type: LinkType, link: Link, extras: LinkExtras = {}) {
  const { token, ...rest } = extras
  const body = { type, token_hash: getLinkToken(link), ...rest }
  return send(portal, 'POST', '/api/auth/verify', { body, ...(token && { token }) })
}

/** POST /verify?dryRun=true: what the link would do, without using it up. */
export function previewLink(portal: TestPortal, type: LinkType, link: Link, extras: LinkExtras = {}) {
  const { token, ...rest } = extras
  const body = { type, token_hash: getLinkToken(link), ...rest }
  return send(portal, 'POST', '/api/auth/verify?dryRun=true', { body, ...(token && { token }) })
}

/** POST /not-me */
export function disown(portal: TestPortal, link: Link) {
  return send(portal, 'POST', '/api/auth/not-me', { body: { token_hash: getLinkToken(link) } })
}

/** PUT /user */
export function setPassword(portal: TestPortal, token: string, password = NEW_PASSWORD) {
  return send(portal, 'PUT', '/api/auth/user', { token, body: { password } })
}

/** POST /functions/change-password */
export function changePassword(portal: TestPortal, token: string, newPassword = NEW_PASSWORD) {
  return send(portal, 'POST', '/api/functions/change-password', { token, body: { newPassword } })
}

export function getLinkToken(link: Link): string {
  return new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('token_hash') ?? ''
}

/** Sends what is due and gives the newest mail to an address, of one kind if it is named. */
export async function receiveMail(portal: TestPortal, email: string, kind?: string) {
  await portal.outbox.deliverDue()
  const mails = portal.mails.filter((mail) => mail.to === email && (!kind || mail.kind === kind))
  return mails.at(-1)
}

/** The 'não fui eu' link of a mail. */
export function findNotMeLink(mail: { text: string } | undefined): string {
  return /\S+\/nao-fui-eu#token_hash=[\w-]{43}/.exec(mail?.text ?? '')?.[0] ?? ''
}

/** Asks for a reset mail, uses its link and gives the access token of the recovery session. */
export async function openRecovery(portal: TestPortal, email: string): Promise<string> {
  await requestRecovery(portal, email)
  const { body } = await useLink(portal, 'recovery', (await receiveMail(portal, email, 'recovery'))?.link)
  return body.access_token
}

/** POST /token with a password and, unless another captcha is given, a human-check pass. */
export async function signIn(
  portal: TestPortal,
  email: string,
  password: string,
  { captcha, headers = {} }: { captcha?: string; headers?: Record<string, string> } = {},
) {
  const body = { email, password, captcha: captcha ?? (await issuePass(portal)) }
  return send(portal, 'POST', '/api/auth/token?grant_type=password', { body, headers })
}

/** POST /token with a refresh token. */
export function refreshSession(portal: TestPortal, refreshToken: string) {
  const body = { refresh_token: refreshToken }
  return send(portal, 'POST', '/api/auth/token?grant_type=refresh_token', { body })
}

/** Whether an access token still opens its owner's profile. */
export async function isSignedIn(portal: TestPortal, token: string): Promise<boolean> {
  return (await send(portal, 'GET', '/api/profiles/me', { token })).status === 200
}
