import { expect, test } from 'vitest'
import type { FaultTarget } from '#emulators/power-bi/instruments/faults.ts'
import { callEmulator, VENDAS } from './call-emulator.ts'
import { DOCUMENTED_ANSWERS, toFault } from './documented-answers.ts'

const { call, rest, signIn, generate } = callEmulator()
const REPORT = `/groups/${VENDAS.workspaceId}/reports/${VENDAS.reportId}`
const DATASET = `/groups/${VENDAS.workspaceId}/datasets/${VENDAS.datasetId}`

const CALLS: Partial<Record<FaultTarget, () => ReturnType<typeof call>>> = {
  directory: () => signIn(),
  report: () => rest('GET', REPORT),
  dataset: () => rest('GET', DATASET),
  generateToken: () => generate(),
  refreshes: () => rest('POST', `${DATASET}/refreshes`, { notifyOption: 'NoNotification' }),
  exportTo: () => rest('POST', `${REPORT}/ExportTo`, { format: 'PDF' }),
  exportStatus: () => rest('GET', `${REPORT}/exports/x`),
  frame: () => call('GET', '/frame-faults'),
}

test.each(DOCUMENTED_ANSWERS)('the emulator gives $name as it is documented', async (answer) => {
  const { on, status, body, headers = {}, message, detailedMessage, errorCode } = answer
  await call('PUT', '/faults', { ...toFault(answer), times: 1 })
  const reply = await CALLS[on]?.()
  if (on === 'frame') return expect(reply?.json()).toEqual([{ message, detailedMessage, errorCode }])
  expect(reply?.status).toBe(status)
  expect(typeof body === 'string' ? reply?.text : reply?.json()).toEqual(body)
  expect(Object.fromEntries(reply?.headers ?? [])).toMatchObject(
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  )
})

test('each answer has its own name, a page of Microsoft, and a thread where the words are a thread’s', () => {
  expect(new Set(DOCUMENTED_ANSWERS.map(({ name }) => name)).size).toBe(DOCUMENTED_ANSWERS.length)
  for (const { page, words, thread } of DOCUMENTED_ANSWERS) {
    expect(page).toMatch(/^https:\/\/(learn\.microsoft\.com|login\.microsoftonline\.com)\//)
    if (words === 'thread') expect(thread).toMatch(/^https:\/\//)
  }
})
