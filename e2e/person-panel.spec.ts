import { clickMenuItem, toast, test as withOther } from './administration.ts'
import { findSeriousViolations } from './axe-findings.ts'
import { expect, openAs, toEmail } from './portal-fixture.ts'
import { sendMessages } from './support-calls.ts'
import { openTable, rows } from './user-table-fixture.ts'

const VENDAS = toEmail('vendas.rj')

withOther(
  'a press on a row opens the person, with an address of its own; keys go on to others',
  async ({ page }) => {
    await openTable(page, '/pessoas?status=approved')
    const email = async (index: number) =>
      (await rows(page).nth(index).locator('td').nth(1).textContent())?.trim() ?? ''
    const [first, second] = [await email(0), await email(1)]
    const panel = page.getByRole('region', { name: /^Pessoa: / })
    // The second press on a dialog's button falls through to the row when the dialog closes.
    await rows(page).first().getByText('Verificado').dispatchEvent('click', { detail: 2 })
    await rows(page).first().getByRole('checkbox').check()
    await expect(page).toHaveURL(/status=approved$/)
    await rows(page).first().getByText('Verificado').click()
    await expect(panel).toContainText(first)
    await expect(panel).toBeFocused()
    await expect(page).toHaveURL(/status=approved&pessoa=|pessoa=.*&status=approved/)
    await expect(panel.getByText('Alterações').or(panel.getByText('Nenhuma alteração'))).toBeVisible()
    await page.keyboard.press('ArrowRight')
    await expect(panel).toContainText(second)
    await page.keyboard.press('ArrowLeft')
    await expect(panel).toContainText(first)
    await expect(panel.getByRole('button', { name: 'Pessoa anterior' })).toHaveAttribute(
      'aria-disabled',
      'true',
    )
    expect(await findSeriousViolations(page)).toEqual([])
    await page.reload()
    await expect(panel).toContainText(first)
    // The person may arrive before the list, whose row takes the focus.
    await expect(rows(page).first()).toBeVisible()
    await panel.press('Escape')
    await expect(panel).toHaveCount(0)
    await expect(page).toHaveURL(/\/admin\/pessoas\?status=approved$/)
    await expect(rows(page).first().getByRole('link')).toBeFocused()
    // A press in the row's menu is none on the row.
    await clickMenuItem(rows(page).first(), 'Histórico')
    await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(panel).toHaveCount(0)

    await page.setViewportSize({ width: 390, height: 844 })
    // The cards replace the table, and this bar, once the page has seen its new width.
    await expect(page.getByText('Alterar Filtros em Massa')).toHaveCount(0)
    await rows(page).first().getByRole('link').press('Enter')
    await expect(panel).toBeInViewport()
    expect(await findSeriousViolations(page)).toEqual([])
  },
)

withOther(
  'from a message to the cause of ‘I see nothing’ in two presses, and on to the remedy',
  async ({ page, other, demo }) => {
    await other.change(VENDAS, { marcas: ['FIAT'], estados: [] })
    await sendMessages(demo, { name: 'Vera', email: VENDAS.toUpperCase(), message: 'Entro e não vejo nada' })
    await openAs(page, 'admin', '/mensagens')
    const card = page.getByRole('article').filter({ hasText: 'Entro e não vejo nada' })
    await expect(card.getByRole('link', { name: 'Ver como' })).toBeVisible()
    await card.getByRole('link', { name: 'Conta deste e-mail' }).click()
    const panel = page.getByRole('region', { name: 'Pessoa: Vera Vendas' })
    await expect(panel.getByRole('heading', { name: 'Por que não vê nada?' })).toBeVisible()
    await expect(panel).toContainText('Não tem nenhum estado: sem estados, nenhum dado aparece.')
    await panel.getByRole('button', { name: 'Editar acesso' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'RJ', exact: true }).check()
    await dialog.getByRole('button', { name: 'Salvar', exact: true }).click()
    await expect(toast(page, 'Acesso atualizado')).toBeVisible()
    await expect(panel).toContainText('Vê 2 relatórios: Vendas e CRM.')
  },
)
