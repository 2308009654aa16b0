import { describe, expect, it } from 'vitest'
import type { OwnReports, ReportArea } from '#contract/reports.ts'
import { toReportSearch, toTabs } from './own-reports.ts'

function principal(type: string, change: Partial<ReportArea> = {}): ReportArea {
  const ids = { workspaceId: 'w', reportId: 'r', datasetId: null }
  return { type, embedMode: 'service_principal', reportUrl: null, ...ids, canExport: true, ...change }
}

function shared(type: string, reportUrl: string | null): ReportArea {
  const ids = { workspaceId: null, reportId: null, datasetId: null }
  return { type, embedMode: 'secure_sso', reportUrl, ...ids, canExport: true }
}

function toReports(areas: ReportArea[], change: Partial<OwnReports> = {}): OwnReports {
  return {
    approved: true,
    endedOn: null,
    emailVerified: true,
    areas,
    marcas: ['FIAT'],
    estados: ['RJ'],
    ...change,
  }
}

describe('report tabs', () => {
  it('keep the order and the mode of the areas', () => {
    const { tabs, incomplete } = toTabs(toReports([shared('Vendas', 'https://x'), principal('HPD')]))
    expect(tabs.map(({ area, kind }) => [area, kind])).toEqual([
      ['Vendas', 'shared'],
      ['HPD', 'embedded'],
    ])
    expect(incomplete).toEqual([])
  })

  it('omit areas with an incomplete setting', () => {
    const areas = [
      principal('Vendas', { workspaceId: null }),
      principal('HPD', { reportId: '' }),
      shared('CRM', null),
    ]
    expect(toTabs(toReports(areas))).toEqual({ tabs: [], incomplete: ['Vendas', 'HPD', 'CRM'] })
  })

  it.each([{ marcas: [] }, { estados: [] }])('stay but show no report without scope: %o', (change) => {
    const { tabs, incomplete } = toTabs(toReports([principal('Vendas'), shared('CRM', null)], change))
    expect(tabs.map(({ kind }) => kind)).toEqual(['no-scope', 'no-scope'])
    expect(incomplete).toEqual([])
  })

  it('list the further reports of an area after its first', () => {
    const area = principal('Vendas')
    const { type: _, ...first } = area
    const reports = [
      { ...first, id: '1', name: 'Vendas' },
      { ...first, id: '2', name: 'Metas', reportId: 'm', canExport: false },
      { ...first, id: '3', name: 'Leads', reportId: null },
    ]
    const { tabs, incomplete } = toTabs(toReports([{ ...area, reports }, principal('HPD')]))
    expect(tabs.map(({ title, isFirst, canExport }) => [title, isFirst, canExport])).toEqual([
      ['Vendas', true, true],
      ['Vendas · Metas', false, false],
      ['HPD', true, true],
    ])
    expect(incomplete).toEqual(['Vendas · Leads'])
    expect(tabs.slice(0, 2).map((tab) => toReportSearch(tab, 'v'))).toEqual([
      { area: 'Vendas', visao: 'v' },
      { area: 'Vendas', relatorio: '2', visao: 'v' },
    ])
    const renamed = reports.map((report) => ({ ...report, name: `${report.name}!` }))
    const keys = toTabs(toReports([{ ...area, reports: renamed }])).tabs.map(({ key }) => key)
    expect(keys).toEqual(tabs.slice(0, 2).map(({ key }) => key))
  })

  it('change their key with the report and the scope only', () => {
    const getKey = (reports: OwnReports) => toTabs(reports).tabs[0]?.key
    const before = getKey(toReports([principal('Vendas')]))
    expect(getKey(toReports([principal('Vendas'), principal('HPD')], { emailVerified: false }))).toBe(before)
    expect(getKey(toReports([principal('Vendas', { reportId: 'r2' })]))).not.toBe(before)
    expect(getKey(toReports([principal('Vendas')], { marcas: ['FIAT', 'GM'] }))).not.toBe(before)
    expect(getKey(toReports([principal('Vendas')], { estados: ['MG'] }))).not.toBe(before)
  })
})
