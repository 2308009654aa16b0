import { expect, test } from 'vitest'
import { checkReportSetting } from './report-setting-rules.ts'

const HOSTS = ['app.powerbi.com', 'msit.powerbi.com']
const ID = '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f501'
const REQUIRED = 'Por favor, insira Workspace ID e Report ID'
const WORKSPACE = 'Workspace ID inválido (formato UUID esperado)'
const REPORT = 'Report ID inválido (formato UUID esperado)'

const principal = (workspace_id: string, report_id: string, dataset_id?: string | null) =>
  checkReportSetting({ embed_mode: 'service_principal', workspace_id, report_id, dataset_id }, HOSTS)

test.each([ID, ID.toUpperCase(), ` ${ID} `, '11111111-1111-1111-1111-111111111111'])(
  'checkReportSetting accepts the id %s',
  (id) => {
    expect(principal(id, id)).toEqual([])
  },
)

test.each([undefined, null, '', 'nenhum formato', '..'])(
  'checkReportSetting ignores the dataset id: %s',
  (datasetId) => {
    expect(principal(ID, ID, datasetId)).toEqual([])
  },
)

test.each([
  [
    '',
    '',
    [
      ['workspace_id', REQUIRED],
      ['report_id', REQUIRED],
    ],
  ],
  [' ', ID, [['workspace_id', REQUIRED]]],
  ['errado', '', [['report_id', REQUIRED]]],
  ['errado', ID, [['workspace_id', WORKSPACE]]],
  [ID, 'errado', [['report_id', REPORT]]],
  [
    'errado',
    'errado',
    [
      ['workspace_id', WORKSPACE],
      ['report_id', REPORT],
    ],
  ],
  [ID.replaceAll('-', ''), ID, [['workspace_id', WORKSPACE]]],
  [`{${ID}}`, ID, [['workspace_id', WORKSPACE]]],
  [`${ID}0`, ID, [['workspace_id', WORKSPACE]]],
  [ID, `${ID}/../x`, [['report_id', REPORT]]],
  [ID, `${ID}\n${ID}`, [['report_id', REPORT]]],
  [ID, ID.replace('3', 'g'), [['report_id', REPORT]]],
])('checkReportSetting of workspace %j and report %j', (workspaceId, reportId, expected) => {
  expect(principal(workspaceId, reportId).map(({ path, message }) => [path, message])).toEqual(expected)
})

test('checkReportSetting reports an invalid share URL', () => {
  const sso = (report_url: string) => checkReportSetting({ embed_mode: 'secure_sso', report_url }, HOSTS)
  expect(sso('https://app.powerbi.com/reportEmbed?reportId=1')).toEqual([])
  expect(sso('')).toEqual([{ path: 'report_url', message: 'Por favor, insira uma URL válida' }])
  expect(sso('http://app.powerbi.com/')).toEqual([
    { path: 'report_url', message: 'Apenas URLs HTTPS são permitidas' },
  ])
})
