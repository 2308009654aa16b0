import { send } from './builders.ts'
import { issuePass } from './human-passes.ts'
import type { TestPortal } from './test-portal.ts'

/** A password that every rule accepts. */
export const NEW_PASSWORD = 'Travessia-Lunar-88!'

/** POST /signup; issues a human-check pass by default. */
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

/** Optional fields of a link request; `token` is the access token of a signed-in user. */
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

/** POST /verify?dryRun=true, which does not use up the link. */
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

/** Delivers due mails and returns the newest one to an address, optionally of one kind. */
export async function receiveMail(portal: TestPortal, email: string, kind?: string) {
  await portal.outbox.deliverDue()
  const mails = portal.mails.filter((mail) => mail.to === email && (!kind || mail.kind === kind))
  return mails.at(-1)
}

/** Returns the 'não fui eu' link of a mail. */
export function findNotMeLink(mail: { text: string } | undefined): string {
  return /\S+\/nao-fui-eu#token_hash=[\w-]{43}/.exec(mail?.text ?? '')?.[0] ?? ''
}

/** Opens a recovery session through a reset mail. @returns its access token */
export async function openRecovery(portal: TestPortal, email: string): Promise<string> {
  await requestRecovery(portal, email)
  const { body } = await useLink(portal, 'recovery', (await receiveMail(portal, email, 'recovery'))?.link)
  return body.access_token
}

/** POST /token with a password; issues a human-check pass by default. */
export async function signIn(
  portal: TestPortal,
  email: string,
  password: string,
  { captcha, headers = {} }: { captcha?: string; headers?: Record<string, string> } = {},
) {
  const body = { email, password, captcha: captcha ?? (await issuePass(portal)) }
  return send(portal, 'POST', '/api/auth/token?grant_type=password', { body, headers })
}

/** POST /token with a refresh token, and the browser's device token if given. */
export function refreshSession(portal: TestPortal, refreshToken: string, deviceToken?: string) {
  const body = { refresh_token: refreshToken, ...(deviceToken && { device_token: deviceToken }) }
  return send(portal, 'POST', '/api/auth/token?grant_type=refresh_token', { body })
}

/** Whether an access token is still accepted. */
export async function isSignedIn(portal: TestPortal, token: string): Promise<boolean> {
  return (await send(portal, 'GET', '/api/profiles/me', { token })).status === 200
}

/** Lists a person's sign-ins with their methods, oldest first: 'first-step password'. */
export async function listSignIns(portal: TestPortal, userId: string): Promise<string[]> {
  const records = portal.database.db.selectFrom('access_records').select(['action', 'method'])
  const own = await records
    .where('user_id', '=', userId)
    .where('report_id', 'is', null)
    .orderBy('id')
    .execute()
  return own.map(({ action, method }) => `${action} ${method}`)
}
