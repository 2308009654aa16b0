import { describe, expect, it } from 'vitest'
import type { ReportSetting } from '#contract/report-settings.ts'
import { getVersion, isUnchanged, toForm, toInput } from './setting-form.ts'

const saved = { id: 'i', type: 'Vendas', updated_at: '2026-11-21T10:00:00.000Z' } as const
const principal: ReportSetting = {
  ...saved,
  embed_mode: 'service_principal',
  report_url: null,
  workspace_id: 'w',
  report_id: 'r',
  exports: true,
  page_name: null,
  bookmark_name: null,
  name: null,
  dataset_id: null,
}
const shared: ReportSetting = {
  ...saved,
  embed_mode: 'secure_sso',
  report_url: 'https://app.powerbi.com/reportEmbed?reportId=1&groupId=2',
  workspace_id: null,
  report_id: null,
  exports: true,
  page_name: null,
  bookmark_name: null,
  name: null,
  dataset_id: null,
}

describe('the form of a setting', () => {
  it('is unchanged after loading, and with spaces around its values', () => {
    for (const setting of [principal, shared, undefined])
      expect(isUnchanged(toForm(setting), setting)).toBe(true)
    expect(isUnchanged({ ...toForm(principal), report_id: ' r ' }, principal)).toBe(true)
    const iframe = '<iframe src="https://app.powerbi.com/reportEmbed?reportId=1&amp;groupId=2"></iframe>'
    expect(isUnchanged({ ...toForm(shared), report_url: iframe }, shared)).toBe(true)
  })

  it('is changed by its mode and the fields of that mode only', () => {
    expect(isUnchanged({ ...toForm(principal), mode: 'none' }, principal)).toBe(false)
    expect(isUnchanged({ ...toForm(principal), dataset_id: 'd' }, principal)).toBe(false)
    expect(isUnchanged({ ...toForm(principal), exports: false }, principal)).toBe(false)
    expect(isUnchanged({ ...toForm(principal), report_url: 'x' }, principal)).toBe(true)
    expect(isUnchanged({ ...toForm(undefined), report_url: 'x' }, undefined)).toBe(true)
  })

  it('sends the trimmed fields of its mode', () => {
    const form = { ...toForm(principal), report_url: 'x', workspace_id: ' w ' }
    expect(toInput(form)).toEqual({
      embed_mode: 'service_principal',
      workspace_id: 'w',
      report_id: 'r',
      dataset_id: null,
      exports: true,
      page_name: null,
      bookmark_name: null,
    })
    expect(toInput({ ...form, dataset_id: ' d ' })).toMatchObject({ dataset_id: 'd' })
    expect(toInput({ ...form, mode: 'secure_sso' })).toEqual({ embed_mode: 'secure_sso', report_url: 'x' })
    expect(toInput({ ...form, mode: 'none' })).toBeUndefined()
  })

  it('returns its version', () => {
    expect(getVersion(principal)).toBe(saved.updated_at)
    expect(getVersion(undefined)).toBe('none')
  })
})
