import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emailSchema } from './account-forms.ts'
import { normalizeCode } from './accounts.ts'
import { groupMappingRoutes } from './group-mappings.ts'
import { normalizeTyped, trimPasted } from './pasted-text.ts'
import { checkReportSetting } from './report-setting-rules.ts'
import { reportSettingsRoutes } from './report-settings.ts'
import { normalizeShareUrl } from './share-url.ts'
import { contactFormSchema } from './support.ts'

const ID = '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70'
const LINK = `https://app.powerbi.com/reportEmbed?reportId=${ID}`

/** Zero width, direction, soft hyphen, BOM, word joiner, and blanks of every kind. */
const invisible = fc.string({
  unit: fc.constantFrom(...'\u200b\u200e\u200f\u202a\u202c\u2066\u2069\u00ad\ufeff\u2060\u00a0\u3000 \t\n'),
  maxLength: 6,
})
test('invisible signs around a pasted address, id, code or link are dropped', () => {
  fc.assert(
    fc.property(invisible, invisible, (before, after) => {
      const wrap = (text: string) => `${before}${text}${after}`
      expect(trimPasted(wrap('Ana\u200dÁ'))).toBe('Ana\u200dÁ')
      expect(emailSchema.parse(wrap('ana@grupopatio.com.br'))).toBe('ana@grupopatio.com.br')
      expect(contactFormSchema.shape.email.parse(wrap('ana@x.br'))).toBe('ana@x.br')
      expect(normalizeCode(wrap('123456'))).toBe('123456')
      expect(normalizeShareUrl(wrap(LINK))).toBe(LINK)
      const setting = {
        embed_mode: 'service_principal' as const,
        workspace_id: wrap(ID),
        report_id: wrap(ID),
        dataset_id: wrap(ID),
      }
      expect(checkReportSetting(setting, [])).toEqual([])
      expect(reportSettingsRoutes.saveReportSetting.body.parse(setting)).toMatchObject({
        workspace_id: ID,
        report_id: ID,
        dataset_id: ID,
      })
      const { body } = groupMappingRoutes.setGroupMappings
      expect(body.parse({ items: [{ group_id: wrap(ID), name: 'a', template_id: ID }] })).toMatchObject({
        items: [{ group_id: ID }],
      })
    }),
  )
})

test('full-width digits are digits', () => {
  const toFullWidth = (text: string) =>
    text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
  expect(normalizeTyped(toFullWidth(ID))).toBe(ID)
  expect(emailSchema.parse(toFullWidth('ana1@x.br'))).toBe('ana1@x.br')
  expect(normalizeCode(toFullWidth('123456'))).toBe('123456')
})
