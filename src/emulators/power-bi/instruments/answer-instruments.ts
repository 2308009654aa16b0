import { modelOfArea } from '#emulators/power-bi/data-set-areas.ts'
import { type Scope, sumScope } from '#emulators/power-bi/data-set-sums.ts'
import type { Reply } from '#emulators/power-bi/reply.ts'
import type { CallLog } from './call-log.ts'
import { type FaultScript, parseFault } from './faults.ts'

const badRequest = (message: string): Reply => ({ status: 400, body: { error: message } })
const notAllowed = (allow: string): Reply => ({
  status: 405,
  body: { error: `allowed are ${allow}` },
  headers: { Allow: allow },
})

/** GET lists the recorded calls, oldest first; DELETE forgets them. */
export function answerCalls(method: string, log: CallLog): Reply {
  if (method === 'GET') return { status: 200, body: log.list() }
  if (method !== 'DELETE') return notAllowed('GET, DELETE')
  log.clear()
  return { status: 204 }
}

/** PUT scripts one more fault, GET lists those to come, DELETE drops them. */
export function answerFaults(method: string, text: string, script: FaultScript): Reply {
  if (method === 'GET') return { status: 200, body: script.list() }
  if (method === 'DELETE') {
    script.clear()
    return { status: 204 }
  }
  if (method !== 'PUT') return notAllowed('GET, PUT, DELETE')
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    return badRequest('the body is not JSON')
  }
  const fault = parseFault(input)
  if (typeof fault === 'string') return badRequest(fault)
  script.put(fault)
  return { status: 204 }
}

/** What a report page with an open session polls: the next scripted error event, taken, or none. */
export function answerFrameFaults(method: string, script: FaultScript): Reply {
  if (method !== 'GET') return notAllowed('GET')
  const fault = script.take('frame')
  return { status: 200, body: fault ? [{ message: fault.message, errorCode: fault.errorCode ?? '' }] : [] }
}

/** The values of a comma-separated parameter, all when it is absent, or a message about a stranger among them. */
function readList(search: URLSearchParams, name: keyof Scope, data: Scope): string[] | string {
  const known = data[name]
  const given = search.get(name)
  if (given === null) return [...known]
  const values = given.split(',').filter((value) => value !== '')
  const stranger = values.find((value) => !known.includes(value))
  return stranger === undefined
    ? known.filter((value) => values.includes(value))
    : `unknown ${name}: ${stranger}; known are ${known.join(', ')}`
}

/** The sums that the report of an area and scope must show; marcas and estados default to all. */
export function answerData(method: string, search: URLSearchParams, data: Scope): Reply {
  if (method !== 'GET') return notAllowed('GET')
  const area = search.get('area') ?? ''
  const model = modelOfArea(area)
  if (!model) return badRequest(`no report for area '${area}'`)
  const marcas = readList(search, 'marcas', data)
  if (typeof marcas === 'string') return badRequest(marcas)
  const estados = readList(search, 'estados', data)
  if (typeof estados === 'string') return badRequest(estados)
  return { status: 200, body: sumScope(model, { marcas, estados }) }
}
