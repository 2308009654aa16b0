import { describe, expect, it } from 'vitest'
import { type FrameRules, openSharedReport } from './shared-report.tsx'

const rules: FrameRules = {
  hosts: ['app.powerbi.com', 'msit.powerbi.com'],
  origin: 'http://localhost:4000',
  demoBase: undefined,
}
const SHARED = 'https://app.powerbi.com/reportEmbed?reportId=r1&autoAuth=true&ctid=t1'

function getFilter(url: string | undefined) {
  return new URL(url ?? '').searchParams.get('filter')
}

const open = (url: string, marcas: string[], given = rules) => openSharedReport(url, marcas, given)?.url

describe('openSharedReport', () => {
  it('adds the marcas as a filter and keeps the rest', () => {
    const url = open(SHARED, ['FIAT', 'GM'])
    expect(getFilter(url)).toBe("Marca/Marca in ('FIAT','GM')")
    expect(url?.startsWith(`${SHARED}&filterPaneEnabled=false&filter=Marca%2FMarca%20in%20`)).toBe(true)
  })

  it.each(['$filter', 'FILTER', '%24filter', '%2524Filter', 'f%69lter', 'filter%20', '%20$filter'])(
    'replaces a filter that the link names %s, also twice, and leaves other parameters as they are spelled',
    (name) => {
      const rest = '&rp:Loja=S%C3%A3o+Paulo%20SP&pageName=ReportSection'
      const link = SHARED + rest + `&${name}=Loja/Loja eq 'X' or 1 eq 1`.repeat(2)
      const own = 'filterPaneEnabled=false&filter=Marca%2FMarca%20in%20(%27VW%27)'
      expect(open(link, ['VW'])).toBe(`${SHARED}${rest}&${own}`)
    },
  )

  it.each(['/%72eportEmbed', '//reportEmbed//'])('filters the report at %s too', (path) => {
    const link = SHARED.replace('/reportEmbed', path)
    expect(getFilter(open(link, ['VW']))).toBe("Marca/Marca in ('VW')")
  })

  it('frames nothing but reports and what is published to the web', () => {
    const isFramed = (link: string) => openSharedReport(link, ['VW'], rules)?.isFramed
    for (const path of ['reportEmbed?reportId=r1', 'rdlEmbed?reportId=r1', 'view?r=abc'])
      expect(isFramed(`https://app.powerbi.com/${path}`), path).toBe(true)
    for (const path of [
      '',
      'home',
      'view',
      'groups/me/reports/r1',
      'dashboardEmbed',
      '%2572eportEmbed',
      'x/reportEmbed',
    ])
      expect(isFramed(`https://app.powerbi.com/${path}`), path).toBe(false)
  })

  it('refuses a report without marcas, which nothing would filter', () => {
    expect(open(SHARED, [])).toBeUndefined()
  })

  it('escapes quotes by doubling them', () => {
    expect(getFilter(open(SHARED, ["D'OR"]))).toBe("Marca/Marca in ('D''OR')")
  })

  it('replaces an existing filter', () => {
    const url = open(`${SHARED}&filter=Loja/Loja eq 'X'`, ['VW'])
    expect(new URL(url ?? '').searchParams.getAll('filter')).toEqual(["Marca/Marca in ('VW')"])
  })

  it('always sets autoAuth=true', () => {
    const without = SHARED.replace('autoAuth=true', 'autoAuth=false')
    const url = new URL(open(without, ['FIAT']) ?? '')
    expect(url.searchParams.getAll('autoAuth')).toEqual(['true'])
    const oddly = SHARED.replace('autoAuth=true', 'autoauth=True')
    expect(open(oddly, ['FIAT'])?.startsWith(`${oddly}&filterPaneEnabled`)).toBe(true)
  })

  it('sets only autoAuth on paginated reports', () => {
    const link = 'https://app.powerbi.com/rdlEmbed?reportId=r1'
    expect(open(link, ['FIAT'])).toBe(`${link}&autoAuth=true`)
    expect(open(`${link}&autoAuth=no&filter=x`, ['FIAT'])).toBe(`${link}&filter=x&autoAuth=true`)
  })

  it('leaves publish-to-web links unchanged', () => {
    const view = 'https://app.powerbi.com/view?r=abc'
    expect(open(view, ['FIAT'])).toBe(view)
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
    expect(open(url, ['FIAT'])).toBeUndefined()
  })

  it('allows only the emulator’s path of this origin in demo mode', () => {
    const demo = { ...rules, demoBase: '/demo/power-bi' }
    expect(getFilter(open('/demo/power-bi/reportEmbed?reportId=r1', ['FIAT'], demo))).toBe(
      "Marca/Marca in ('FIAT')",
    )
    expect(open('http://localhost:4000/demo/power-bi/rdlEmbed', ['FIAT'], demo)).toBe(
      'http://localhost:4000/demo/power-bi/rdlEmbed?autoAuth=true',
    )
    expect(open('http://localhost:4001/demo/power-bi/reportEmbed', ['FIAT'], demo)).toBeUndefined()
    expect(open('/demo/power-bi/../../api/x', ['FIAT'], demo)).toBeUndefined()
    expect(open('/demo/mailbox', ['FIAT'], demo)).toBeUndefined()
  })
})
