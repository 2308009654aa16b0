import type { Locator, Page } from '@playwright/test'
import { clickMenuItem, expect, type OtherAdmin, test, toast } from './administration.ts'
import { openAs, toEmail } from './portal-fixture.ts'

const VENDAS = toEmail('vendas.rj')
const BOSS = toEmail('diretoria')
const GROUP = '11111111-2222-4333-8444-'

/** A dialog that two administrators use at once, whose reply is lost, and that is confirmed twice. */
interface DialogCase {
  name: string
  /** Below /admin. */
  path: string
  /** The request of the confirmation. */
  call: { method: string; path: string }
  /** Opens it and fills it in. @returns its confirm button */
  open: (page: Page, name: string, other: OtherAdmin) => Promise<Locator>
  /** What another administrator does meanwhile. */
  meanwhile: (other: OtherAdmin) => Promise<unknown>
  /** What the dialog or a toast says then. */
  refusal: string | RegExp
  /** Reads the effect, before and after. */
  read: (other: OtherAdmin) => Promise<unknown>
  /** The effect after the other administrator's change, and after one confirmation. */
  kept: unknown
  done: { toast: string | RegExp; effect: unknown }
}

const getDialog = (page: Page) => page.getByRole('dialog')
const press = (page: Page, name: string) => getDialog(page).getByRole('button', { name, exact: true })
const findRow = (page: Page, email: string) => page.locator('#usuarios [data-index]', { hasText: email })

const DIALOGS: DialogCase[] = [
  {
    name: 'Editar acesso',
    path: `?q=${VENDAS}`,
    call: { method: 'PATCH', path: '/api/profiles/*' },
    async open(page) {
      await clickMenuItem(findRow(page, VENDAS), 'Editar acesso')
      await getDialog(page).getByRole('checkbox', { name: 'CRM', exact: true }).check()
      return press(page, 'Salvar')
    },
    meanwhile: (other) => other.change(VENDAS, { types: ['HPD'] }),
    refusal: 'Nada foi sobrescrito: houve outra alteração nesse meio-tempo',
    read: async (other) => (await other.person(VENDAS)).types,
    kept: ['HPD'],
    done: { toast: 'Acesso atualizado', effect: ['HPD', 'CRM'] },
  },
  {
    name: 'Alteração em Massa',
    path: '?q=Equipe',
    call: { method: 'POST', path: '/api/profiles/bulk-edit' },
    async open(page, _, other) {
      const { items } = (await other.call('GET', '/api/profiles?q=Equipe')).body
      if (items.length === 0)
        for (const email of [VENDAS, BOSS, toEmail('curta')])
          await other.change(email, { full_name: 'Equipe' })
      const boxes = page.locator('#usuarios [data-index]').getByRole('checkbox')
      await expect(boxes).toHaveCount(items.length || 3)
      for (const box of await boxes.all()) await box.check()
      await page.getByRole('button', { name: /^Alterar Filtros em Massa/ }).click()
      await getDialog(page).getByRole('checkbox', { name: 'Slack', exact: true }).check()
      await expect(getDialog(page).getByText(/Slack passa a aparecer para/)).toBeVisible()
      return press(page, 'Adicionar')
    },
    async meanwhile(other) {
      const { user_id } = await other.person(toEmail('curta'))
      await other.call('POST', '/api/functions/delete-users', { userIds: [user_id] })
    },
    refusal: /1 usuário já não existe e saiu da seleção/,
    read: async (other) => (await other.person(VENDAS)).types.includes('Slack'),
    kept: false,
    done: { toast: /^Dados adicionados com sucesso para \d usuário/, effect: true },
  },
  {
    name: 'Corrigir Nome',
    path: `?q=${VENDAS}`,
    call: { method: 'PATCH', path: '/api/profiles/*' },
    async open(page) {
      await clickMenuItem(findRow(page, VENDAS), 'Corrigir nome')
      await getDialog(page).getByRole('textbox', { name: 'Nome' }).fill('Ana Prado')
      return press(page, 'Salvar')
    },
    meanwhile: (other) => other.change(VENDAS, { full_name: 'Ana Braga' }),
    refusal: 'Nada foi sobrescrito: houve outra alteração nesse meio-tempo',
    read: async (other) => (await other.person(VENDAS)).full_name,
    kept: 'Ana Braga',
    done: { toast: 'Nome corrigido', effect: 'Ana Prado' },
  },
  {
    name: 'Tornar administrador',
    path: `?q=${VENDAS}`,
    call: { method: 'PUT', path: '/api/profiles/*/role' },
    async open(page) {
      await clickMenuItem(findRow(page, VENDAS), 'Ajudar com a conta')
      await press(page, 'Tornar administrador').click()
      await expect(getDialog(page)).toContainText('Tornar administrador?')
      return press(page, 'Tornar administrador')
    },
    async meanwhile(other) {
      const { user_id } = await other.person(VENDAS)
      await other.call('PUT', `/api/profiles/${user_id}/role`, { role: 'admin' })
      await other.call('PUT', `/api/profiles/${user_id}/role`, { role: 'user' })
    },
    refusal: 'Outra pessoa alterou este usuário nesse meio-tempo',
    read: async (other) => {
      const { user_id } = await other.person(VENDAS)
      const { items } = (await other.call('GET', `/api/audit?action=role-changed&person=${user_id}`)).body
      return items.length
    },
    kept: 2,
    done: { toast: 'A pessoa agora administra o portal', effect: 3 },
  },
  {
    name: 'Incluir marca, also to whoever has all',
    path: '/listas',
    call: { method: 'POST', path: '/api/catalogue/marcas' },
    async open(page, code, other) {
      if (code === 'BYD2') {
        const { marcas } = (await other.call('GET', '/api/catalogue')).body
        const all = marcas.map((item: { code: string }) => item.code)
        await other.change(BOSS, { marcas: all, estados: ['RJ'] })
        await page.reload()
      }
      const brands = page.getByRole('region', { name: 'Marcas', exact: true })
      await brands.getByRole('textbox', { name: 'Código' }).fill(code)
      await brands.getByRole('button', { name: 'Incluir marca' }).click()
      await getDialog(page)
        .getByRole('checkbox', { name: /^Dar também/ })
        .check()
      return press(page, 'Incluir')
    },
    meanwhile: (other) => other.call('POST', '/api/catalogue/marcas', { code: 'BYD', label: 'Carros BYD' }),
    refusal: /^Este código já existe/,
    read: async (other) => {
      const { marcas } = (await other.call('GET', '/api/catalogue')).body
      const held = (await other.person(BOSS)).marcas
      return [marcas.slice(10).map(({ label }: { label: string }) => label), held.slice(10)]
    },
    kept: [['Carros BYD'], []],
    done: {
      toast: '“BYD2” foi incluído',
      effect: [
        ['Carros BYD', 'BYD2'],
        ['BYD', 'BYD2'],
      ],
    },
  },
  {
    name: 'Excluir marca',
    path: '/listas',
    call: { method: 'DELETE', path: '/api/catalogue/marcas/*' },
    async open(page, code, other) {
      await other.call('POST', '/api/catalogue/marcas', { code, label: code })
      await page.getByRole('button', { name: `Excluir: ${code}`, exact: true }).click()
      return press(page, 'Excluir')
    },
    meanwhile: (other) => other.change(VENDAS, { marcas: ['BYD'], estados: [] }),
    refusal: /pode ser arquivado, mas não excluído/,
    read: async (other) => (await other.call('GET', '/api/catalogue')).body.marcas.length,
    kept: 11,
    done: { toast: '“BYD2” foi excluído', effect: 11 },
  },
  {
    name: 'Novo modelo',
    path: '/modelos',
    call: { method: 'POST', path: '/api/access-templates' },
    async open(page, name) {
      await page.getByRole('button', { name: 'Novo modelo' }).click()
      await getDialog(page).getByLabel('Nome', { exact: true }).fill(name)
      await getDialog(page).getByRole('checkbox', { name: 'Vendas', exact: true }).check()
      return press(page, 'Salvar')
    },
    meanwhile: (other) =>
      other.call('POST', '/api/access-templates', { name: 'BYD', types: ['HPD'], marcas: [], estados: [] }),
    refusal: /^Já existe um modelo com este nome/,
    read: async (other) =>
      (await other.call('GET', '/api/access-templates')).body.items.map(
        ({ types }: { types: string[] }) => types,
      ),
    kept: [['HPD']],
    done: { toast: 'Modelo “BYD2” salvo', effect: [['HPD'], ['Vendas']] },
  },
  {
    name: 'Novo grupo',
    path: '/grupos',
    call: { method: 'PUT', path: '/api/group-mappings' },
    async open(page, name, other) {
      const templates = (await other.call('GET', '/api/access-templates')).body.items
      if (templates.length === 0) {
        const lists = { types: ['HPD'], marcas: [], estados: [] }
        await other.call('POST', '/api/access-templates', { name: 'Modelo', ...lists })
        await page.reload()
      }
      await page.getByRole('button', { name: 'Novo grupo' }).click()
      await getDialog(page).getByLabel('Nome', { exact: true }).fill(name)
      await getDialog(page).getByLabel('ID do grupo no Entra').fill(`${GROUP}000000000002`)
      return press(page, 'Salvar')
    },
    async meanwhile(other) {
      const [template] = (await other.call('GET', '/api/access-templates')).body.items
      const item = { group_id: `${GROUP}000000000001`, name: 'Deles', template_id: template.id }
      expect((await other.call('PUT', '/api/group-mappings', { items: [item] })).status).toBe(200)
    },
    refusal: /^Outra pessoa mudou os grupos nesse meio-tempo/,
    read: async (other) =>
      (await other.call('GET', '/api/group-mappings')).body.items.map(({ name }: { name: string }) => name),
    kept: ['Deles'],
    done: { toast: 'Grupo “BYD2” salvo', effect: ['BYD2', 'Deles'] },
  },
  {
    name: 'Aviso',
    path: '/avisos',
    call: { method: 'POST', path: '/api/admin/notices' },
    async open(page, text, other) {
      const notice = { severity: 'info', types: null, starts_at: null, ends_at: null, on_login: false }
      if (text === 'BYD') {
        await other.call('POST', '/api/admin/notices', { ...notice, text: 'Antes', is_draft: true })
        await page.reload()
        await page.getByRole('button', { name: 'Editar: Antes' }).click()
      } else await page.getByRole('button', { name: 'Novo aviso' }).click()
      await getDialog(page).getByLabel('Texto').fill(text)
      return getDialog(page).getByRole('button', { name: /^(Salvar rascunho|Publicar)$/ })
    },
    async meanwhile(other) {
      const [{ id, text: _, ...notice }] = (await other.call('GET', '/api/admin/notices')).body.items
      const { severity, types, starts_at, ends_at, on_login, is_draft } = notice
      const body = { text: 'Deles', severity, types, starts_at, ends_at, on_login, is_draft }
      expect((await other.call('PATCH', `/api/admin/notices/${id}`, body)).status).toBe(200)
    },
    refusal: 'Este aviso mudou nesse meio-tempo',
    read: async (other) =>
      (await other.call('GET', '/api/admin/notices')).body.items
        .map(({ text }: { text: string }) => text)
        .sort(),
    kept: ['Deles'],
    done: { toast: 'Aviso publicado', effect: ['BYD2', 'Deles'] },
  },
  {
    name: 'Concluir revisão',
    path: '/revisoes?kind=types&code=hpd',
    call: { method: 'POST', path: '/api/access-reviews/*/*' },
    async open(page) {
      const box = page.getByRole('checkbox', { name: `Remover de ${BOSS}` })
      await box.check()
      await page.getByRole('button', { name: 'Concluir revisão' }).click()
      return press(page, 'Concluir revisão')
    },
    meanwhile: (other) => other.change(VENDAS, { types: ['HPD'] }),
    refusal: /^As pessoas com este acesso mudaram nesse meio-tempo/,
    read: async (other) => {
      const { past } = (await other.call('GET', '/api/access-reviews')).body
      return [past.length, (await other.person(BOSS)).types.includes('HPD')]
    },
    kept: [0, true],
    done: { toast: 'Revisão registrada: Área HPD', effect: [1, false] },
  },
]

for (const { name, path, call, open, meanwhile, refusal, read, kept, done } of DIALOGS)
  test(`${name}: says what another administrator did, and does once what was pressed twice without a reply`, async ({
    page,
    other,
  }) => {
    await openAs(page, 'admin', `/admin${path}`)
    const first = await open(page, 'BYD', other)
    await meanwhile(other)
    await first.click()
    await expect(page.getByText(refusal).first()).toBeVisible()
    expect(await read(other)).toEqual(kept)

    await page.goto(`/admin${path}`)
    const second = await open(page, 'BYD2', other)
    let lost = 0
    await page.route(`**${call.path}`, async (route) => {
      if (route.request().method() !== call.method || lost > 0) return route.fallback()
      lost += 1
      await route.fetch()
      return route.abort()
    })
    await second.dblclick()
    // Where the portal does not ask again by itself, the dialog stays and one more press is harmless.
    const finished = toast(page, done.toast)
    const failed = page.getByText('Sem conexão com o portal', { exact: false }).first()
    await expect(finished.or(failed).first()).toBeVisible()
    if (!(await finished.isVisible())) await second.click()
    await expect(finished).toBeVisible()
    expect(lost).toBe(1)
    expect(await read(other)).toEqual(done.effect)
  })
