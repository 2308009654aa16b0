import { expect, openAs, test } from './portal-fixture.ts'
import { seriousFindings } from './serious-findings.ts'
import { sendMessages } from './support-calls.ts'

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1440, 390])
    test(`axe finds nothing serious on /contato and /mensagens (${colorScheme}, ${width} px)`, async ({
      page,
      demo,
    }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 844 })
      await page.goto('/contato')
      await page.getByRole('button', { name: 'Enviar Mensagem' }).click()
      await expect(page.getByText('Nome é obrigatório').first()).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])

      await sendMessages(demo, { message: 'linha\n'.repeat(20) })
      await openAs(page, 'admin', '/mensagens')
      await expect(page.getByRole('button', { name: 'Mostrar tudo' }).first()).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Excluir' }).first().click()
      await expect(page.getByRole('dialog')).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
      await page.goto('/mensagens?q=nada+disso')
      await expect(page.getByText('Nenhuma mensagem encontrada')).toBeVisible()
      expect(await seriousFindings(page)).toEqual([])
    })
