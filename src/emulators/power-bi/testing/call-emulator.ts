import {
  EMULATED_CLIENT_ID,
  EMULATED_REPORTS,
  EMULATED_RLS_ROLE,
  EMULATED_TENANT_ID,
} from '#emulators/power-bi/catalogue.ts'
import { createPowerBiEmulator, type PowerBiEmulatorOptions } from '#emulators/power-bi/emulator.ts'

/** The default report of the tests. */
export const VENDAS = EMULATED_REPORTS[0] as (typeof EMULATED_REPORTS)[number]
export const CLIENT_SECRET = 'segredo-do-teste'

/** Creates a valid identity for a dataset, with overrides. */
export function toIdentity(datasetId: string, changes: Record<string, unknown> = {}) {
  const customData = 'M:FIAT|U:RJ'
  return {
    username: 'ana@grupopatio.com.br',
    roles: [EMULATED_RLS_ROLE],
    datasets: [datasetId],
    customData,
    ...changes,
  }
}

/** Decodes the payload of a token, unverified. */
export function decodePayload(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

/** Creates an emulator without a server, and helpers to call it. */
export function callEmulator(options: Partial<PowerBiEmulatorOptions> = {}) {
  const emulator = createPowerBiEmulator({ secret: 'chave', clientSecret: CLIENT_SECRET, ...options })

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const text = body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body)
    const init = { method, headers: { 'content-type': 'application/json', ...headers }, body: text }
    const response = await emulator.handle(new Request(`http://localhost/demo/power-bi${path}`, init))
    const bytes = Buffer.from(await response.arrayBuffer())
    const answer = bytes.toString()
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      text: answer,
      // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes and the tests name their fields
      json: (): any => JSON.parse(answer),
    }
  }

  function signIn(changes: Record<string, string> = {}, tenant = EMULATED_TENANT_ID) {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: EMULATED_CLIENT_ID,
      client_secret: CLIENT_SECRET,
      scope: 'https://analysis.windows.net/powerbi/api/.default',
      ...changes,
    })
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return call('POST', `/directory/${tenant}/oauth2/v2.0/token`, form.toString(), type)
  }

  /** Makes a REST call with a new directory token. */
  async function rest(method: string, path: string, body?: unknown) {
    const token = (await signIn()).json().access_token
    return call(method, `/api/v1.0/myorg${path}`, body, { authorization: `Bearer ${token}` })
  }

  const generate = (changes: Record<string, unknown> = {}) =>
    rest('POST', '/GenerateToken', {
      reports: [{ id: VENDAS.reportId }],
      datasets: [{ id: VENDAS.datasetId }],
      identities: [toIdentity(VENDAS.datasetId)],
      ...changes,
    })

  return { call, signIn, rest, generate }
}
