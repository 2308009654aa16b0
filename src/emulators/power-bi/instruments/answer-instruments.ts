import { findAreaModel } from '#emulators/power-bi/data-set-areas.ts'
import { type Scope, sumScope } from '#emulators/power-bi/data-set-sums.ts'
import type { Reply } from '#emulators/power-bi/reply.ts'
import { type Fault, parseFault, takeFault } from './faults.ts'

const createBadRequest = (message: string): Reply => ({ status: 400, body: { error: message } })
const createNotAllowed = (allow: string): Reply => ({
  status: 405,
  body: { error: `allowed are ${allow}` },
  headers: { Allow: allow },
})

/** GET lists calls or faults, oldest first; DELETE clears them; PUT adds a fault. */
export function answerList(method: string, list: unknown[], put?: () => Reply): Reply {
  if (method === 'GET') return { status: 200, body: list }
  if (method === 'PUT' && put) return put()
  if (method !== 'DELETE') return createNotAllowed(put ? 'GET, PUT, DELETE' : 'GET, DELETE')
  list.length = 0
  return { status: 204 }
}

export function putFault(text: string, faults: Fault[]): Reply {
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    return createBadRequest('the body is not JSON')
  }
  const fault = parseFault(input)
  if (typeof fault === 'string') return createBadRequest(fault)
  faults.push(fault)
  return { status: 204 }
}

/** Returns the next scripted error event, once, to a polling report page. */
export function answerFrameFaults(method: string, faults: Fault[]): Reply {
  if (method !== 'GET') return createNotAllowed('GET')
  const fault = takeFault(faults, 'frame')
  if (!fault) return { status: 200, body: [] }
  const { message = '', detailedMessage = message, errorCode = '' } = fault
  return { status: 200, body: [{ message, detailedMessage, errorCode }] }
}

/** Returns the values of a comma-separated parameter (default all), or a message about an unknown one. */
function readList(search: URLSearchParams, name: keyof Scope, data: Scope): string[] | string {
  const known = data[name]
  const given = search.get(name)
  if (given === null) return [...known]
  const values = given.split(',').filter((value) => value !== '')
  const unknown = values.find((value) => !known.includes(value))
  return unknown === undefined
    ? known.filter((value) => values.includes(value))
    : `unknown ${name}: ${unknown}; known are ${known.join(', ')}`
}

/** Returns the expected sums of an area and scope; marcas and estados default to all. */
export function answerData(method: string, search: URLSearchParams, data: Scope): Reply {
  if (method !== 'GET') return createNotAllowed('GET')
  const area = search.get('area') ?? ''
  const model = findAreaModel(area)
  if (!model) return createBadRequest(`no report for area '${area}'`)
  const marcas = readList(search, 'marcas', data)
  if (typeof marcas === 'string') return createBadRequest(marcas)
  const estados = readList(search, 'estados', data)
  if (typeof estados === 'string') return createBadRequest(estados)
  return { status: 200, body: sumScope(model, { marcas, estados }) }
}
