import { beforeEach, describe, expect, it, vi } from 'vitest'
import { supportRoutes } from '#contract/support.ts'
import { installLocalStorage, stubFetch } from '#web/testing/browser-parts.ts'
import { toEmbedFailure } from './frame-outcomes.ts'
import { reportProblem } from './report-overlay.tsx'

beforeEach(() => {
  vi.unstubAllGlobals()
  installLocalStorage()
})

describe('reportProblem', () => {
  it('sends the failure in the contract’s form, without the service’s words', async () => {
    const token = `H4sIAAAAAAAE${'Ab1+/_-.='.repeat(40)}`
    const requests = stubFetch(Response.json({ success: true }, { status: 201 }))
    const report = { area: 'Vendas', embedMode: 'service_principal', reportId: '' } as const
    const seen = toEmbedFailure({
      message: `Unknown failure with ${token} ${'long '.repeat(80)}`,
      errorCode: '403',
      technicalDetails: { requestId: 'r'.repeat(300) },
    })
    await reportProblem(report, seen)
    expect(requests[0]?.path).toBe('/api/support-messages/problem-reports')
    expect(JSON.stringify(requests[0]?.body)).not.toContain('H4sI')
    expect(requests[0]?.body).toMatchObject({
      type: 'Vendas',
      reportId: null,
      requestId: 'r'.repeat(100),
      failure: 'Erro ao carregar o relatório do Power BI · 403',
    })
    expect(supportRoutes.reportProblem.body.safeParse(requests[0]?.body).success).toBe(true)
  })
})
