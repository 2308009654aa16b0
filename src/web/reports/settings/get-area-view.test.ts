import { describe, expect, it } from 'vitest'
import type { ReportSetting } from '#contract/report-settings.ts'
import { getAreaView, toForm } from './setting-form.ts'

const setting = (report_id: string, minute: number): ReportSetting => ({
  id: 'i',
  type: 'Vendas',
  embed_mode: 'service_principal',
  report_url: null,
  workspace_id: 'w',
  report_id,
  exports: true,
  page_name: null,
  bookmark_name: null,
  name: null,
  dataset_id: null,
  updated_at: `2026-11-21T10:0${minute}:00.000Z`,
})
const first = setting('r1', 1)
const theirs = setting('r2', 2)
const mine = { ...toForm(first), report_id: 'r3' }

describe('getAreaView', () => {
  it('returns the saved setting without a draft', () => {
    const { form, ...view } = getAreaView(undefined, first)
    expect(form).toEqual(toForm(first))
    expect(view).toEqual({ seen: first, isChanged: false, isStale: false })
    expect(getAreaView(undefined, undefined).form.mode).toBe('none')
  })

  it('returns the draft, changed or not, while the setting stays the same', () => {
    expect(getAreaView({ form: mine, seen: first }, first)).toEqual({
      form: mine,
      seen: first,
      isChanged: true,
      isStale: false,
    })
    const typedElsewhere = { ...toForm(first), report_url: 'x' }
    const view = getAreaView({ form: typedElsewhere, seen: first }, first)
    expect(view).toMatchObject({ form: typedElsewhere, isChanged: false })
  })

  it('keeps the draft and its base after a concurrent save or removal', () => {
    for (const current of [theirs, undefined])
      expect(getAreaView({ form: mine, seen: first }, current)).toEqual({
        form: mine,
        seen: first,
        isChanged: true,
        isStale: true,
      })
  })

  it('returns the saved setting when no input would be lost', () => {
    expect(getAreaView({ form: toForm(first), seen: first }, theirs)).toMatchObject({
      form: toForm(theirs),
      seen: theirs,
      isStale: false,
    })
    const same = setting('r3', 5)
    expect(getAreaView({ form: mine, seen: first }, same)).toMatchObject({ seen: same, isChanged: false })
  })
})
