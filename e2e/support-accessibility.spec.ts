import { expect, openAs, test } from './portal-fixture.ts'
import { expectNothingSerious } from './serious-findings.ts'
import { sendMessages } from './support-calls.ts'

test('axe finds nothing serious on /contato and /mensagens', async ({ page, demo }) => {
  await page.goto('/contato')
  await page.getByRole('button', { name: 'Enviar Mensagem' }).click()
  await expect(page.getByText('Nome é obrigatório').first()).toBeVisible()
  await expectNothingSerious(page)

  await sendMessages(demo, { message: 'linha\n'.repeat(20) })
  await openAs(page, 'admin', '/mensagens')
  await expect(page.getByRole('button', { name: 'Mostrar tudo' }).first()).toBeVisible()
  await expectNothingSerious(page)
  await page.getByRole('button', { name: 'Excluir' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNothingSerious(page)
  await page.goto('/mensagens?q=nada+disso')
  await expect(page.getByText('Nenhuma mensagem encontrada')).toBeVisible()
  await expectNothingSerious(page)
})
