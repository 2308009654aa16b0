import { expect, openAdmin, test, toast } from './administration.ts'
import { openAs, toEmail } from './portal-fixture.ts'

const RITA = toEmail('vendas.rj')

test('an approved person asks for more; it is granted with one press, and undone', async ({
  page,
  browser,
  portal,
  other,
}) => {
  const admin = await browser.newPage({ baseURL: portal.url, locale: 'pt-BR' })
  await openAdmin(admin)
  await openAs(page, 'vendas.rj', '/power-bi?area=Marketing')
  await page.getByRole('link', { name: 'Pedir acesso' }).click()
  await expect(page).toHaveURL('/pedir-acesso?area=Marketing')
  const form = page.getByRole('form', { name: 'Pedido de acesso' })
  const box = (name: string) => form.getByRole('checkbox', { name, exact: true })
  await expect(box('Marketing')).toBeChecked()
  // What the person has is not offered.
  for (const name of ['Vendas', 'CRM', 'FIAT', 'RJ']) await expect(box(name)).toHaveCount(0)
  await form.getByRole('button', { name: 'Enviar pedido' }).click()
  await expect(form.getByText('Escreva o motivo')).toBeVisible()
  await form.getByLabel('Motivo').fill('Faço as campanhas.')
  await box('Marketing').uncheck()
  await form.getByRole('button', { name: 'Enviar pedido' }).click()
  await expect(form.getByRole('alert')).toHaveText('Marque ao menos uma área, marca ou estado.')
  await box('Marketing').check()
  await box('VW').check()
  await page.reload()
  await expect(form.getByLabel('Motivo')).toHaveValue('Faço as campanhas.')
  await expect(box('VW')).toBeChecked()
  await form.getByRole('button', { name: 'Enviar pedido' }).click()
  await expect(page.getByRole('heading', { name: 'Pedido de acesso enviado' })).toBeVisible()
  await page.goto('/power-bi?area=marketing')
  await expect(page.getByText(/Pedido enviado hoje às \d\d:\d\d\./)).toBeVisible()
  await page.getByRole('link', { name: 'Ver o pedido' }).click()
  await expect(page.getByRole('heading', { name: 'Pedido de acesso enviado' })).toBeVisible()

  const queue = admin.getByRole('region', { name: 'Pedidos', exact: true })
  await expect(queue.getByRole('listitem')).toContainText('Marketing · VW')
  await expect(queue.getByText('Faço as campanhas.')).toBeVisible()
  await expect(admin.getByRole('link', { name: /^Administração, .*1 pedido de acesso$/ })).toBeVisible()
  await queue.getByRole('button', { name: 'Liberar' }).click()
  await expect(toast(admin, 'Acesso liberado')).toBeVisible()
  await expect(queue).toHaveCount(0)
  expect((await other.person(RITA)).types).toContain('Marketing')
  await admin.getByRole('button', { name: 'Desfazer', exact: true }).click()
  await expect(queue.getByRole('listitem')).toHaveCount(1)
  expect((await other.person(RITA)).types).not.toContain('Marketing')
  await queue.getByRole('button', { name: 'Liberar' }).click()
  await expect(queue).toHaveCount(0)
  await admin.close()

  await page.goto('/pedir-acesso')
  await expect(form.getByText('O que falta?')).toBeVisible()
  await expect(box('Marketing')).toHaveCount(0)
  await expect(box('HPD')).not.toBeChecked()
})

test('a request is refused with a reason, which the person reads where they asked', async ({
  page,
  demo,
  other,
}) => {
  await openAs(page, 'vendas.rj', '/profile')
  await page.getByRole('link', { name: 'Pedir acesso' }).click()
  await page.getByRole('checkbox', { name: 'HPD', exact: true }).check()
  await page.getByLabel('Motivo').fill('Curiosidade.')
  await page.getByRole('button', { name: 'Enviar pedido' }).click()
  await expect(page.getByRole('heading', { name: 'Pedido de acesso enviado' })).toBeVisible()

  await openAdmin(page)
  const queue = page.getByRole('region', { name: 'Pedidos', exact: true })
  await queue.getByRole('button', { name: 'Recusar' }).click()
  const dialog = page.getByRole('dialog', { name: 'Recusar Pedido' })
  await dialog.getByRole('button', { name: 'Recusar pedido' }).click()
  await expect(dialog.getByText('Escreva o motivo')).toBeVisible()
  await dialog.getByLabel('Motivo').fill('Só para a diretoria.')
  await dialog.getByRole('button', { name: 'Recusar pedido' }).click()
  await expect(toast(page, 'Pedido recusado')).toBeVisible()
  await expect(queue).toHaveCount(0)
  const mail = await demo.mail(RITA, 'access-refused')
  expect(mail.text).toContain('Só para a diretoria.')

  await openAs(page, 'vendas.rj', new URL(mail.link ?? '').pathname)
  await expect(page.getByRole('heading', { name: 'Pedido de acesso recusado' })).toBeVisible()
  await expect(page.getByText('Só para a diretoria.')).toBeVisible()
  await page.goto('/power-bi?area=HPD')
  await expect(page.getByText(/Pedido recusado hoje às/)).toBeVisible()
  await page.getByRole('link', { name: 'Ver a resposta' }).click()
  await page.getByRole('button', { name: 'Pedir de novo' }).click()
  await expect(page.getByRole('checkbox', { name: 'HPD', exact: true })).toBeChecked()
  await other.change(RITA, { types: ['Vendas', 'CRM', 'HPD'] })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Pedido de acesso recusado' })).toHaveCount(0)
})

test('a request that another administrator answered says so', async ({ page, other }) => {
  await openAs(page, 'vendas.rj', '/pedir-acesso?area=hpd')
  await page.getByLabel('Motivo').fill('Curiosidade.')
  await page.getByRole('button', { name: 'Enviar pedido' }).click()
  await expect(page.getByRole('heading', { name: 'Pedido de acesso enviado' })).toBeVisible()
  await openAdmin(page)
  const { user_id, request } = await other.person(RITA)
  const grant = page
    .getByRole('region', { name: 'Pedidos', exact: true })
    .getByRole('button', { name: 'Liberar' })
  await expect(grant).toBeVisible()
  // The list does not follow: the answer arrives while the button is pressed.
  await page.route(/\/api\/profiles\?requesting=true/, () => {})
  const seen = { requested_at: request?.requested_at, types: ['HPD'], marcas: [], estados: [] }
  await other.call('POST', `/api/access-requests/${user_id}/grant`, seen)
  await grant.click()
  await expect(toast(page, 'O acesso não foi liberado')).toBeVisible()
  await expect(page.getByText('Este pedido já foi liberado por outra pessoa.')).toBeVisible()
})

test('a person who waits for approval is sent to their own form', async ({ page }) => {
  await openAs(page, 'pendente', '/pedir-acesso')
  await expect(page).toHaveURL('/power-bi')
  await expect(page.getByRole('heading', { name: 'Pedido de acesso' })).toBeVisible()
})
