import { describe, expect, it } from 'vitest'
import type { ReportSetting } from '#contract/report-settings.ts'
import { formOf, inputOf, isUnchanged, versionOf } from './setting-form.ts'

const saved = { id: 'i', type: 'Vendas', updated_at: '2026-11-21T10:00:00.000Z' } as const
const principal: ReportSetting = {
  ...saved,
  embed_mode: 'service_principal',
  report_url: null,
  workspace_id: 'w',
  report_id: 'r',
  dataset_id: null,
}
const shared: ReportSetting = {
  ...saved,
  embed_mode: 'secure_sso',
  report_url: 'https://app.powerbi.com/reportEmbed?reportId=1&groupId=2',
  workspace_id: null,
  report_id: null,
  dataset_id: null,
}

describe('the form of a setting', () => {
  it('is unchanged after loading, and with spaces around its values', () => {
    for (const setting of [principal, shared, undefined])
      expect(isUnchanged(formOf(setting), setting)).toBe(true)
    expect(isUnchanged({ ...formOf(principal), report_id: ' r ' }, principal)).toBe(true)
    const iframe = '<iframe src="https://app.powerbi.com/reportEmbed?reportId=1&amp;groupId=2"></iframe>'
    expect(isUnchanged({ ...formOf(shared), report_url: iframe }, shared)).toBe(true)
  })

  it('is changed by its mode and the fields of that mode only', () => {
    expect(isUnchanged({ ...formOf(principal), mode: 'none' }, principal)).toBe(false)
    expect(isUnchanged({ ...formOf(principal), dataset_id: 'd' }, principal)).toBe(false)
    expect(isUnchanged({ ...formOf(principal), report_url: 'x' }, principal)).toBe(true)
    expect(isUnchanged({ ...formOf(undefined), report_url: 'x' }, undefined)).toBe(true)
  })

  it('sends the trimmed fields of its mode', () => {
    const form = { ...formOf(principal), report_url: 'x', workspace_id: ' w ' }
    expect(inputOf(form)).toEqual({
      embed_mode: 'service_principal',
      workspace_id: 'w',
      report_id: 'r',
      dataset_id: null,
    })
    expect(inputOf({ ...form, dataset_id: ' d ' })).toMatchObject({ dataset_id: 'd' })
    expect(inputOf({ ...form, mode: 'secure_sso' })).toEqual({ embed_mode: 'secure_sso', report_url: 'x' })
    expect(inputOf({ ...form, mode: 'none' })).toBeUndefined()
  })

  it('returns its version', () => {
    expect(versionOf(principal)).toBe(saved.updated_at)
    expect(versionOf(undefined)).toBe('none')
  })
})
