import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { EMULATED_REPORT_WITHOUT_RLS } from '#emulators/power-bi/catalogue.ts'
import { callEmulator, toIdentity, VENDAS } from '#emulators/power-bi/testing/call-emulator.ts'

const REPORT = `/groups/${VENDAS.workspaceId}/reports/${VENDAS.reportId}`
const toBody = (changes: object = {}, format = 'PDF') => ({
  format,
  powerBIReportConfiguration: { identities: [toIdentity(VENDAS.datasetId)], ...changes },
})

describe('ExportTo', () => {
  let now = Date.UTC(2026, 10, 23, 12)
  const { rest, call } = callEmulator({ clock: () => now })
  const start = async (body: object = toBody()) => (await rest('POST', `${REPORT}/ExportTo`, body)).json()
  const follow = (id: string) => rest('GET', `${REPORT}/exports/${id}`)

  it('runs an export from NotStarted to Succeeded', async () => {
    const reply = await rest('POST', `${REPORT}/ExportTo`, toBody())
    expect(reply.status).toBe(202)
    expect(reply.json()).toMatchObject({
      status: 'NotStarted',
      percentComplete: 0,
      reportId: VENDAS.reportId,
    })
    const { id } = reply.json()
    now += 1_500
    const running = await follow(id)
    expect([running.status, running.json().status, running.headers.get('retry-after')]).toEqual([
      202,
      'Running',
      '1',
    ])
    expect(running.json().percentComplete).toBe(50)
    expect((await rest('GET', `${REPORT}/exports/${id}/file`)).status).toBe(404)
    now += 1_500
    const done = await follow(id)
    expect(done.status).toBe(200)
    expect(done.json()).toMatchObject({
      id,
      status: 'Succeeded',
      percentComplete: 100,
      resourceFileExtension: '.pdf',
      createdDateTime: '2026-11-23T12:00:00.000Z',
      expirationTime: '2026-11-24T12:00:00.000Z',
    })
  })

  it("writes the identity's rows into a PDF", async () => {
    const { id } = await start(toBody({ defaultBookmark: { state: 'c2VtIGVmZWl0bw==' } }))
    now += 3_000
    const file = await rest('GET', `${REPORT}/exports/${id}/file`)
    expect(file.headers.get('content-type')).toBe('application/pdf')
    expect(file.text).toMatch(/^%PDF-1\.4\n.*%%EOF\n$/s)
    for (const part of ['Vendas do grupo', 'ana@grupopatio.com.br', 'FIAT', 'RJ', 'Unidades vendidas'])
      expect(file.text).toContain(part)
    expect(file.text).not.toContain('JEEP')
    const offset = Number(/startxref\n(\d+)/.exec(file.text)?.[1])
    expect(file.text.slice(offset, offset + 4)).toBe('xref')
  })

  it('packs a slide into a PowerPoint file', async () => {
    const { id } = await start(toBody({}, 'PPTX'))
    now += 3_000
    const token = (await callEmulator({ clock: () => now }).signIn()).json().access_token
    const { bytes, headers } = await call('GET', `/api/v1.0/myorg${REPORT}/exports/${id}/file`, undefined, {
      authorization: `Bearer ${token}`,
    })
    expect(headers.get('content-type')).toBe(
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    )
    expect(readZip(bytes)['ppt/slides/slide1.xml']).toContain('Vendas do grupo')
  })

  it.each([
    ['a model with row-level security without an identity', toBody({ identities: [] })],
    ['an unknown role', toBody({ identities: [toIdentity(VENDAS.datasetId, { roles: ['Outra'] })] })],
    ['an unknown format', toBody({}, 'DOCX')],
    ['no body', {}],
  ])('refuses %s with 400', async (_, body) => {
    const reply = await rest('POST', `${REPORT}/ExportTo`, body)
    expect([reply.status, reply.json().error.code]).toEqual([400, 'InvalidRequest'])
  })

  it('exports all rows of a model without row-level security, as the service does', async () => {
    const { workspaceId, reportId } = EMULATED_REPORT_WITHOUT_RLS
    const path = `/groups/${workspaceId}/reports/${reportId}/ExportTo`
    expect((await rest('POST', path, { format: 'PDF' })).status).toBe(202)
  })

  it('does not know forged ids, nor those of another report', async () => {
    const { id } = await start()
    const other = callEmulator({ secret: 'outra', clock: () => now })
    expect((await other.rest('GET', `${REPORT}/exports/${id}`)).status).toBe(404)
    const { workspaceId, reportId } = EMULATED_REPORT_WITHOUT_RLS
    expect((await rest('GET', `/groups/${workspaceId}/reports/${reportId}/exports/${id}`)).status).toBe(404)
  })

  it('fails as scripted', async () => {
    const fault = { on: 'exportTo', status: 429, headers: { 'Retry-After': '30' } }
    await call('PUT', '/faults', fault)
    const reply = await rest('POST', `${REPORT}/ExportTo`, toBody())
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '30'])
    const { id } = await start()
    await call('PUT', '/faults', { on: 'exportStatus', body: { status: 'Failed' } })
    expect((await follow(id)).json().status).toBe('Failed')
    await call('PUT', '/faults', { on: 'exportFile', status: 500 })
    expect((await rest('GET', `${REPORT}/exports/${id}/file`)).status).toBe(500)
  })
})

/** Reads the entries of a ZIP file through its central directory (PKWARE APPNOTE, 4.3). */
function readZip(bytes: Buffer): Record<string, string> {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  let at = bytes.readUInt32LE(end + 16)
  const entries: [string, string][] = []
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    const [method, size, nameSize] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
    ]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameSize)
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const data = bytes.subarray(start, start + size)
    entries.push([name, (method === 8 ? inflateRawSync(data) : data).toString()])
    at += 46 + nameSize + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return Object.fromEntries(entries)
}
