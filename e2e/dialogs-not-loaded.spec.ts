import { clickMenuItem, expect, getRowMenu, openPerson, test, toast } from './administration.ts'
import { getDatasetField } from './settings-card.ts'

const VENDAS = 'vendas.rj@grupopatio.com.br'
const CHUNK = '**/assets/user-dialogs*'

test('a dialog whose chunk fails to load opens at the second click', async ({ page, other }) => {
  await other.change(VENDAS, { types: ['Vendas'] })
  await page.route(CHUNK, (route) => route.abort())
  await openPerson(page, VENDAS)
  await getDatasetField(page).fill('rascunho')
  const open = () => clickMenuItem(page, 'Gerenciar Tipos de Acesso')
  for (let presses = 0; presses < 2; presses += 1) {
    await open()
    await expect(toast(page, 'Não foi possível abrir esta janela')).toBeVisible()
    await page.getByRole('button', { name: 'Fechar notificação' }).click()
  }
  await expect(getDatasetField(page)).toHaveValue('rascunho')

  await page.unroute(CHUNK)
  await open()
  const dialog = page.getByRole('dialog', { name: 'Gerenciar Tipos de Acesso' })
  await expect(dialog.getByRole('checkbox', { name: 'Vendas' })).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(getRowMenu(page)).toBeFocused()
  await expect(getDatasetField(page)).toHaveValue('rascunho')
})
