import { describe, expect, it } from 'vitest'
import { ACCESS_ACTIONS, AUDIT_ACTIONS, type HistoryEntry, type TrailAction } from './audit-actions.ts'
import { describeChange, formatState, nameAction } from './describe-change.ts'

const CARLA = 'carla@grupopatio.com.br'

function createEntry(action: string, rest: Partial<HistoryEntry> = {}): HistoryEntry {
  return { id: 1, at: '2026-11-20T17:32:00Z', actor_email: CARLA, action, before: null, after: null, ...rest }
}
const describeAction = (action: TrailAction, before: object | null = null, after: object | null = null) =>
  describeChange(createEntry(action, { before: before as HistoryEntry['before'], after } as HistoryEntry))

describe('describeChange', () => {
  it.each<[TrailAction, object | null, object | null, string]>([
    [
      'types-set',
      { types: ['Vendas', 'HPD'] },
      { types: ['HPD', 'CRM'] },
      `${CARLA} mudou os tipos: + CRM, − Vendas`,
    ],
    [
      'types-set',
      { types: [] },
      { types: ['CRM'], templates: ['Gerente', 'Só CRM'] },
      `${CARLA} mudou os tipos: + CRM; igual aos modelos “Gerente” e “Só CRM”`,
    ],
    ['types-set', { types: [] }, { types: [] }, `${CARLA} salvou os tipos sem mudança`],
    [
      'scope-set',
      { marcas: ['FIAT'], estados: ['RJ'] },
      { marcas: ['FIAT', 'GM'], estados: ['RJ'] },
      `${CARLA} mudou as marcas: + GM`,
    ],
    [
      'scope-set',
      { marcas: ['FIAT'], estados: ['RJ'] },
      { marcas: [], estados: ['RJ', 'ES'] },
      `${CARLA} mudou as marcas e os estados: marcas − FIAT; estados + ES`,
    ],
    ['approval-given', { approved: false }, { approved: true }, `${CARLA} aprovou a conta`],
    [
      'approval-given',
      { approved: false, types: [], marcas: ['VW'], estados: [] },
      { approved: true, types: ['CRM'], marcas: ['VW'], estados: ['RJ'] },
      `${CARLA} aprovou a conta: tipos + CRM; estados + RJ`,
    ],
    [
      'bulk-edit-undone',
      { approved: true, types: ['CRM'] },
      { approved: false, types: [] },
      `${CARLA} desfez a aprovação: tipos − CRM`,
    ],
    [
      'approval-given',
      { approved: false, types: [], valid_until: null },
      { approved: true, types: ['CRM'], valid_until: '2026-12-31' },
      `${CARLA} aprovou a conta: tipos + CRM; válido até 31/12/2026`,
    ],
    [
      'validity-set',
      { valid_until: '2026-12-31' },
      { valid_until: null },
      `${CARLA} mudou a validade do acesso: sem prazo`,
    ],
    [
      'access-revoked',
      { approved: true, types: ['CRM', 'HPD'] },
      { approved: false, types: ['CRM'] },
      'O acesso foi reduzido de novo, depois de uma restauração do banco de dados: sem aprovação; tipos − HPD',
    ],
    ['approval-removed', { approved: true }, { approved: false }, `${CARLA} removeu a aprovação`],
    [
      'entitlements-added',
      { types: ['CRM'], estados: [] },
      { types: ['CRM', 'HPD'], estados: ['MG'] },
      `${CARLA} liberou HPD e MG (em massa)`,
    ],
    ['entitlements-removed', { marcas: ['VW', 'GM'] }, { marcas: ['GM'] }, `${CARLA} retirou VW (em massa)`],
    [
      'bulk-edit-undone',
      { marcas: ['GM'] },
      { marcas: ['VW', 'GM'] },
      `${CARLA} desfez uma alteração: marcas + VW`,
    ],
    ['role-changed', { role: 'user' }, { role: 'admin' }, 'O papel mudou de usuário para administrador'],
    [
      'builtin-admin-failures',
      null,
      { failures: 5 },
      'Várias tentativas de entrada na conta de administração falharam (5)',
    ],
    [
      'report-setting-saved',
      null,
      { type: 'Vendas' },
      `${CARLA} salvou a configuração do Power BI para Vendas`,
    ],
    [
      'report-setting-saved',
      { type: 'CRM', embed_mode: 'secure_sso', report_url: 'https://a', id: '1', exports: true },
      { type: 'CRM', embed_mode: 'service_principal', report_url: null, report_id: 'r', exports: true },
      `${CARLA} salvou a configuração do Power BI para CRM: modo: URL Direta (SSO) → Service Principal; URL: https://a → nenhum; relatório: nenhum → r`,
    ],
    [
      'report-setting-removed',
      { type: 'CRM', name: 'Metas' },
      null,
      `${CARLA} removeu a configuração do Power BI para CRM · Metas`,
    ],
    ['report-setting-removed', { type: 'CRM' }, null, `${CARLA} removeu a configuração do Power BI para CRM`],
    ['user-deleted', null, null, `${CARLA} excluiu a conta`],
    [
      'trail-broken',
      { trail: 'audit', position: 120, hash: '9f2c' },
      { position: 100, receiver: 'webhook' },
      'O fim da trilha foi retirado ou alterado no banco de dados: o selo 120, já enviado, não é mais o mesmo',
    ],
    [
      'database-restored',
      null,
      { audit: 100, access: 98, copied_at: '2026-11-20T17:32:00Z' },
      `${CARLA} restaurou uma cópia do banco de dados, de 20/11/2026`,
    ],
    ['sign-in', null, null, `${CARLA} entrou no portal`],
    [
      'sign-in',
      null,
      { method: 'password+mfa/recovery_code' },
      `${CARLA} entrou no portal com a senha e um código de recuperação`,
    ],
    [
      'first-step',
      null,
      { method: 'microsoft' },
      `${CARLA} passou da primeira etapa da entrada, e faltava a segunda: a conta Microsoft`,
    ],
    [
      'factor-renamed',
      { name: 'Chave de acesso' },
      { name: 'Notebook' },
      `${CARLA} mudou o nome de uma segunda etapa: “Chave de acesso” → “Notebook”`,
    ],
    [
      'report',
      null,
      { type: 'Vendas', viewed_as: true },
      `O portal preparou o relatório de Vendas para ${CARLA} como a pessoa o vê`,
    ],
    [
      'sign-in-refused',
      null,
      { attempts: 3, outcome: 'sign-up rate-limited' },
      'O portal recusou entradas (3) entre 14:00 e 15:00: tentativas demais em pouco tempo',
    ],
    ['data-exported', null, null, `${CARLA} exportou os dados da pessoa`],
    ['data-exported', null, { own: true }, `${CARLA} baixou os próprios dados`],
    [
      'notice-changed',
      { text: 'Às 22h' },
      { text: 'Às 22h', ended: true },
      `${CARLA} encerrou um aviso: “Às 22h”`,
    ],
    ['notice-added', null, { text: 'Às 22h' }, `${CARLA} incluiu um aviso: “Às 22h”`],
  ])('formats %s as a sentence', (action, before, after, sentence) => {
    expect(describeAction(action, before, after)).toBe(sentence)
  })

  it('names acts without what only an entry can tell, and the hour of refusals where it is known', () => {
    expect(nameAction('role-changed')).toBe('O papel mudou')
    expect(nameAction('sign-in-refused')).toBe('O portal recusou entradas')
    const entry = { action: 'sign-in-refused', actor_email: null, actor_id: null, before: null }
    const after = { attempts: 2, outcome: 'rate-limited' }
    expect(describeChange({ ...entry, after, at: '2026-11-25T17:00:00.000000Z' })).toBe(
      'O portal recusou entradas (2) entre 14:00 e 15:00: tentativas demais em pouco tempo',
    )
  })

  it('formats every action differently, even without before and after', () => {
    const actions = [...AUDIT_ACTIONS, ...ACCESS_ACTIONS]
    const sentences = actions.map((action) => describeAction(action))
    expect(new Set(sentences).size).toBe(actions.length)
    for (const sentence of sentences) {
      expect(sentence).not.toMatch(/undefined|null|\[object|: $/)
      expect(sentence).not.toMatch(/[a-z]+-[a-z]+ed\b|-set\b/)
    }
  })

  it('accepts malformed lists and unknown actions', () => {
    expect(describeAction('types-set', { types: 'CRM' }, { types: [7, 'HPD'] })).toBe(
      `${CARLA} mudou os tipos: + HPD`,
    )
    for (const action of ['future-deed', 'toString', '__proto__'])
      expect(describeChange(createEntry(action))).toBe(`Alteração registrada: ${action}`)
  })

  it('calls the reader "Você" and gives a deleted actor no name', () => {
    expect(describeChange(createEntry('approval-given'), CARLA)).toBe('Você aprovou a conta')
    expect(describeChange(createEntry('approval-given', { actor_email: null }))).toBe(
      'Alguém cuja conta foi excluída aprovou a conta',
    )
    expect(describeChange(createEntry('approval-given', { actor_email: null, actor_id: null }))).toBe(
      'O portal aprovou a conta',
    )
  })

  it('inserts the time between the action and the differences', () => {
    const change = createEntry('types-set', { before: { types: [] }, after: { types: ['CRM'] } })
    expect(describeChange(change, undefined, 'às 14:32')).toBe(`${CARLA} mudou os tipos às 14:32: + CRM`)
  })
})

describe('formatState', () => {
  it('writes the filters of an exported list in Portuguese', () => {
    expect(
      formatState({ people: 7, verified: 'false', lastAccess: 'idle', reports: 'none', searched: true }),
    ).toBe(
      'pessoas: 7; e-mail verificado: não; último acesso: há muito tempo; relatórios: nenhum; com busca: sim',
    )
  })
})

describe('what somebody typed', () => {
  const typed = 'a”: motivo: “b\r\n\u202ec\u001b'
  it.each([
    ['factor-added', { name: typed }],
    ['factor-renamed', { name: typed }],
    ['access-refused', { reason: typed }],
    ['access-template-added', { name: typed }],
    ['notice-added', { text: typed }],
    ['types-set', { types: [typed], templates: [typed] }],
    ['name-corrected', { full_name: typed }],
    ['report-shown', { type: typed, name: typed }],
  ])('stays in one line and in its quotation in %s', (action, after) => {
    const sentence = describeChange({ action, actor_email: 'ana@x.br', before: {}, after })
    expect(sentence).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    if ('name' in after && action.startsWith('factor')) expect(sentence).toContain('“a": motivo: "b ⏎ �c�”')
    expect(formatState(after)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})
