import { describe, expect, it } from 'vitest'
import type { ReportSetting } from '#contract/report-settings.ts'
import { formOf, viewOf } from './setting-form.ts'

const setting = (report_id: string, minute: number): ReportSetting => ({
  id: 'i',
  type: 'Vendas',
  embed_mode: 'service_principal',
  report_url: null,
  workspace_id: 'w',
  report_id,
  dataset_id: null,
  updated_at: `2026-11-21T10:0${minute}:00.000Z`,
})
const first = setting('r1', 1)
const theirs = setting('r2', 2)
const mine = { ...formOf(first), report_id: 'r3' }

describe('getAreaView', () => {
  it('returns the saved setting without a draft', () => {
    const { form, ...view } = viewOf(undefined, first)
    expect(form).toEqual(formOf(first))
    expect(view).toEqual({ seen: first, isChanged: false, isOvertaken: false })
    expect(viewOf(undefined, undefined).form.mode).toBe('none')
  })

  it('returns the draft, changed or not, while the setting stays the same', () => {
    expect(viewOf({ form: mine, seen: first }, first)).toEqual({
      form: mine,
      seen: first,
      isChanged: true,
      isOvertaken: false,
    })
    const typedElsewhere = { ...formOf(first), report_url: 'x' }
    const view = viewOf({ form: typedElsewhere, seen: first }, first)
    expect(view).toMatchObject({ form: typedElsewhere, isChanged: false })
  })

  it('keeps the draft and its base after a concurrent save or removal', () => {
    for (const current of [theirs, undefined])
      expect(viewOf({ form: mine, seen: first }, current)).toEqual({
        form: mine,
        seen: first,
        isChanged: true,
        isOvertaken: true,
      })
  })

  it('returns the saved setting when no input would be lost', () => {
    expect(viewOf({ form: formOf(first), seen: first }, theirs)).toMatchObject({
      form: formOf(theirs),
      seen: theirs,
      isOvertaken: false,
    })
    const same = setting('r3', 5)
    expect(viewOf({ form: mine, seen: first }, same)).toMatchObject({ seen: same, isChanged: false })
  })
})
