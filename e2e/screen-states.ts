import { setTimeout } from 'node:timers/promises'
import type { Locator, Page } from '@playwright/test'

/**
 * A screen in one of its states, for pictures; those without
 * `act` are also checked for layout shifts while loading.
 */
export interface ScreenState {
  /** The base name of its pictures. */
  name: string
  path: string
  /** A seeded account, by the local part of its address; a visitor without one. */
  as?: string
  /** Stubs replies of the server before the screen opens. */
  given?: (page: Page) => Promise<unknown>
  /** What is visible once the screen is ready. */
  ready: (page: Page) => Locator
  /** The steps that lead there from `ready`. */
  act?: (page: Page) => Promise<unknown>
  /** Whether the README shows it. */
  isInDocs?: true
}

const text = (words: string | RegExp) => (page: Page) =>
  page.getByText(words).filter({ visible: true }).first()
const heading = (words: string | RegExp) => (page: Page) => page.getByRole('heading', { name: words }).first()
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()
const card = (area: string) => (page: Page) =>
  page.frameLocator(`iframe[title="${area}"]`).locator('[data-card]').first()

/** Leaves a request pending, so that the screen keeps its loading state. */
const hang = (path: string) => (page: Page) => page.route(path, () => {})
const fail =
  (path: string, status: number, problem: object = {}) =>
  (page: Page) =>
    page.route(path, (route) =>
      route.fulfill({
        status,
        contentType: 'application/problem+json',
        json: { code: 'internal', detail: 'Algo deu errado do nosso lado.', ...problem },
      }),
    )
const OWN_REPORTS = '**/api/reports/me'
const reply = (path: string, json: object) => (page: Page) =>
  page.route(path, (route) => route.fulfill({ json }))
const LONG_NOTICE =
  'Os dados de ontem da Oficina atrasaram no Power BI e chegam até as 11h. Acompanhe em https://status.grupopatio.com.br/oficina; enquanto isso, use o relatório de Vendas.'
const NOTICES = [
  ...[
    ['problem', 'active', LONG_NOTICE, ['Oficina', 'Vendas'], '2026-11-25T11:02:00.000Z', null],
    [
      'warning',
      'scheduled',
      'Manutenção no sábado das 22h às 23h30.',
      null,
      '2099-11-29T01:00:00.000Z',
      '2099-11-29T02:30:00.000Z',
    ],
    ['info', 'draft', 'Relatório novo em Vendas: Metas do mês.', ['Vendas'], null, null],
    ['info', 'ended', 'Feliz 2026!', null, '2026-01-01T03:00:00.000Z', '2026-01-02T02:59:00.000Z'],
  ].map(([severity, state, text, types, starts_at, ends_at], index) => ({
    id: `00000000-0000-4000-8000-00000000000${index}`,
    severity,
    state,
    text,
    types,
    starts_at,
    ends_at,
    on_login: state === 'scheduled',
    is_draft: state === 'draft',
    closed: index === 0 ? 12 : 0,
    version: 1,
  })),
]
const TOKEN = '**/api/functions/get-powerbi-token'

/** Adds a second report to the first area. */
const addFurtherReport = (page: Page) =>
  page.route(OWN_REPORTS, async (route) => {
    const response = await route.fetch()
    const reports = await response.json()
    const [first, other] = reports.areas
    const further = {
      ...other.reports[0],
      id: first.reports[0].id.replace(/^../, '00'),
      name: 'Metas e resultados',
    }
    first.reports.push(further)
    await route.fulfill({ response, json: reports })
  })

const SUBSCRIPTION = {
  id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5c4',
  area: 'Vendas',
  report: null,
  reportId: 'r',
  format: 'pdf',
  viewId: null,
  view: null,
  schedule: { every: 'month', day: 31, hour: 8 },
  failure: null,
  nextRunAt: '2026-12-31T11:00:00Z',
  lastSentAt: '2026-10-31T11:02:00Z',
}
const SUBSCRIPTIONS = {
  items: [
    SUBSCRIPTION,
    {
      ...SUBSCRIPTION,
      id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5c5',
      view: 'Fechamento do mês',
      format: 'pptx',
      schedule: { every: 'week', weekday: 1, hour: 7 },
      failure: 'O Power BI não conseguiu exportar este relatório.',
    },
    {
      ...SUBSCRIPTION,
      id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5c6',
      area: 'Oficina',
      nextRunAt: null,
      schedule: { every: 'day', hour: 8 },
    },
  ],
}

const FACTOR = {
  id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5f1',
  friendly_name: 'Notebook',
  factor_type: 'webauthn',
  status: 'verified',
  created_at: '2026-11-03T11:12:00.000Z',
  updated_at: '2026-11-20T11:12:00.000Z',
}
const APP = {
  ...FACTOR,
  id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5f2',
  friendly_name: 'Celular',
  factor_type: 'totp',
}
const CODES_OF = { ...FACTOR, id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5f3', factor_type: 'recovery_code' }
const CODES = Array.from({ length: 10 }, (_, n) => `K7QX-M2PB-${n}VTD-9RHA`)
const QR =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="black" d="M1 1h3v3H1zM5 1h2v2H5zM1 5h2v2H1zM5 5h1v1H5z"/></svg>'

/** Answers as for a person with two factors and nine recovery codes. */
const withFactors = async (page: Page) => {
  await page.route('**/api/auth/user', (route) =>
    route.fulfill({
      json: { factors: [FACTOR, APP], app_metadata: { second_factor: null, second_factor_due: null } },
    }),
  )
  const codes = { id: CODES_OF.id, type: 'recovery_code', total: 10, remaining: 9 }
  await page.route('**/api/auth/factors/recovery-codes', (route) => route.fulfill({ json: codes }))
  await page.route('**/api/auth/factors/recovery-codes/regenerate', (route) =>
    route.fulfill({ json: { ...codes, codes: CODES } }),
  )
}
const stubEnrolment = (page: Page) =>
  page.route('**/api/auth/factors', (route) =>
    route.fulfill({
      json: {
        id: APP.id,
        type: 'totp',
        friendly_name: 'Aplicativo de códigos',
        totp: { qr_code: QR, secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', uri: '' },
      },
    }),
  )
/** Stores a session that owes the second step. */
const oweStep = (second_factor: string) => async (page: Page) => {
  // A first set-up: no factor works yet.
  await page.route('**/api/auth/user', (route) => route.fulfill({ json: { factors: [] } }))
  // On a page that loads nothing: an init script would do it again for the states that follow.
  await page.goto('/api/health/live')
  await page.evaluate(
    ([owed, factors]) => {
      const session = {
        access_token: '-',
        refresh_token: '-',
        expires_at: 4_000_000_000,
        user: {
          id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5f0',
          email: 'diretoria@grupopatio.com.br',
          factors,
          app_metadata: { must_change_password: false, second_factor: owed },
        },
      }
      localStorage.setItem('patio.session', JSON.stringify(session))
    },
    [second_factor, [APP, FACTOR, CODES_OF]] as const,
  )
}

const OWN_SESSIONS = {
  sessions: [
    {
      id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5d1',
      device: 'Chrome no Windows',
      current: true,
      opened_at: '2026-11-20T11:12:00.000Z',
      last_used_at: '2026-11-20T14:02:00.000Z',
      in_group_network: true,
    },
    {
      id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5d2',
      device: 'Safari no iPhone',
      current: false,
      opened_at: '2026-11-18T21:40:00.000Z',
      last_used_at: '2026-11-20T13:31:00.000Z',
      in_group_network: false,
    },
  ],
  sign_ins: [
    {
      at: '2026-11-20T11:12:00.000Z',
      refusal: null,
      attempts: 1,
      device: 'Chrome no Windows',
      in_group_network: true,
    },
    {
      at: '2026-11-20T11:10:00.000Z',
      refusal: 'invalid-credentials',
      attempts: 3,
      device: null,
      in_group_network: false,
    },
  ],
  factors: 0,
}

const INVITATION = {
  types: ['Vendas', 'CRM'],
  marcas: ['FIAT'],
  estados: ['RJ'],
  valid_until: null,
  version: 0,
  invited_by: 'admin@grupopatio.com.br',
  invited_at: '2026-11-20T12:00:00.000Z',
  withdrawn_at: null,
  expires_at: '2099-11-27T12:00:00.000Z',
  expired: false,
}
const INVITATIONS = [
  {
    ...INVITATION,
    id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5e1',
    email: 'nina.prado@grupopatio.com.br',
    full_name: 'Nina Prado',
  },
  {
    ...INVITATION,
    id: '0d9c8b7a-6f5e-4d3c-8b2a-1908f7e6d5e2',
    email: 'otavio.lins@grupopatio.com.br',
    full_name: null,
    estados: [],
    valid_until: '2099-12-31',
    expires_at: '2026-11-20T12:00:00.000Z',
    expired: true,
  },
]
const inviteTwo = (page: Page) =>
  page.route(/\/api\/invitations(\?|$)/, (route) =>
    route.fulfill({ json: { items: INVITATIONS, next: null, total: 2 } }),
  )
const isSignedInTwice = (page: Page) =>
  page.route('**/api/profiles/*/sessions', (route) =>
    route.fulfill({ json: { ...OWN_SESSIONS, locked_until: '2026-11-20T14:20:00.000Z' } }),
  )

const withoutScope = (page: Page) =>
  page.route(OWN_REPORTS, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), marcas: [] } })
  })

const ASKED = {
  workplace: null,
  types: ['Oficina', 'HPD'],
  marcas: ['VW'],
  estados: [],
  note: 'Cubro as férias da Ana na oficina de Niterói até o fim do mês.',
  requested_at: '2026-11-20T14:05:00.000Z',
}
/** @param refusal null for an open request */
const hasAsked = (refusal: string | null) => (page: Page) =>
  page.route('**/api/access-requests/me', async (route) => {
    const response = await route.fetch()
    const refused_at = refusal && '2026-11-21T09:30:00.000Z'
    const request = { ...ASKED, refusal, refused_at }
    await route.fulfill({ response, json: { ...(await response.json()), request } })
  })
const peopleAsk = async (page: Page) => {
  await page.route(/\/api\/profiles\?requesting=true/, async (route) => {
    const url = route
      .request()
      .url()
      .replace('requesting=true&limit=1000', 'verified=true&approved=true&limit=2')
    const response = await route.fetch({ url })
    const { items } = await response.json()
    const asking = items.map((person: object) => ({ ...person, request: ASKED }))
    await route.fulfill({ response, json: { items: asking, next: null } })
  })
  // The people above them arrive last, so that a queue that moves is seen.
  await page.route(/\/api\/profiles\?waiting=true/, async (route) => {
    await setTimeout(500)
    await route.continue()
  })
}

/** Lists the states of a screen, each with what it has of its own. */
const listStates = (
  screen: Omit<ScreenState, 'name'>,
  states: Record<string, Partial<Omit<ScreenState, 'name'>>>,
): ScreenState[] => Object.entries(states).map(([name, own]) => ({ name, ...screen, ...own }))

export const SCREEN_STATES: ScreenState[] = [
  ...listStates(
    { path: '/login', ready: (page) => page.locator('altcha-widget') },
    {
      login: { isInDocs: true },
      'login-vazio': { act: (page) => press(page, 'Entrar') },
      'segunda-etapa-login': { given: oweStep('verify'), ready: text('Abra o aplicativo de códigos') },
      'segunda-etapa-exigida': { given: oweStep('set-up'), ready: text('O portal pede uma segunda etapa') },
      'login-aviso': {
        given: reply('**/api/notices/public', {
          items: [
            {
              ...NOTICES[1],
              text: 'Manutenção hoje das 22h às 23h30: o portal pode ficar fora do ar por uns minutos. Salve antes.',
            },
          ],
        }),
        ready: text('Manutenção hoje das 22h'),
      },
    },
  ),
  { name: 'signup', path: '/signup', ready: (page) => page.locator('altcha-widget') },
  {
    name: 'signup-senha-fraca',
    path: '/signup',
    ready: (page) => page.locator('altcha-widget'),
    act: async (page) => {
      await page.getByLabel('E-mail').fill('ana@grupopatio.com.br')
      await page.getByLabel('Senha', { exact: true }).fill('Toyota1')
      await page.getByLabel('Confirmar senha').fill('Toyota2')
    },
  },
  { name: 'forgot-password', path: '/forgot-password', ready: heading('Esqueci minha senha') },
  {
    name: 'forgot-password-enviado',
    path: '/forgot-password',
    ready: heading('Esqueci minha senha'),
    act: async (page) => {
      await page.getByLabel('E-mail').fill('vendas.rj@grupopatio.com.br')
      await press(page, 'Enviar link')
      await heading('E-mail enviado')(page).waitFor()
    },
  },
  {
    name: 'reset-password-invalido',
    path: '/reset-password#token_hash=abc&type=recovery',
    ready: heading('Link inválido ou expirado'),
  },
  { name: 'login-link-incompleto', path: '/auth/callback', ready: text('O link chegou incompleto.') },
  // Not after another of its path: a reload keeps the link that the page has read.
  {
    name: 'reset-password-incompleto',
    path: '/reset-password',
    ready: heading('O link chegou incompleto'),
  },
  {
    name: 'auth-callback-invalido',
    path: '/auth/callback#token_hash=abc&type=signup',
    ready: text('Erro na verificação'),
  },
  { name: 'nao-fui-eu', path: '/nao-fui-eu#token_hash=abc', ready: heading('Não foi você?') },
  { name: 'contato', path: '/contato', ready: heading('Entre em Contato') },
  {
    name: 'contato-vazio',
    path: '/contato',
    ready: heading('Entre em Contato'),
    act: (page) => press(page, 'Enviar Mensagem'),
  },
  { name: 'nao-encontrada', path: '/nada-aqui', ready: heading('Oops! Page not found') },
  { name: 'estilo', path: '/demo/estilo', ready: heading('Estilo') },
  ...listStates(
    { path: '/power-bi', as: 'diretoria', ready: card('Vendas') },
    {
      'power-bi': { isInDocs: true },
      'power-bi-visoes': {
        act: async (page) => {
          await press(page, 'Visões')
          await text('Como foi publicado')(page).waitFor()
        },
      },
      'power-bi-buscar': {
        act: async (page) => {
          await press(page, 'Buscar')
          await page.getByRole('option', { name: 'Detalhe por estado' }).waitFor()
        },
      },
      'power-bi-compartilhar': {
        act: async (page) => {
          const wide = page.getByRole('button', { name: 'Compartilhar', exact: true })
          await ((await wide.isVisible()) ? wide.click() : press(page, 'Ações do relatório'))
          await page.getByLabel('Link').waitFor()
        },
      },
      'power-bi-outros-relatorios': {
        given: addFurtherReport,
        act: async (page) => {
          await press(page, 'Relatório: Vendas')
          await page.getByRole('dialog', { name: 'Relatórios da área' }).waitFor()
        },
      },
      'power-bi-varios-relatorios': { given: addFurtherReport },
      'power-bi-exportar': {
        act: async (page) => {
          if (!(await page.getByRole('button', { name: 'Exportar', exact: true }).isVisible()))
            await press(page, 'Ações do relatório')
          await press(page, /^Exportar$/)
          await text('Como foi publicado')(page).waitFor()
        },
      },
      'power-bi-carregando': { given: hang(OWN_REPORTS), ready: text('Carregando configurações') },
      'power-bi-token-a-caminho': { given: hang(TOKEN), ready: text('Carregando o relatório Vendas') },
      'power-bi-demorando': {
        given: hang(TOKEN),
        ready: text('Carregando o relatório Vendas'),
        act: (page) => text('Está demorando')(page).waitFor(),
      },
      'power-bi-sem-rede': {
        given: hang(TOKEN),
        ready: text('Carregando o relatório Vendas'),
        act: async (page) => {
          await page.evaluate(() => {
            Object.defineProperty(navigator, 'onLine', { value: false })
            dispatchEvent(new Event('offline'))
          })
          await text('Você está sem conexão')(page).waitFor()
        },
      },
      'power-bi-falha': {
        given: fail(OWN_REPORTS, 500),
        ready: text('Nenhum relatório Power BI disponível'),
      },
      'power-bi-token-falha': {
        given: fail(TOKEN, 503, {
          code: 'power-bi-unavailable',
          detail:
            'O Power BI não respondeu como devia (código InternalServerError, pedido 6d55a3e0-1b2c). Tente novamente em instantes.',
        }),
        ready: text('O portal tenta de novo sozinho'),
      },
      'power-bi-capacidade-pausada': {
        given: fail(TOKEN, 503, {
          code: 'capacity-paused',
          detail: 'A capacidade do Power BI está pausada.',
        }),
        ready: text('A capacidade está pausada'),
      },
    },
  ),
  {
    name: 'power-bi-sem-a-area',
    path: '/power-bi?area=Oficina',
    as: 'vendas.rj',
    ready: text('Pedir acesso'),
  },
  {
    name: 'receber-por-e-mail',
    path: '/profile/envios',
    as: 'diretoria',
    ready: text('Você ainda não recebe'),
    act: async (page) => {
      await press(page, 'Novo envio')
      await text('Frequência')(page).waitFor()
    },
  },
  {
    name: 'envios',
    path: '/profile/envios',
    as: 'diretoria',
    given: (page) =>
      page.route('**/api/report-subscriptions', (route) => route.fulfill({ json: SUBSCRIPTIONS })),
    ready: text('Todo mês no dia 31'),
  },
  ...listStates(
    { path: '/profile/seguranca', as: 'diretoria', ready: text('restam 9 de 10') },
    {
      seguranca: {
        given: (page) => page.route('**/api/sessions/me', (route) => route.fulfill({ json: OWN_SESSIONS })),
        ready: text('Safari no iPhone'),
      },
      'segunda-etapa': { given: withFactors },
      'segunda-etapa-qr': {
        given: stubEnrolment,
        ready: text('Com ela, quem descobrir sua senha'),
        async act(page) {
          await press(page, 'Configurar')
          await press(page, 'Aplicativo de códigos')
          await text('Digite o código de 6 números')(page).waitFor()
        },
      },
      'segunda-etapa-escolha': {
        ready: text('Com ela, quem descobrir sua senha'),
        act: (page) => press(page, 'Configurar'),
      },
      'segunda-etapa-codigos': {
        given: withFactors,
        async act(page) {
          await press(page, 'Criar novos códigos')
          await page.getByRole('dialog').getByRole('button', { name: 'Criar novos códigos' }).click()
          await text('Guarde estes códigos agora')(page).waitFor()
        },
      },
    },
  ),
  { name: 'segunda-etapa-link', path: '/segunda-etapa#token_hash=x', ready: heading('Entre primeiro') },
  {
    name: 'parar-envio',
    path: '/parar-envio#token=x',
    given: reply('**/unsubscribe?*', { name: 'Vendas, visão “Fechamento do mês”', wasStopped: false }),
    ready: text('Fechamento do mês'),
  },
  {
    name: 'parar-envio-de-novo',
    path: '/parar-envio?de-novo#token=x',
    given: reply('**/unsubscribe?*', { name: 'Vendas', wasStopped: true }),
    ready: heading('Este envio já estava parado'),
  },
  { name: 'power-bi-sso', path: '/power-bi?area=Operadores', as: 'diretoria', ready: card('Operadores') },
  ...listStates(
    { path: '/power-bi', as: 'vendas.rj', ready: (page) => card('Vendas')(page) },
    {
      'power-bi-sem-marcas': {
        given: withoutScope,
        ready: text('Sua conta ainda não tem marcas ou estados liberados'),
      },
      'relatorios-avisos': {
        given: reply('**/api/notices', { items: NOTICES.slice(0, 3) }),
        act: (page) => page.getByRole('list', { name: 'Avisos' }).waitFor({ timeout: 30_000 }),
      },
      'relatorios-avisos-abertos': {
        given: reply('**/api/notices', { items: NOTICES.slice(0, 3) }),
        act: (page) => page.getByRole('button', { name: 'Mais 2' }).click({ timeout: 30_000 }),
      },
    },
  ),
  {
    name: 'power-bi-sem-relatorio',
    path: '/power-bi',
    as: 'semrelatorio',
    ready: text('Nenhum relatório Power BI disponível'),
  },
  { name: 'power-bi-pendente', path: '/power-bi', as: 'pendente', ready: heading('Pedido de acesso') },
  {
    name: 'power-bi-pendente-verificado-agora',
    path: '/power-bi',
    as: 'pendente',
    ready: heading('Pedido de acesso'),
    act: async (page) => {
      await press(page, 'Verificar agora')
      await text(/^Ainda aguardando aprovação/)(page).waitFor()
    },
  },
  { name: 'power-bi-email-nao-verificado', path: '/power-bi', as: 'naoverificado', ready: card('Vendas') },
  { name: 'profile', path: '/profile', as: 'vendas.rj', ready: text('FIAT, JEEP') },
  {
    name: 'profile-senha',
    path: '/profile',
    as: 'vendas.rj',
    ready: text('FIAT, JEEP'),
    act: (page) => press(page, /Alterar [Ss]enha/),
  },
  { name: 'pedir-acesso', path: '/pedir-acesso?area=HPD', as: 'vendas.rj', ready: heading('O que falta?') },
  {
    name: 'pedir-acesso-enviado',
    path: '/pedir-acesso',
    as: 'vendas.rj',
    given: hasAsked(null),
    ready: heading('Pedido de acesso enviado'),
  },
  {
    name: 'pedir-acesso-recusado',
    path: '/pedir-acesso',
    as: 'vendas.rj',
    given: hasAsked('As férias da Ana acabaram. Se precisar de novo, peça com a data.'),
    ready: heading('Pedido de acesso recusado'),
  },
  ...listStates(
    { path: '/admin', as: 'admin', ready: heading(/^Pedidos$/) },
    {
      admin: { ready: heading('Estado dos relatórios'), isInDocs: true },
      'admin-pedidos': { given: peopleAsk },
      'admin-pedidos-recusar': {
        given: peopleAsk,
        act: async (page) => {
          await press(page, 'Recusar')
          await press(page, 'Recusar pedido')
          await text('Escreva o motivo')(page).waitFor()
        },
      },
    },
  ),
  { name: 'admin-pessoas', path: '/admin/pessoas', as: 'admin', ready: text(/^adriana\./) },
  { name: 'admin-relatorios', path: '/admin/relatorios', as: 'admin', ready: text('Testar relatório') },
  {
    name: 'admin-aguardando',
    path: '/admin/aguardando',
    as: 'admin',
    ready: heading('Aguardando aprovação'),
  },
  { name: 'admin-ninguem', path: '/admin?q=ninguem-tem-este-nome', as: 'admin', ready: text(/^Nenhum/) },
  { name: 'admin-relatorio', path: '/admin?area=Vendas', as: 'admin', ready: text('Testar relatório') },
  { name: 'admin-listas', path: '/admin/listas', as: 'admin', ready: text('Vendas') },
  { name: 'admin-modelos', path: '/admin/modelos', as: 'admin', ready: text('Novo modelo') },
  {
    name: 'admin-modelos-novo',
    path: '/admin/modelos',
    as: 'admin',
    ready: text('Novo modelo'),
    act: (page) => press(page, 'Novo modelo'),
  },
  { name: 'admin-grupos', path: '/admin/grupos', as: 'admin', ready: text(/^Nenhum grupo ainda/) },
  {
    name: 'admin-convites',
    path: '/admin/convites',
    as: 'admin',
    given: inviteTwo,
    ready: heading('Convites sem resposta (2)'),
  },
  {
    name: 'admin-convites-editar',
    path: '/admin/convites',
    as: 'admin',
    given: inviteTwo,
    ready: (page) => page.getByRole('button', { name: /^Editar convite/ }).first(),
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Editar convite/ })
        .first()
        .click()
      await page.getByRole('dialog').getByRole('checkbox', { name: 'HPD', exact: true }).check()
    },
  },
  {
    name: 'admin-pessoa',
    path: '/admin/pessoas?q=vendas.rj',
    as: 'admin',
    given: isSignedInTwice,
    ready: text(/^vendas\.rj@/),
    act: async (page) => {
      await page.getByRole('link', { name: /^vendas\.rj@/ }).click()
      await page.getByRole('list', { name: 'Sessões abertas' }).waitFor()
    },
  },
  { name: 'admin-revisoes', path: '/admin/revisoes', as: 'admin', ready: text('FIAT') },
  {
    name: 'admin-revisoes-uma',
    path: '/admin/revisoes?kind=marcas&code=FIAT',
    as: 'admin',
    ready: (page) => page.getByRole('button', { name: 'Concluir revisão' }),
  },
  { name: 'admin-uso', path: '/admin/uso', as: 'admin', ready: heading('Nunca vieram') },
  {
    name: 'admin-uso-meses',
    path: '/admin/uso?from=2026-01-01&by=month',
    as: 'admin',
    ready: text('Os números dos gráficos'),
    act: (page) => page.getByText('Os números dos gráficos').click(),
  },
  {
    name: 'admin-uso-vazio',
    path: '/admin/uso?from=2020-01-01&to=2020-01-31',
    as: 'admin',
    ready: heading('Nunca vieram'),
  },
  ...listStates(
    { path: '/admin/auditoria', as: 'admin', ready: (page) => page.locator('ol summary').first() },
    {
      'admin-auditoria': { act: async (page) => void (await page.locator('ol summary').first().click()) },
      'admin-auditoria-carregando': { given: hang('**/api/audit?*'), ready: heading('Auditoria') },
      'admin-auditoria-falha': {
        given: fail('**/api/audit*', 500),
        ready: text('A auditoria não pôde ser lida agora.'),
      },
    },
  ),
  {
    name: 'admin-auditoria-vazia',
    path: '/admin/auditoria?action=role-changed&area=Slack',
    as: 'admin',
    ready: text('Nada registrado com estes filtros'),
  },
  {
    name: 'admin-acesso',
    path: '/admin/auditoria/acesso?area=vendas',
    as: 'admin',
    ready: text('podem ver agora'),
  },
  {
    name: 'admin-acesso-falha',
    path: '/admin/auditoria/acesso?area=vendas',
    as: 'admin',
    given: fail('**/api/access/**', 500),
    ready: text('Não foi possível ler quem vê esta área.'),
  },
  {
    name: 'admin-acesso-sem-registro',
    path: '/admin/auditoria/acesso?area=vendas&dia=2020-02-01',
    as: 'admin',
    ready: text('Não há registro deste dia'),
  },
  ...listStates(
    { path: '/admin/avisos', as: 'admin', ready: text('Nenhum aviso ainda.') },
    {
      'admin-avisos': {
        given: reply('**/api/admin/notices', { items: NOTICES }),
        ready: text('Feliz 2026!'),
      },
      'admin-avisos-vazio': {},
      'admin-avisos-erro': {
        given: fail('**/api/admin/notices', 400),
        ready: text('Os avisos não puderam ser lidos agora.'),
      },
      'admin-avisos-novo': {
        act: async (page) => {
          await press(page, 'Novo aviso')
          await page.getByRole('dialog').getByLabel('Texto').fill(LONG_NOTICE)
          await page.getByText('Atenção').first().click()
        },
      },
    },
  ),
  { name: 'privacidade', path: '/privacidade', ready: heading('Como pedir') },
  {
    name: 'admin-saude',
    path: '/admin/saude',
    as: 'admin',
    ready: heading('Saúde do portal'),
    act: (page) => page.getByText('Verificado em').waitFor({ timeout: 60_000 }),
  },
  ...(
    [
      ['aprovar', 'status=pending&verified=yes', 'Aprovar'],
      ['remover', 'q=diretoria', 'Remover'],
      ['em-massa', 'q=diretoria', 'Alterar Filtros em Massa (1)'],
      ['editar-acesso', 'q=diretoria', 'Editar acesso'],
      ['aprovar-selecionados', 'status=pending&verified=yes', 'Aprovar Selecionados (1)'],
      ['excluir', 'q=diretoria', 'Excluir Selecionados (1)'],
      ['menu', 'q=diretoria', 'Mais ações'],
    ] as const
  ).map(
    ([name, search, button]): ScreenState => ({
      name: `admin-${name}`,
      path: `/admin?${search}#usuarios`,
      as: 'admin',
      ready: (page) => page.getByRole('row').getByRole('checkbox').nth(1),
      act: async (page) => {
        if (button.endsWith('(1)')) await page.getByRole('row').getByRole('checkbox').nth(1).check()
        const table = page.getByRole('region', { name: 'Administração de Usuários' })
        const found = table.getByRole('button', { name: button, exact: true }).first()
        if (await found.isVisible()) await found.click()
        else {
          // On a phone it is in the menu of the row.
          await table.getByRole('button', { name: 'Mais ações' }).first().click()
          await page.getByRole('menuitem', { name: button }).click()
        }
        await page.locator('[role=dialog], [role=menu]').first().waitFor()
      },
    }),
  ),
  {
    name: 'admin-ver-como',
    path: '/admin?q=diretoria#usuarios',
    as: 'admin',
    ready: (page) => page.getByRole('button', { name: 'Mais ações' }).first(),
    act: async (page) => {
      await press(page, 'Mais ações')
      await page.getByRole('menuitem', { name: 'Ver como' }).click()
      await card('Vendas')(page).waitFor()
    },
  },
  { name: 'mensagens', path: '/mensagens', as: 'admin', ready: text('Rita Prado'), isInDocs: true },
  { name: 'mensagens-suspeitas', path: '/mensagens?suspect=true', as: 'admin', ready: text(/^Nenhuma/) },
  { name: 'mensagens-nenhuma', path: '/mensagens?q=nada-disso', as: 'admin', ready: text(/^Nenhuma/) },
]
