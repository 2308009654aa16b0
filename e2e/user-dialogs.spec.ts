import type { Page } from '@playwright/test'
import {
  clickMenuItem,
  expect,
  getRowMenu,
  listSelected,
  openAdmin,
  openPerson,
  test,
  toast,
} from './administration.ts'
import { findSeriousViolations } from './axe-findings.ts'

const PENDING = 'pendente@grupopatio.com.br'
const VENDAS = 'vendas.rj@grupopatio.com.br'

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: element } = document
      return (
        element?.closest('label')?.textContent || element?.getAttribute('aria-label') || element?.textContent
      )
    })
  for (let presses = 0; presses < 60 && (await focused()) !== name; presses += 1)
    await page.keyboard.press('Tab')
  expect(await focused()).toBe(name)
}

/** Waits until running animations and those about to start have finished. */
function waitForAnimations(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame)
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
  })
}

test('types are changed by keyboard alone', async ({ page, other }) => {
  await other.change(VENDAS, { types: ['Vendas'] })
  await openPerson(page, VENDAS)
  // Around the menu and out of it, then in again.
  const item = (name: string) => page.getByRole('menuitem', { name })
  await getRowMenu(page).focus()
  await page.keyboard.press('Enter')
  await expect(item('Editar acesso')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(item('Excluir conta')).toBeFocused()
  await page.keyboard.press('h')
  await expect(item('Histórico')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(getRowMenu(page)).toBeFocused()
  await expect(getRowMenu(page)).toHaveAttribute('aria-expanded', 'false')
  const openTypes = async () => {
    await page.keyboard.press('Enter')
    await expect(item('Editar acesso')).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(item('Gerenciar Tipos de Acesso')).toBeFocused()
    await page.keyboard.press('Enter')
  }
  await openTypes()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('checkbox', { name: 'Marcar todos' })).toBeFocused()
  await page.keyboard.press('Space')
  expect(await listSelected(dialog)).toHaveLength(9)
  await page.keyboard.press('Space')
  expect(await listSelected(dialog)).toEqual([])
  await tabTo(page, 'Marketing')
  await page.keyboard.press('Space')
  // The focus is trapped in the dialog.
  await tabTo(page, 'Salvar')
  await tabTo(page, 'Vendas')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(getRowMenu(page)).toBeFocused()
  expect((await other.person(VENDAS)).types).toEqual(['Vendas'])

  await openTypes()
  await expect(dialog.getByRole('checkbox', { name: 'Marcar todos' })).toBeFocused()
  await tabTo(page, 'Marketing')
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Tipos de acesso atualizados com sucesso')).toBeVisible()
  expect((await other.person(VENDAS)).types).toEqual(['Vendas', 'Marketing'])
})

test('a click outside keeps a dialog with changes open and closes one without', async ({ page, other }) => {
  await other.change(VENDAS, { types: ['Vendas'] })
  await page.setViewportSize({ width: 390, height: 844 })
  await openPerson(page, VENDAS)
  // A step of the history within the portal.
  await page
    .getByRole('link', { name: /^Pessoas/ })
    .first()
    .click()
  // The former screen has such a field too.
  await expect(page.getByRole('heading', { name: 'Pessoas', exact: true })).toBeVisible()
  await page.getByLabel('Buscar por nome ou e-mail').fill('vendas.rj')
  await expect(page.getByText(VENDAS, { exact: true })).toBeVisible()
  const dialog = page.getByRole('dialog')
  const open = async () => {
    await clickMenuItem(page, 'Gerenciar Tipos de Acesso')
    await expect(dialog.getByRole('checkbox', { name: 'HPD' })).toBeVisible()
  }
  const clickOutside = () => page.mouse.click(195, 12)
  await open()
  await clickOutside()
  await expect(dialog).toHaveCount(0)

  await open()
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await clickOutside()
  // A closing dialog fades first.
  await waitForAnimations(page)
  expect(await listSelected(dialog)).toEqual(['Vendas', 'HPD'])
  // Back to the initial selection: nothing to lose.
  await dialog.getByRole('checkbox', { name: 'HPD' }).uncheck()
  await clickOutside()
  await expect(dialog).toHaveCount(0)

  // The browser's Back keeps it too, and says why.
  await open()
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await page.goBack({ timeout: 1_000 }).catch(() => {})
  await expect(toast(page, 'Há alterações não salvas')).toBeVisible()
  expect(await listSelected(dialog)).toEqual(['Vendas', 'HPD'])
  await dialog.getByRole('button', { name: 'Cancelar' }).click()
  await expect(dialog).toHaveCount(0)

  // Escape is deliberate, so it asks.
  await open()
  await dialog.getByRole('checkbox', { name: 'HPD' }).check()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  expect((await other.person(VENDAS)).types).toEqual(['Vendas'])
})

test('revoking one’s own approval shows a warning', async ({ page }) => {
  await openPerson(page, 'admin@grupopatio.com.br')
  await page.getByRole('button', { name: 'Remover', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Remover Aprovação' })
  await expect(dialog.getByRole('alert')).toContainText('Esta é a sua própria conta')
  await expect(dialog).not.toContainText('A pessoa')
  await dialog.getByRole('button', { name: 'Remover aprovação' }).click()
  await expect(toast(page, 'Aprovação removida')).toBeVisible()
  // The portal can still be administered, as the dialog explains.
  await page.reload()
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
  await dialog.or(page.getByRole('dialog')).getByRole('button', { name: 'Aprovar' }).click()
  await expect(toast(page, 'Usuário aprovado com sucesso')).toBeVisible()
})

test('on a phone the longest dialog scrolls with its buttons visible, with or without a toast', async ({
  page,
  other,
}) => {
  await page.setViewportSize({ width: 390, height: 664 })
  await other.change(PENDING, { approved: false })
  await openPerson(page, PENDING)
  await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: /^Aprovar( mesmo assim)?$/ })
  await expect(dialog.getByRole('checkbox', { name: 'PR' })).toBeAttached()
  expect(
    await dialog.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight),
  ).toBeGreaterThan(100)
  await expect(submit).toBeInViewport({ ratio: 1 })
  const { width } = (await dialog.boundingBox()) ?? { width: 0 }
  expect(width).toBeLessThanOrEqual(390 - 32)
  await dialog.getByRole('checkbox', { name: 'PR' }).check()
  await expect(submit).toBeInViewport({ ratio: 1 })

  await page.route('**/api/profiles/*', (route) => route.abort())
  await submit.click()
  await expect(submit).toHaveText('Aprovar mesmo assim')
  await submit.click()
  await expect(toast(page, 'Erro ao aprovar usuário')).toBeVisible()
  await page.unroute('**/api/profiles/*')
  await expect(submit).toHaveText('Aprovar')
  // Nothing covers it; not once the toast has gone.
  await submit.click({ trial: true })
  await expect(toast(page, 'Erro ao aprovar usuário')).toHaveCount(1)
  await submit.click()
  await expect(submit).toHaveText('Aprovar mesmo assim')
  await submit.click()
  await expect(toast(page, 'Usuário aprovado com sucesso')).toBeVisible()
  expect((await other.person(PENDING)).estados).toContain('PR')
})

test('an approval in a filtered list continues with the next person', async ({ page, other }) => {
  const [person, next] = await other.people('approved=false&verified=true')
  if (!person) throw new Error('The seed has nobody who waits')
  await openAdmin(page, '?status=pending&verified=yes')
  const row = page.getByRole('row').filter({ hasText: person.email })
  await row.getByRole('button', { name: 'Aprovar' }).click()
  const dialog = page.getByRole('dialog')
  // A double press answers only the first question.
  await dialog.getByRole('button', { name: 'Aprovar', exact: true }).dblclick()
  await expect(
    dialog.getByText(/a pessoa entra mas não vê relatórios\. Aprovar mesmo assim\?$/),
  ).toBeVisible()
  expect((await other.person(person.email)).approved).toBe(false)
  // Nor does a tap at the same place, which counts as the first of a pair.
  await dialog.getByRole('button', { name: 'Voltar' }).click()
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const answer = [...document.querySelectorAll('button')].find(
        ({ textContent }) => textContent === 'Aprovar mesmo assim',
      )
      if (answer) observer.disconnect()
      answer?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
    }).observe(document.body, { childList: true, subtree: true })
  })
  await dialog.getByRole('button', { name: 'Aprovar', exact: true }).click()
  await expect(dialog.getByText(/Aprovar mesmo assim\?$/)).toBeVisible()
  expect((await other.person(person.email)).approved).toBe(false)
  await dialog.getByRole('button', { name: 'Aprovar mesmo assim' }).click()
  await expect(row).toHaveCount(0)
  await expect(toast(page, `${person.full_name} · ${person.email}`)).toBeVisible()
  const nextRow = page.getByRole('row').filter({ hasText: next?.email as string })
  await expect(nextRow.getByRole('button', { name: 'Aprovar' })).toBeFocused()
  // The undo stays while the next dialog is open, and beside it.
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('checkbox', { name: 'CRM' })).toBeVisible()
  await page.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(toast(page, 'Alteração desfeita')).toBeVisible()
  await expect(dialog).toBeVisible()
  expect((await other.person(person.email)).approved).toBe(false)
})

for (const [colorScheme, width] of [
  ['light', 1440],
  ['dark', 390],
] as const)
  test(`axe finds no serious violation in any dialog (${colorScheme}, ${width} px)`, async ({
    page,
    other,
  }) => {
    // Eight states, each scanned in full.
    test.setTimeout(120_000)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 844 })
    const [unverified] = await other.people('approved=false&verified=false')
    await other.change(VENDAS, { approved: true })
    for (let count = 0; count < 8; count += 1)
      await other.change(VENDAS, { types: count % 2 ? ['CRM'] : ['HPD'] })
    const dialog = page.getByRole('dialog')
    const expectClean = async (text: string | RegExp) => {
      await expect(dialog.getByText(text).first()).toBeVisible()
      expect(await findSeriousViolations(page), String(text)).toEqual([])
    }
    await openPerson(page, VENDAS)
    await getRowMenu(page).click()
    await expect(page.getByRole('menu')).toBeVisible()
    expect(await findSeriousViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    for (const [button, text] of [
      ['Gerenciar Tipos de Acesso', 'Operadores'],
      ['Gerenciar Marcas e Estados', 'HONDA'],
      ['Histórico', 'mudou os tipos'],
      ['Remover', 'tela de aprovação pendente'],
    ] as const) {
      const isInRow = button === 'Remover' && width === 1440
      if (isInRow) await page.getByRole('button', { name: button, exact: true }).click()
      else await clickMenuItem(page, button)
      await expectClean(text)
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
    }
    await clickMenuItem(page, 'Gerenciar Tipos de Acesso')
    await expectClean('Operadores')
    await other.change(VENDAS, { types: ['Slack'] })
    await dialog.getByRole('button', { name: 'Salvar' }).click()
    await expectClean('Nada foi sobrescrito')
    await page.keyboard.press('Escape')

    await page.getByRole('row').getByRole('checkbox').last().check()
    await page.getByRole('button', { name: 'Alterar Filtros em Massa (1)' }).click()
    await dialog.getByRole('tab', { name: 'Marcas' }).click()
    await dialog.getByRole('checkbox', { name: 'FIAT' }).check()
    await expectClean(/aparecer para|ficam? como está/)
    // Discarding a selection needs a confirmation.
    await page.keyboard.press('Escape')
    await expect(dialog.getByRole('alert')).toContainText('Descartar o que você marcou?')
    await expect(dialog.getByRole('button', { name: 'Continuar alterando' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('checkbox', { name: 'FIAT' })).toBeChecked()
    await dialog.getByRole('button', { name: 'Cancelar' }).click()
    await dialog.getByRole('button', { name: 'Descartar' }).click()
    await expect(dialog).toHaveCount(0)
    await page.getByRole('button', { name: 'Excluir Selecionados (1)' }).click()
    await expectClean('Esta ação não pode ser desfeita')
    await page.keyboard.press('Escape')

    await page.goto(`/admin?q=${unverified?.email}`)
    await page.getByRole('row').getByRole('button', { name: 'Aprovar' }).click()
    await expectClean('E-mail não verificado')
    await dialog.getByRole('button', { name: 'Continuar mesmo assim' }).click()
    await expectClean('HONDA')
  })

test('a double click opens a dialog and does not close it', async ({ page }) => {
  await openPerson(page, VENDAS)
  const dialog = page.getByRole('dialog')
  const leave = async (name: string) => {
    await dialog.getByRole('button', { name }).click()
    await expect(dialog).toHaveCount(0)
  }
  for (const name of ['Gerenciar Marcas e Estados', 'Gerenciar Tipos de Acesso']) {
    await getRowMenu(page).click()
    await page.getByRole('menuitem', { name }).dblclick()
    await waitForAnimations(page)
    await expect(dialog, name).toBeVisible()
    await leave('Cancelar')
  }
  await page.getByRole('row').nth(1).getByRole('checkbox').click()
  for (const name of [/^Alterar Filtros em Massa/, /^Excluir Selecionados/]) {
    await page.getByRole('button', { name }).dblclick()
    await waitForAnimations(page)
    await expect(dialog).toBeVisible()
    await leave('Cancelar')
  }
})
