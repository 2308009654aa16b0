import type { Page } from '@playwright/test'
import { VERSION } from '#server/version.ts'
import { expect, openAs, openSession, test } from './portal-fixture.ts'

const VISITORS = ['/login', '/signup', '/forgot-password', '/reset-password', '/contato']

/** Blocks every script until released. */
async function blockScripts(page: Page): Promise<() => void> {
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\.js$/, async (route) => {
    await isReleased
    await route.continue()
  })
  return release
}

/** Collects React's hydration errors and any other exception. */
function collectErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  return errors
}

test('visitors’ screens are prerendered and hydrated without errors', async ({ page }) => {
  const errors = collectErrors(page)
  for (const path of VISITORS) {
    const release = await blockScripts(page)
    await page.goto(path, { waitUntil: 'commit' })
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toBeVisible()
    await expect(page.getByRole('contentinfo')).toContainText(`${new Date().getFullYear()} Grupo Pátio`)
    const element = await heading.elementHandle()
    release()
    await expect(
      page.locator('main :is(form button[type=submit], a[href="/forgot-password"])').first(),
    ).toBeEnabled()
    // The same element: hydrated, not re-rendered. A missing link leads to another screen.
    if (path !== '/reset-password') expect(await element?.evaluate((each) => each.isConnected)).toBe(true)
    expect(errors).toEqual([])
    await page.unrouteAll({ behavior: 'wait' })
  }
})

test('text typed before hydration and the focus are kept', async ({ page }) => {
  const errors = collectErrors(page)
  const release = await blockScripts(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await page.getByLabel('E-mail').fill('ana@grupopatio.com.br')
  await page.getByLabel('Senha', { exact: true }).pressSequentially('meia-se')
  const button = page.getByRole('button', { name: 'Entrar', exact: true })
  // Enter would make the browser submit the form, with the password in the URL.
  await page.keyboard.press('Enter')
  await expect(button).toBeDisabled()
  // Nothing would come of a press yet.
  await expect(page.getByRole('button', { name: 'Usar chave de acesso' })).toBeDisabled()
  release()
  await expect(button).toBeEnabled()
  await page.keyboard.type('nha')
  await expect(page.getByLabel('E-mail')).toHaveValue('ana@grupopatio.com.br')
  await expect(page.getByLabel('Senha', { exact: true })).toHaveValue('meia-senha')
  expect(new URL(page.url()).search).toBe('')
  expect(errors).toEqual([])
})

test('text typed before hydration is rated, formatted, counted and kept as a draft', async ({ page }) => {
  const errors = collectErrors(page)
  const releaseSignUp = await blockScripts(page)
  await page.goto('/signup', { waitUntil: 'commit' })
  await page.locator('input[name=password]').fill('Uma-Senha-Longa-2026')
  releaseSignUp()
  await expect(page.getByText('100/100')).toBeVisible()
  const releaseContact = await blockScripts(page)
  await page.goto('/contato', { waitUntil: 'commit' })
  const phone = page.getByLabel('Celular')
  const message = page.getByLabel('Sugestão / Mensagem')
  await phone.fill('21987654321')
  await message.fill('Olá!')
  await page.keyboard.press('ArrowLeft')
  releaseContact()
  const letters = page.getByText('4 de 1000 caracteres')
  await expect(letters).toBeVisible()
  await expect(phone).toHaveValue('(21) 98765-4321')
  await expect(message).toBeFocused()
  expect(await message.evaluate((area: HTMLTextAreaElement) => area.selectionStart)).toBe(3)
  // A second visit: after a reload the browser itself may restore fields, or not.
  await page.goto('/contato')
  await expect(phone).toHaveValue('(21) 98765-4321')
  await expect(message).toHaveValue('Olá!')
  await expect(letters).toBeVisible()
  expect(errors).toEqual([])
})

test('a message typed before hydration wins over an older draft, which fills the other fields', async ({
  page,
}) => {
  const errors = collectErrors(page)
  const button = page.getByRole('button', { name: 'Enviar Mensagem' })
  const labels = ['Nome', 'E-mail', 'Celular', 'Sugestão / Mensagem']
  const values = () => Promise.all(labels.map((label) => page.getByLabel(label).inputValue()))
  await page.goto('/contato')
  await expect(button).toBeEnabled()
  for (const label of labels) await page.getByLabel(label).fill(`antigo ${label}`)
  // Typed: the message, which React would replace, then every field.
  for (const typed of [labels.slice(3), labels]) {
    const release = await blockScripts(page)
    await page.goto('/contato', { waitUntil: 'commit' })
    for (const label of typed) await page.getByLabel(label).fill(`novo ${label}`)
    release()
    await expect(button).toBeEnabled()
    const expected = labels.map((label) => `${typed.includes(label) ? 'novo' : 'antigo'} ${label}`)
    await expect.poll(values).toEqual(expected)
    // And is the draft from now on.
    await page.goto('/contato')
    await expect.poll(values).toEqual(expected)
    await expect(page.getByText(`${'novo Sugestão / Mensagem'.length} de 1000 caracteres`)).toBeVisible()
  }
  expect(errors).toEqual([])
})

test('a signed-in screen accepts no input before it is rendered', async ({ page }) => {
  await openSession(page, 'diretoria')
  const release = await blockScripts(page)
  await page.goto('/profile', { waitUntil: 'commit' })
  const field = page.locator('input[name=password]')
  await expect(field).toBeVisible()
  await field.focus()
  await expect(field).not.toBeFocused()
  release()
  await field.click()
  await page.keyboard.type('Uma-Senha-Longa-2026')
  await expect(page.getByText('100/100')).toBeVisible()
})

test('nothing shifts when data replaces the prerendered frame', async ({ page }) => {
  await openAs(page, 'admin')
  await expect(page.getByRole('link', { name: 'Administração' })).toBeVisible()
  const release = await blockScripts(page)
  await page.goto('/power-bi', { waitUntil: 'commit' })
  const boxes = async () => {
    const items = ['Relatórios', 'Minha conta'].map((name) => page.getByRole('link', { name, exact: true }))
    const parts = [
      ...items,
      page.getByRole('button', { name: 'Sair' }),
      page.locator('main'),
      page.getByRole('contentinfo'),
    ]
    return Promise.all(parts.map((part) => part.boundingBox()))
  }
  await expect(page.getByRole('banner').getByText('Grupo Pátio')).toBeVisible()
  await expect(page.getByText('Carregando configurações...')).toBeVisible()
  // The fallback font is not equally wide.
  const hasFont = () => page.evaluate(() => document.fonts.check('1rem "Inter Variable"'))
  await expect.poll(hasFont).toBe(true)
  const before = await boxes()
  release()
  await expect(page.getByRole('link', { name: 'Administração' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Vendas' })).toBeVisible()
  expect(await boxes()).toEqual(before)
  await expect(page.getByRole('contentinfo')).toContainText(`· Pátio ${VERSION}`)
})
