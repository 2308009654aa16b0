import type { Fault } from '#emulators/power-bi/instruments/faults.ts'
import { type addPerson, emulatedReport, openTestSession, send } from './builders.ts'
import type { TestPortal } from './test-portal.ts'

export type Person = Awaited<ReturnType<typeof addPerson>>

/** A call that the emulated directory or REST API received. */
export interface RecordedCall {
  method: string
  path: string
  status: number
  body: {
    lifetimeInMinutes?: number
    datasets?: { id: string; xmlaPermissions?: string }[]
    reports?: { id: string; allowEdit?: boolean }[]
    identities?: { username: string; roles: string[]; customData: string; datasets: string[] }[]
  }
}

/** The body that the browser sends for an area's report. */
export function bodyFor(type: string, extra: object = {}) {
  const { workspaceId, reportId, datasetId } = emulatedReport(type)
  return { workspaceId, reportId, datasetId, marcas: [], estados: [], userEmail: 'x@y.z', ...extra }
}

/** Asks for an embed token in a new session of the person. */
export async function askToken(portal: TestPortal, person: Person, body: object = bodyFor('Vendas')) {
  const { access_token: token } = await openTestSession(portal, person)
  return send(portal, 'POST', '/api/functions/get-powerbi-token', { token, body })
}

/** What the emulator was asked: the directory, datasets, reports and tokens. */
export async function upstreamCalls(portal: TestPortal) {
  const reply = await fetch(`${portal.emulatorUrl}/calls`)
  const all = (await reply.json()) as RecordedCall[]
  const ending = (pattern: RegExp) => all.filter((call) => pattern.test(call.path))
  return {
    all,
    directory: ending(/^\/directory\//),
    dataset: ending(/\/datasets\/[^/]+$/),
    report: ending(/\/reports\/[^/]+$/),
    generateToken: ending(/\/GenerateToken$/),
  }
}

/** Forgets recorded calls and scripted faults. */
export async function resetEmulator(portal: TestPortal): Promise<void> {
  for (const instrument of ['calls', 'faults'])
    await fetch(`${portal.emulatorUrl}/${instrument}`, { method: 'DELETE' })
}

/** Scripts the emulator's next answers. */
export async function scriptFault(portal: TestPortal, fault: Omit<Fault, 'times'> & { times?: number }) {
  const reply = await fetch(`${portal.emulatorUrl}/faults`, { method: 'PUT', body: JSON.stringify(fault) })
  if (!reply.ok) throw new Error(await reply.text())
}
