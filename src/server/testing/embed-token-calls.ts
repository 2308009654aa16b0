import type { Fault } from '#emulators/power-bi/instruments/faults.ts'
import { type addPerson, getEmulatedReport, openTestSession, send } from './builders.ts'
import type { TestPortal } from './test-portal.ts'

export type Person = Awaited<ReturnType<typeof addPerson>>

/** A call received by the emulated directory or REST API. */
export interface RecordedCall {
  method: string
  path: string
  status: number
  body: {
    lifetimeInMinutes?: number
    datasets?: { id: string; xmlaPermissions?: string }[]
    reports?: { id: string; allowEdit?: boolean }[]
    identities?: {
      username: string
      roles: string[]
      customData: string
      datasets: string[]
      auditableContext: string
    }[]
  }
}

/** Creates the browser's body for an area's report. */
export function toTokenBody(type: string, extra: object = {}) {
  const { workspaceId, reportId, datasetId } = getEmulatedReport(type)
  return { workspaceId, reportId, datasetId, marcas: [], estados: [], userEmail: 'x@y.z', ...extra }
}

/** Requests an embed token in a new session of the person. */
export async function fetchToken(portal: TestPortal, person: Person, body: object = toTokenBody('Vendas')) {
  const { access_token: token } = await openTestSession(portal, person)
  return send(portal, 'POST', '/api/functions/get-powerbi-token', { token, body })
}

/** Reads the calls that the emulator received. */
export async function listCalls(portal: TestPortal) {
  const reply = await fetch(`${portal.emulatorUrl}/calls`)
  const all = (await reply.json()) as RecordedCall[]
  const filterByPath = (pattern: RegExp) => all.filter((call) => pattern.test(call.path))
  return {
    all,
    directory: filterByPath(/^\/directory\//),
    dataset: filterByPath(/\/datasets\/[^/]+$/),
    report: filterByPath(/\/reports\/[^/]+$/),
    generateToken: filterByPath(/\/GenerateToken$/),
    exportTo: filterByPath(/\/ExportTo$/),
    exportStatus: filterByPath(/\/exports\/[^/]+$/),
    exportFile: filterByPath(/\/file$/),
  }
}

/** Clears recorded calls and scripted faults. */
export async function resetEmulator(portal: TestPortal): Promise<void> {
  for (const instrument of ['calls', 'faults'])
    await fetch(`${portal.emulatorUrl}/${instrument}`, { method: 'DELETE' })
}

/** Scripts faults of the emulator's next replies. */
export async function scriptFault(portal: TestPortal, fault: Omit<Fault, 'times'> & { times?: number }) {
  const reply = await fetch(`${portal.emulatorUrl}/faults`, { method: 'PUT', body: JSON.stringify(fault) })
  if (!reply.ok) throw new Error(await reply.text())
}
