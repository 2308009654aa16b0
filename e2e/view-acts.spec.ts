import type { Page } from '@playwright/test'
import type { RunningPortal } from './portal.ts'
import { expect, getReportFrame, openAs, test } from './portal-fixture.ts'
import { addReportView, toFilter, toState } from './report-view-fixture.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const SAVED = { page: 'detalhe-por-estado', filters: [toFilter('Estado', 'RJ', 'MG')] }
const OTHER = { page: 'visao-geral', filters: [toFilter('Estado', 'ES')] }
const SCREENS = {
  saved: ['RJ, MG', 'Detalhe por estado', ''],
  'with MG selected': ['RJ, MG', 'Detalhe por estado', 'MG'],
  'as published': ['RJ, ES, MG, PR', 'Visão geral', ''],
  'as published, at the same page': ['RJ, ES, MG, PR', 'Detalhe por estado', ''],
}

/** What must agree. */
interface Told {
  screen: keyof typeof SCREENS
  /** Undefined without an open view. */
  name?: string
  isChanged?: boolean
  isShared?: boolean
  /** The views of the server by name, 'first' for the one that opens first. */
  server: string[]
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const viewsButton = (page: Page) => page.getByRole('button', { name: /^Visões/ })
const panel = (page: Page) => page.getByRole('dialog', { name: 'Visões' })

async function expectAgreement(page: Page, portal: RunningPortal, told: Told): Promise<void> {
  const { screen, name, isChanged = false, isShared = false, server } = told
  const report = getReportFrame(page, 'Vendas')
  const [estados, pageName, selected] = SCREENS[screen]
  await expect(report.locator('.scope')).toHaveText(new RegExp(`· +${estados}$`))
  await expect(report.locator('[aria-current="page"]')).toHaveText(pageName as string)
  const selection = report.getByRole('button', { name: /^Limpar seleção/ })
  await expect(selection).toHaveText(selected ? [`Limpar seleção: ${selected}`] : [])

  const label = name === undefined ? 'Visões' : `Visões: ${name}${isChanged ? ', alterada' : ''}`
  await expect(viewsButton(page)).toHaveAccessibleName(label)
  await expect(viewsButton(page).locator('[data-changed]')).toHaveCount(name && isChanged ? 1 : 0)
  const { db } = portal.database
  const readViews = () => db.selectFrom('report_views').selectAll().where('deleted_at', 'is', null).execute()
  const describe = (row: Awaited<ReturnType<typeof readViews>>[number]) => {
    const { page: at, selection: chosen } = JSON.parse(Buffer.from(row.state, 'base64').toString())
    const facts = [row.name, at === OTHER.page ? 'other' : chosen ? 'MG' : 'saved']
    return [...facts, row.shared && 'shared', row.is_default && 'first'].filter(Boolean).join(' ')
  }
  await expect.poll(async () => (await readViews()).map(describe).sort()).toEqual(server)
  const open = (await readViews()).find((row) => row.name === name)
  await expect(page).toHaveURL(`/power-bi?area=Vendas${open ? `&visao=${open.id}` : ''}`)

  await viewsButton(page).click()
  const current = panel(page).locator('[aria-current]')
  if (name !== undefined) await expect(current).toContainText(name)
  else await expect(current).toHaveText(screen.startsWith('as published') ? [/^Como foi publicado/] : [])
  await expect(panel(page).getByText('alterada')).toHaveCount(name && isChanged ? 1 : 0)
  await page.keyboard.press('Escape')
  await button(page, 'Compartilhar').click()
  const share = page.getByRole('dialog', { name: 'Compartilhar' })
  await expect(share).toContainText(name ? `abre a visão “${name}”` : 'abre a área Vendas como foi publicada')
  const isWarned = isChanged || (!name && !screen.startsWith('as published'))
  await expect(share).toContainText(isWarned ? 'o que você mudou' : 'O que você mudar na tela', {
    ignoreCase: true,
  })
  await expect(button(page, 'Deixar de compartilhar')).toHaveCount(isShared ? 1 : 0)
  await page.keyboard.press('Escape')
  await expect(share).toHaveCount(0)
}

async function selectMg(page: Page): Promise<void> {
  const states = getReportFrame(page, 'Vendas').getByRole('group', { name: 'Estado' })
  await states.getByRole('button', { name: 'MG' }).press('Enter')
}

async function choose(page: Page, action: string, name = 'Minas e Rio'): Promise<void> {
  await viewsButton(page).click()
  const item = panel(page).getByRole('listitem').filter({ hasText: name })
  await item.getByRole('button', { name: 'Mais ações' }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
  if (action !== 'Renomear') await page.keyboard.press('Escape')
}
async function rename(page: Page, from: string, to: string): Promise<void> {
  await choose(page, 'Renomear', from)
  await page.getByLabel('Nome da visão').fill(to)
  await button(page, 'Salvar').click()
}
async function open(page: Page, row: string): Promise<void> {
  await viewsButton(page).click()
  await panel(page)
    .getByRole('button', { name: new RegExp(`^${row}`) })
    .click()
}
async function pressInSharePanel(page: Page, name: string): Promise<void> {
  await button(page, 'Compartilhar').click()
  await button(page, name).click()
  if (name !== 'Copiar link') await page.keyboard.press('Escape')
}
const undo = (page: Page) => button(page, 'Desfazer').click()

const OPEN: Told = {
  screen: 'saved',
  name: 'Minas e Rio',
  server: ['Minas e Rio saved', 'Outra other first'],
}
const CHANGED: Told = { ...OPEN, screen: 'with MG selected', isChanged: true }

/** Each act on views, from an open one, and what undoes it. */
const ACTS: Record<
  string,
  {
    given?: object
    before?: (page: Page) => Promise<void>
    act: (page: Page) => Promise<void>
    after: Told
    undo: (page: Page) => Promise<void>
    undone: Told
  }
> = {
  overwriting: {
    before: selectMg,
    act: (page) => choose(page, 'Salvar por cima'),
    after: { ...CHANGED, isChanged: false, server: ['Minas e Rio MG', 'Outra other first'] },
    undo,
    undone: CHANGED,
  },
  'overwriting without a change': {
    act: (page) => choose(page, 'Salvar por cima'),
    after: OPEN,
    undo,
    undone: OPEN,
  },
  'overwriting another one by its name': {
    before: selectMg,
    async act(page) {
      await viewsButton(page).click()
      await button(page, 'Salvar visão atual').click()
      await page.getByLabel('Nome da visão').fill('outra')
      await button(page, 'Substituir').click()
    },
    after: { ...CHANGED, name: 'Outra', isChanged: false, server: ['Minas e Rio saved', 'Outra MG first'] },
    undo,
    undone: CHANGED,
  },
  renaming: {
    act: (page) => rename(page, 'Minas e Rio', 'Rio e Minas'),
    after: { ...OPEN, name: 'Rio e Minas', server: ['Outra other first', 'Rio e Minas saved'] },
    undo: (page) => rename(page, 'Rio e Minas', 'Minas e Rio'),
    undone: OPEN,
  },
  'deletion and restoring': {
    act: (page) => choose(page, 'Excluir'),
    after: { screen: 'saved', server: ['Outra other first'] },
    undo,
    undone: OPEN,
  },
  'deletion of a changed one': {
    before: selectMg,
    act: (page) => choose(page, 'Excluir'),
    after: { screen: 'with MG selected', server: ['Outra other first'] },
    undo,
    undone: CHANGED,
  },
  sharing: {
    act: (page) => pressInSharePanel(page, 'Copiar link'),
    after: { ...OPEN, isShared: true, server: ['Minas e Rio saved shared', 'Outra other first'] },
    undo: (page) => pressInSharePanel(page, 'Deixar de compartilhar'),
    undone: OPEN,
  },
  'the end of sharing': {
    given: { shared: true },
    act: (page) => pressInSharePanel(page, 'Deixar de compartilhar'),
    after: OPEN,
    undo,
    undone: { ...OPEN, isShared: true, server: ['Minas e Rio saved shared', 'Outra other first'] },
  },
  'what opens first': {
    act: (page) => choose(page, 'Abrir primeiro'),
    after: { ...OPEN, server: ['Minas e Rio saved first', 'Outra other'] },
    undo: (page) => choose(page, 'Abrir primeiro', 'Outra'),
    undone: OPEN,
  },
  'the report as published': {
    before: selectMg,
    act: (page) => open(page, 'Como foi publicado'),
    after: { screen: 'as published', server: OPEN.server },
    undo: (page) => open(page, 'Minas e Rio'),
    undone: OPEN,
  },
  'the filters as published': {
    act: (page) => button(page, 'Restaurar filtros').click(),
    after: { screen: 'as published, at the same page', server: OPEN.server },
    undo: (page) => open(page, 'Minas e Rio'),
    undone: OPEN,
  },
}

for (const [name, { given, before, act, after, undo, undone }] of Object.entries(ACTS))
  test(`screen, label, address, panels and server agree after ${name}, and once it is undone`, async ({
    page,
    portal,
  }) => {
    const id = await addReportView(portal, 'diretoria', {
      name: 'Minas e Rio',
      state: toState(SAVED),
      ...given,
    })
    await addReportView(portal, 'diretoria', { name: 'Outra', state: toState(OTHER), is_default: true })
    await openAs(page, 'diretoria', `/power-bi?area=Vendas&visao=${id}`)
    await expect(getReportFrame(page, 'Vendas').locator('.scope')).toHaveText(/· +RJ, MG$/)
    await before?.(page)
    await act(page)
    await expectAgreement(page, portal, after)
    await undo(page)
    await expectAgreement(page, portal, undone)
    await page.reload()
    await expectAgreement(page, portal, { ...undone, screen: 'saved', isChanged: false })
  })
