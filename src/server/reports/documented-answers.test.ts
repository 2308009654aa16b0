import { beforeEach, expect, test } from 'vitest'
import {
  DOCUMENTED_ANSWERS,
  type DocumentedAnswer,
  toFault,
} from '#emulators/power-bi/testing/documented-answers.ts'
import { addPerson, configureReports, openTestSession, send } from '#server/testing/builders.ts'
import { fetchToken, type Person, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { readTest, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const IT = 'a equipe de TI'
const POWER_BI = 'o administrador do Power BI'
const PORTAL = 'o administrador do portal'

/** What everybody reads, and the thing and the person that administrators read. */
interface Expected {
  isTemporary?: true
  fault: RegExp
  /** Undefined where nobody has to do anything. */
  mender?: string
  thing?: RegExp
}

const EXPECTED: Record<string, Expected> = {
  'bad-credentials': {
    fault: /^O Microsoft Entra recusou as credenciais/,
    mender: IT,
    thing: /segredo.*“Valor”/,
  },
  'secret-expired': { fault: /^O segredo do aplicativo venceu/, mender: IT, thing: /criar um novo segredo/ },
  'bad-certificate': {
    fault: /^O Microsoft Entra não aceita o certificado/,
    mender: IT,
    thing: /Certificados e segredos/,
  },
  'wrong-client-id': { fault: /não conhece o aplicativo do portal/, mender: IT, thing: /POWERBI_CLIENT_ID/ },
  'application-disabled': {
    fault: /está desativado no Microsoft Entra/,
    mender: IT,
    thing: /Aplicativos empresariais/,
  },
  'wrong-tenant': { fault: /não conhece este locatário/, mender: IT, thing: /POWERBI_TENANT_ID/ },
  'wrong-cloud': { fault: /em outra nuvem da Microsoft/, mender: IT, thing: /POWERBI_CLOUD/ },
  'not-assigned': {
    fault: /só dá tokens do Power BI a quem foi atribuído/,
    mender: IT,
    thing: /Power BI Service/,
  },
  'conditional-access': { fault: /Acesso Condicional/, mender: IT, thing: /endereço IP deste servidor/ },
  'no-power-bi': {
    fault: /o Power BI não existe ou está desativado/,
    mender: IT,
    thing: /assinatura do Power BI/,
  },
  'directory-refused': {
    fault: /^O Microsoft Entra recusou o aplicativo/,
    mender: IT,
    thing: /login\.microsoftonline\.com\/error/,
  },
  'directory-busy': { isTemporary: true, fault: /^O Microsoft Entra está ocupado ou fora do ar/ },
  'capacity-overloaded': {
    isTemporary: true,
    fault: /^A capacidade do Power BI .* está sobrecarregada/,
    mender: POWER_BI,
    thing: /Fabric Capacity Metrics/,
  },
  'capacity-paused': {
    isTemporary: true,
    fault: /^A capacidade do Power BI .* está pausada/,
    mender: POWER_BI,
    thing: /retomá-la no portal do Azure.*atribuir o espaço de trabalho a outra/,
  },
  'network-blocked': {
    fault: /redes permitidas/,
    mender: POWER_BI,
    thing: /regras de entrada do espaço de trabalho/,
  },
  'rate-limited': { isTemporary: true, fault: /^O Power BI pediu uma pausa/ },
  'service-down': { isTemporary: true, fault: /^O Power BI não respondeu como devia/ },
  'foreign-answer': {
    isTemporary: true,
    fault: /^A resposta não veio da Microsoft/,
    mender: IT,
    thing: /proxy ou firewall/,
  },
  'service-principals-off': {
    fault: /^O Power BI não aceita aplicativos nesta organização/,
    mender: POWER_BI,
    thing: /“As entidades de serviço podem chamar APIs públicas do Fabric”/,
  },
  'api-closed': {
    fault: /não deixa o aplicativo do portal usar esta API/,
    mender: POWER_BI,
    thing: /“As entidades de serviço podem chamar.*grupo de segurança/,
  },
  'no-workspace-access': {
    fault: /não tem acesso a este espaço de trabalho/,
    mender: POWER_BI,
    thing: /como membro \(pode demorar a valer\)/,
  },
  'no-model-access': {
    fault: /não tem acesso ao modelo de dados/,
    mender: POWER_BI,
    thing: /espaço de trabalho em que o modelo está/,
  },
  'limited-content': {
    fault: /só o nome deste modelo de dados/,
    mender: POWER_BI,
    thing: /permissão de gravação/,
  },
  'report-not-found': { fault: /^O relatório não existe neste espaço/, mender: PORTAL, thing: /Report ID/ },
  'dataset-not-found': {
    fault: /^O modelo de dados não existe/,
    mender: POWER_BI,
    thing: /em qual ele está.*como membro/,
  },
  'not-a-member': { fault: /não os acha para o token/, mender: POWER_BI, thing: /como membro/ },
  'identity-required': { fault: /^O modelo exige a identidade/, mender: IT, thing: /POWERBI_RLS_ROLES/ },
  'identity-forbidden': {
    fault: /^O modelo não aceita identidade/,
    mender: POWER_BI,
    thing: /“Portal”.*\(RLS\)/,
  },
  'sso-connection': {
    fault: /^O modelo lê a fonte com a identidade de cada pessoa/,
    mender: POWER_BI,
    thing: /sem logon único/,
  },
  'unknown-role': {
    fault: /^O modelo não conhece a função “Portal”/,
    mender: POWER_BI,
    thing: /criar essa função/,
  },
  'no-capacity': { fault: /não está em uma capacidade/, mender: POWER_BI, thing: /atribuí-lo a uma/ },
  'embedding-off': {
    fault: /o Power BI não o deixa inserir/,
    mender: POWER_BI,
    thing: /“Inserir conteúdo em aplicativos”/,
  },
  'xmla-off': {
    fault: /ponto de extremidade XMLA/,
    mender: POWER_BI,
    thing: /“Permitir pontos de extremidade XMLA/,
  },
  'refresh-limit': {
    fault: /oito em capacidade compartilhada/,
    mender: POWER_BI,
    thing: /esperar até amanhã/,
  },
  'refresh-unsupported': {
    fault: /^Este modelo não tem atualização/,
    mender: POWER_BI,
    thing: /DirectQuery/,
  },
  'refresh-credentials': {
    fault: /não tem como entrar na fonte/,
    mender: POWER_BI,
    thing: /credenciais da fonte/,
  },
  'refresh-running': { fault: /^Os dados já estão sendo atualizados/ },
  'no-write-permission': {
    fault: /não pode atualizar os dados deste modelo/,
    mender: POWER_BI,
    thing: /membro ou colaborador/,
  },
  'export-labelled': { fault: /rótulo de confidencialidade/, mender: POWER_BI, thing: /tirar o rótulo/ },
  'export-limit': { fault: /50 páginas, 250 MB/, mender: POWER_BI, thing: /dividi-lo/ },
  'export-off': {
    fault: /não deixa o portal exportar/,
    mender: POWER_BI,
    thing: /“Exportar relatórios como/,
  },
  'export-failed': { fault: /não conseguiu exportar este relatório/, thing: /visuais não certificados/ },
}

/** The service's own words in an answer. */
function findWords({ body }: DocumentedAnswer): string | undefined {
  const { message, Message, error, error_description } = (typeof body === 'object' ? body : {}) as Record<
    string,
    unknown
  >
  const inner = (error as { message?: string } | undefined)?.message
  return [inner, message, Message, error_description].find((each) => typeof each === 'string') as
    | string
    | undefined
}

/** Checks what administrators read: the fault, the thing and who mends it. */
function expectForAdministrators(text: string, { outcome }: DocumentedAnswer) {
  const { isTemporary, fault, mender, thing = /./ } = EXPECTED[outcome] as Expected
  expect(text).toMatch(fault)
  expect(text).toMatch(thing)
  expect(text).not.toMatch(/[{}]/)
  if (mender) expect(text).toContain(mender)
  else if (isTemporary) expect(text).toMatch(/espere .* e tente de novo/)
}

/** Checks what readers read: the fault and whom to tell, never the service's words. */
function expectForReaders(text: string, answer: DocumentedAnswer) {
  const { fault } = EXPECTED[answer.outcome] as Expected
  expect(text).toMatch(fault)
  const words = findWords(answer)
  if (words) expect(text).not.toContain(words.slice(0, 40))
  expect(text).not.toContain('precisa')
}

describeOnEachDatabase('what Microsoft documents', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal, { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] })
  let reader: Person
  beforeEach(async () => {
    await resetEmulator(portal)
    await portal.database.db.deleteFrom('jobs').execute()
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
    await configureReports(portal, 'Vendas')
    // Neither tokens of the directory nor models are cached any more.
    portal.clock.advance(61 * 60_000)
    reader = await addPerson(portal)
    admin.token = (await openTestSession(portal, admin)).access_token
  })
  const script = async (answer: DocumentedAnswer) => {
    await resetEmulator(portal)
    await scriptFault(portal, toFault(answer))
  }
  const choose = (...targets: DocumentedAnswer['on'][]) =>
    DOCUMENTED_ANSWERS.filter(({ on }) => targets.includes(on))

  test('every outcome of the table is expected', () => {
    const outcomes = DOCUMENTED_ANSWERS.filter(({ on }) => on !== 'frame').map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome !== 'ok' && !EXPECTED[outcome])).toEqual([])
  })

  test.each(choose('directory', 'report', 'dataset', 'generateToken'))(
    '$name is $outcome',
    async (answer) => {
      await script(answer)
      const tested = await readTest(portal, admin.token, toSetting('Vendas'))
      expect(tested.outcome).toBe(answer.outcome)
      await script(answer)
      const { status, body } = await fetchToken(portal, reader)
      if (answer.outcome === 'ok') return expect(status).toBe(200)
      expectForAdministrators(tested.message, answer)
      const words = findWords(answer)
      if (words) expect(tested.answer).toContain(words.slice(0, 40))
      const isTemporary = EXPECTED[answer.outcome]?.isTemporary ?? false
      expect([status, body.code === 'power-bi-rejected']).toEqual([isTemporary ? 503 : 502, !isTemporary])
      expectForReaders(body.detail, answer)
    },
  )

  const exportAs = async (person: Person) => {
    const open = async () => (await openTestSession(portal, person)).access_token
    const { report_id: reportId } = toSetting('Vendas')
    const body = { area: 'Vendas', reportId, format: 'pdf' }
    const { body: queued } = await send(portal, 'POST', '/api/report-exports', { token: await open(), body })
    for (let turn = 0; turn < 3; turn++) {
      await portal.jobs.runDue()
      portal.clock.advance(2_000)
    }
    await portal.jobs.runDue()
    return (await send(portal, 'GET', `/api/report-exports/${queued.id}`, { token: await open() })).body
  }

  test.each(choose('exportTo', 'exportStatus'))('$name is $outcome', async (answer) => {
    await script(answer)
    const asReader = await exportAs(reader)
    await script(answer)
    const asAdmin = await exportAs(admin)
    if (answer.outcome === 'ok') return expect(asReader.status).not.toBe('failed')
    if (EXPECTED[answer.outcome]?.isTemporary) return expect(asReader.status).not.toBe('failed')
    expect([asReader.status, asAdmin.status]).toEqual(['failed', 'failed'])
    expectForReaders(asReader.detail, answer)
    expectForAdministrators(asAdmin.detail, answer)
  })

  test.each(choose('refreshes'))('$name is $outcome', async (answer) => {
    await script(answer)
    const path = '/api/global-powerbi-settings/vendas/refresh'
    const { status, body } = await send(portal, 'POST', path, { token: admin.token })
    const isTemporary = EXPECTED[answer.outcome]?.isTemporary ?? false
    const isState = ['refresh-running', 'no-write-permission'].includes(answer.outcome)
    expect(status).toBe(isState ? 200 : isTemporary ? 503 : 502)
    expectForAdministrators(body.detail ?? body.message, answer)
  })
})
