import { describe, expect, it } from 'vitest'
import { buildSharedReportUrl, type FrameRules } from './shared-report.tsx'

const rules: FrameRules = {
  hosts: ['app.powerbi.com', 'msit.powerbi.com'],
  origin: 'http://localhost:4000',
  demoBase: undefined,
}
const SHARED = 'https://app.powerbi.com/reportEmbed?reportId=r1&autoAuth=true&ctid=t1'

function getFilter(url: string | undefined) {
  return new URL(url ?? '').searchParams.get('filter')
}

describe('buildSharedReportUrl', () => {
  it('adds the marcas as a filter and keeps the rest', () => {
    const url = buildSharedReportUrl(SHARED, ['FIAT', 'GM'], rules)
    expect(getFilter(url)).toBe("Marca/Marca in ('FIAT','GM')")
    expect(url?.startsWith(`${SHARED}&filterPaneEnabled=false&filter=Marca%2FMarca%20in%20`)).toBe(true)
  })

  it('escapes quotes by doubling them', () => {
    expect(getFilter(buildSharedReportUrl(SHARED, ["D'OR"], rules))).toBe("Marca/Marca in ('D''OR')")
  })

  it('replaces an existing filter', () => {
    const url = buildSharedReportUrl(`${SHARED}&filter=Loja/Loja eq 'X'`, ['VW'], rules)
    expect(new URL(url ?? '').searchParams.getAll('filter')).toEqual(["Marca/Marca in ('VW')"])
  })

  it('always sets autoAuth=true', () => {
    const without = SHARED.replace('autoAuth=true', 'autoAuth=false')
    const url = new URL(buildSharedReportUrl(without, [], rules) ?? '')
    expect(url.searchParams.getAll('autoAuth')).toEqual(['true'])
    const oddly = SHARED.replace('autoAuth=true', 'autoauth=True')
    expect(buildSharedReportUrl(oddly, [], rules)).toBe(oddly)
  })

  it('sets only autoAuth on paginated reports', () => {
    const link = 'https://app.powerbi.com/rdlEmbed?reportId=r1'
    expect(buildSharedReportUrl(link, ['FIAT'], rules)).toBe(`${link}&autoAuth=true`)
  })

  it('leaves publish-to-web links unchanged', () => {
    const view = 'https://app.powerbi.com/view?r=abc'
    expect(buildSharedReportUrl(view, ['FIAT'], rules)).toBe(view)
  })

  it.each([
    'http://app.powerbi.com/reportEmbed?reportId=r1',
    'https://app.powerbi.com.evil.example/reportEmbed',
    'https://evil.example/reportEmbed?x=app.powerbi.com',
    'https://app.powerbi.com:8443/reportEmbed',
    'https://user@app.powerbi.com/reportEmbed',
    'https://app.powerbi.com./reportEmbed',
    'javascript:alert(1)',
    '/demo/power-bi/reportEmbed?reportId=r1',
    'http://localhost:4000/demo/power-bi/reportEmbed',
    'not a url',
    '',
  ])('refuses %s', (url) => {
    expect(buildSharedReportUrl(url, ['FIAT'], rules)).toBeUndefined()
  })

  it('allows only the emulator’s path of this origin in demo mode', () => {
    const demo = { ...rules, demoBase: '/demo/power-bi' }
    expect(getFilter(buildSharedReportUrl('/demo/power-bi/reportEmbed?reportId=r1', ['FIAT'], demo))).toBe(
      "Marca/Marca in ('FIAT')",
    )
    expect(buildSharedReportUrl('http://localhost:4000/demo/power-bi/reportEmbed', [], demo)).toBe(
      'http://localhost:4000/demo/power-bi/reportEmbed?autoAuth=true',
    )
    expect(buildSharedReportUrl('http://localhost:4001/demo/power-bi/reportEmbed', [], demo)).toBeUndefined()
    expect(buildSharedReportUrl('/demo/power-bi/../../api/x', [], demo)).toBeUndefined()
    expect(buildSharedReportUrl('/demo/mailbox', [], demo)).toBeUndefined()
  })
})
