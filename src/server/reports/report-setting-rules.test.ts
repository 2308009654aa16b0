import { describe, expect, test } from 'vitest'
import { checkReportSetting } from '#contract/report-setting-rules.ts'
import type { ReportSettingInput } from '#contract/report-settings.ts'
import { readTrail } from '#server/testing/admin-calls.ts'
import {
  sendTest,
  setUpReportSettings,
  toLinkSetting,
  toSetting,
} from '#server/testing/report-setting-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const ID = '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f501'
const LINK = 'https://app.powerbi.com/reportEmbed?reportId=1&autoAuth=true&ctid=2'

describeOnEachDatabase('report settings', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const { admin, save, list } = setUpReportSettings(portal)

  test('are saved without the controls of a pasted link', async () => {
    const { body } = await save('vendas', toLinkSetting('https://app.powerbi.com/a\u007fb'))
    expect(body.report_url).toBe('https://app.powerbi.com/ab')
  })

  describe('are rejected with the message of each rule', () => {
    const HOST = 'Apenas URLs do Power BI são permitidas (app.powerbi.com ou msit.powerbi.com)'
    const INVALID = 'URL inválida. Por favor, insira uma URL válida do Power BI'
    const REQUIRED = 'Por favor, insira uma URL válida'
    const IDS = 'Por favor, insira Workspace ID e Report ID'
    const WORKSPACE = 'Workspace ID inválido (formato UUID esperado)'
    const REPORT = 'Report ID inválido (formato UUID esperado)'
    const withIds = (workspace_id: unknown, report_id: unknown) =>
      toSetting('Vendas', { workspace_id, report_id })
    const cases: [unknown, string][] = [
      [toLinkSetting(''), REQUIRED],
      [toLinkSetting('   '), REQUIRED],
      [{ embed_mode: 'secure_sso' }, REQUIRED],
      [{ embed_mode: 'secure_sso', report_url: null }, REQUIRED],
      [toLinkSetting('nada'), INVALID],
      [toLinkSetting(`https://app.powerbi.com/${'x'.repeat(4096)}`), INVALID],
      [toLinkSetting('https:\\\\app.powerbi.com'), INVALID],
      [toLinkSetting('http://app.powerbi.com/'), 'Apenas URLs HTTPS são permitidas'],
      [toLinkSetting('https://user:pass@app.powerbi.com/'), HOST],
      [toLinkSetting('https://app.powerbi.com@evil.com/'), HOST],
      [toLinkSetting('https://app.powerbi.com:8443/'), HOST],
      [toLinkSetting('https://app.powerbi.com./'), HOST],
      [toLinkSetting('https://app.pоwerbi.com/'), HOST],
      [toLinkSetting('javascript:alert(1)'), HOST],
      [toLinkSetting('<iframe src="javascript:alert(1)"></iframe>'), HOST],
      [withIds('', ID), IDS],
      [withIds(ID, ' '), IDS],
      [withIds(undefined, ID), IDS],
      [withIds(null, null), IDS],
      [withIds('errado', ID), WORKSPACE],
      [withIds('x'.repeat(101), ID), WORKSPACE],
      [withIds(ID, 'errado'), REPORT],
      [withIds(ID, `${ID}/..`), REPORT],
      [
        toSetting('Vendas', { dataset_id: 'x'.repeat(101) }),
        'Dataset ID inválido (no máximo 100 caracteres)',
      ],
      [
        toSetting('Vendas', { bookmark_name: ID }),
        'Este indicador é pessoal ou de um compartilhamento, e não abre com a conta do portal. Use um indicador do relatório.',
      ],
    ]
    const named = cases.map(([body, message]) => [JSON.stringify(body).slice(0, 90), body, message] as const)
    test.each(named)('%s', async (_, body, message) => {
      for (const reply of [await save('vendas', body), await sendTest(portal, admin.token, body)]) {
        expect([reply.status, reply.body.code, reply.body.detail]).toEqual([400, 'invalid-input', message])
        expect(reply.body.fields[0].message).toBe(message)
      }
      expect(await list()).toEqual([])
      expect(await readTrail(portal)).toEqual([])
    })

    const typed = named.filter(([, body]) => {
      const fields = Object.values(body as object)
      return fields.length > 1 && fields.every((value) => typeof value === 'string')
    })
    test.each(typed)('%s, in the browser too', (_, body, message) => {
      const [problem] = checkReportSetting(body as ReportSettingInput, [
        'app.powerbi.com',
        'msit.powerbi.com',
      ])
      expect(problem?.message).toBe(message)
    })

    test.each([
      ['no mode', {}],
      ['the mode that is none', { embed_mode: 'none' }],
      ['a link and ids', { ...toSetting('Vendas'), report_url: LINK }],
      ['ids and a link', { ...toLinkSetting(LINK), report_id: ID }],
      ['an unknown key', { ...toLinkSetting(LINK), type: 'CRM' }],
    ])('%s', async (_, body) => {
      expect((await save('vendas', body)).status).toBe(400)
      expect(await list()).toEqual([])
    })

    test.each(['Vendas', 'financeiro', 'vendas%00', '%2e%2e'])('the type %s', async (type) => {
      expect([400, 404]).toContain((await save(type, toLinkSetting(LINK))).status)
    })

    test('ids only need the form of UUIDs, and the dataset id any text', async () => {
      const id = '11111111-1111-1111-1111-ABCDEFABCDEF'
      const body = toSetting('Vendas', { workspace_id: ` ${id} `, report_id: id, dataset_id: 'livre' })
      const saved = (await save('vendas', body)).body
      expect(saved).toMatchObject({ workspace_id: id, report_id: id, dataset_id: 'livre' })
    })
  })
})
