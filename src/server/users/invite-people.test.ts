import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import { type InvitationResult, type InviteForm, invitationMessages } from '#contract/invitations.ts'
import type { Problem } from '#contract/problem.ts'
import {
  disown,
  findNotMeLink,
  NEW_PASSWORD,
  previewLink,
  receiveMail,
  signIn,
  signUp,
  useLink,
} from '#server/testing/account-calls.ts'
import {
  type Admin,
  listPage,
  openAdmin,
  patchProfile,
  readTrail,
  readUserHistory,
  removeAllPeople,
} from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { readEveryTable, searchDatabase } from '#server/testing/canaries.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const GIVEN = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
const DAY = 24 * 60 * 60_000
const at = (name: string) => `${name}@grupopatio.com.br`

describeOnEachDatabase('invitations', (kind) => {
  const portal = setUpPortal({ kind, builtinAdminEmail: at('admin') })
  let admin: Admin
  beforeEach(async () => {
    const { db } = portal.database
    for (const table of ['invitations', 'rate_limits', 'email_links'] as const)
      await db.deleteFrom(table).execute()
    await removeAllPeople(portal)
    await db.updateTable('catalogue_items').set({ archived: false }).execute()
    admin = await openAdmin(portal, { email: at('chefe'), full_name: 'Carla www.Chefe' })
  })

  const call = (method: string, path = '', body?: object, by = admin) =>
    send(portal, method, `/api/invitations${path}`, { token: by.token, body })
  const invite = async (form: Partial<InviteForm>, dryRun = false, by = admin) =>
    (await call('POST', dryRun ? '?dryRun=true' : '', { defaults: GIVEN, ...form }, by)) as {
      status: number
      body: InvitationResult & Problem
    }
  const toFile = (...lines: string[]) => Buffer.from(lines.join('\r\n')).toString('base64')
  const list = async (query = '') => (await call('GET', query)).body
  const findLink = async (email: string) => (await receiveMail(portal, email, 'invitation'))?.link
  const findPerson = async (name: string) =>
    (await listPage(portal, admin, { q: at(name) })).items[0] as Awaited<
      ReturnType<typeof listPage>
    >['items'][0]
  const listOutcomes = ({ lines }: InvitationResult) =>
    lines.map(({ line, email, outcome }) => [line, email, outcome])

  test('a CSV file invites people whose entitlements start with their links', async () => {
    const file = toFile(
      'E-mail;Nome;Áreas;Marcas;Estados',
      'ANA@grupopatio.com.br;Ana Souza;vendas, Crm;gm|fiat;rj',
      'rui@grupopatio.com.br;;;;',
    )
    const shown = await invite({ file }, true)
    expect(shown).toMatchObject({ status: 200, body: { invited: 2 } })
    expect(shown.body.lines).toEqual([
      {
        line: 2,
        email: at('ana'),
        full_name: 'Ana Souza',
        types: ['Vendas', 'CRM'],
        marcas: ['FIAT', 'GM'],
        estados: ['RJ'],
        outcome: 'invited',
        message: null,
      },
      { line: 3, email: at('rui'), full_name: null, ...GIVEN, outcome: 'invited', message: null },
    ])
    expect(await list()).toEqual({ items: [], next: null, total: 0 })
    expect(await invite({ file, fingerprint: shown.body.fingerprint })).toMatchObject({
      status: 200,
      body: shown.body,
    })
    expect(await list()).toMatchObject({
      total: 2,
      items: expect.arrayContaining([
        expect.objectContaining({ email: at('ana'), invited_by: admin.email, expired: false }),
      ]),
    })
    expect((await list('?q=souza')).items).toHaveLength(1)
    expect((await listPage(portal, admin, {})).items).toHaveLength(1)

    const mail = await receiveMail(portal, at('ana'), 'invitation')
    expect(mail?.text).toContain(`Carla www. Chefe (${admin.email}) convidou você`)
    const link = mail?.link
    expect((await previewLink(portal, 'invite', link)).body).toEqual({
      email: at('ana'),
      state: 'asks-password',
    })
    expect(await useLink(portal, 'signup', link)).toMatchObject({
      status: 400,
      body: { code: 'invalid-link' },
    })
    for (const password of [undefined, 'curta', 'senha123456789', 'Ana-Grupo-Patio-1'])
      expect(await useLink(portal, 'invite', link, { ...(password && { password }) })).toMatchObject({
        status: 422,
        body: { code: 'password-rejected' },
      })
    expect((await listPage(portal, admin, {})).items).toHaveLength(1)
    const { status, body } = await useLink(portal, 'invite', link, { password: NEW_PASSWORD })
    expect(status).toBe(200)
    expect((await send(portal, 'GET', '/api/reports/me', { token: body.access_token })).body).toMatchObject({
      approved: true,
      emailVerified: true,
      marcas: ['FIAT', 'GM'],
    })
    const ana = await findPerson('ana')
    expect(ana).toMatchObject({
      full_name: 'Ana Souza',
      types: ['Vendas', 'CRM'],
      role: 'user',
      approved: true,
    })
    expect((await signIn(portal, at('ana'), NEW_PASSWORD)).status).toBe(200)
    // A link works once.
    for (const reply of [
      await previewLink(portal, 'invite', link),
      await useLink(portal, 'invite', link, { password: NEW_PASSWORD }),
    ])
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid-link' } })
    expect((await list()).total).toBe(1)

    const trail = (await readTrail(portal)).filter(({ action }) => action.startsWith('invitation'))
    const lists = { types: ['Vendas', 'CRM'], marcas: ['FIAT', 'GM'], estados: ['RJ'] }
    expect(trail).toMatchObject([
      { action: 'invitation-sent', actor_id: admin.user_id, after: { email: at('ana'), ...lists } },
      { action: 'invitation-sent', after: { email: at('rui'), ...GIVEN } },
      {
        action: 'invitation-accepted',
        actor_id: ana.user_id,
        target_id: ana.user_id,
        after: { approved: true, ...lists, invited_by: admin.email },
      },
    ])
    expect((await readUserHistory(portal, admin, ana.user_id)).items[0]?.action).toBe('invitation-accepted')
    const exported = await send(portal, 'GET', `/api/profiles/${ana.user_id}/export`, admin)
    expect(exported.body.changes_to_the_person.map(({ action }: { action: string }) => action)).toContain(
      'invitation-sent',
    )
  }, 60_000)

  test('any faulty line rejects the whole import and is reported', async () => {
    await send(portal, 'PATCH', '/api/catalogue/marcas/VW', { token: admin.token, body: { archived: true } })
    const file = toFile(
      'E-mail;Nome;Áreas;Marcas;Estados',
      'boa@grupopatio.com.br;Boa;;;',
      'fora@gmail.com;;;;',
      'com+sinal@grupopatio.com.br;;;;',
      'sem arroba;;;;',
      ';Sem e-mail;;;',
      'nome@grupopatio.com.br;a@b;;;',
      'area@grupopatio.com.br;;Compras;;',
      'marca@grupopatio.com.br;;;FIAT, VW;',
      'estado@grupopatio.com.br;;;;SP',
      'BOA@grupopatio.com.br;;;;',
      'admin@grupopatio.com.br;;;;',
      'mais@grupopatio.com.br;;;;;sobra',
      'conta@grupopatio.com.br;=HYPERLINK("x");;;',
    )
    const before = await readEveryTable(portal.database.db)
    const { body } = await invite({ file }, true)
    expect(body.invited).toBe(1)
    expect(body.lines.map(({ line, outcome, message }) => [line, outcome, message])).toEqual([
      [2, 'invited', null],
      [3, 'error', 'Apenas e-mails @grupopatio.com.br são permitidos. Corrija o endereço ou apague a linha.'],
      [4, 'error', "Use seu e-mail sem o sinal '+'. Corrija o endereço ou apague a linha."],
      [5, 'error', 'E-mail inválido. Corrija o endereço.'],
      [6, 'error', 'Falta o e-mail. Escreva-o ou apague a linha.'],
      [7, 'error', 'Informe o nome, e não um e-mail. Corrija o nome.'],
      [8, 'error', expect.stringMatching(/^A área “Compras” não existe\. As áreas são: Vendas, /)],
      [9, 'error', expect.stringMatching(/^A marca “VW” está no arquivo/)],
      [10, 'error', 'O estado “SP” não existe. Os estados são: RJ, ES, MG, PR.'],
      [11, 'error', 'Este e-mail já está na linha 2. Apague uma das duas.'],
      [12, 'error', expect.stringMatching(/administrador da instalação/)],
      [13, 'error', expect.stringMatching(/mais colunas do que o cabeçalho/)],
      [14, 'error', 'O nome começa como uma fórmula. Corrija o nome.'],
    ])
    expect(await invite({ file })).toMatchObject({
      status: 400,
      body: {
        detail: expect.stringMatching(/^12 linhas têm erro; a primeira é a 3: .* Ninguém foi convidado\.$/),
        fields: expect.arrayContaining([expect.objectContaining({ path: 'lines.3' })]),
      },
    })
    const wrongs: [object, string][] = [
      [{ addresses: at('x'), defaults: { ...GIVEN, marcas: ['LADA'] } }, 'defaults.marcas.0'],
      [{ addresses: at('x'), defaults: { ...GIVEN, marcas: ['VW'] } }, 'defaults.marcas.0'],
      [{ addresses: at('x'), file }, ''],
      [{}, ''],
      [{ addresses: ' ' }, ''],
      [{ file: 'não é base64' }, 'file'],
      [{ file: '' }, ''],
      [{ file, skipErrors: true }, ''],
    ]
    for (const [form, path] of wrongs)
      expect(await invite(form), JSON.stringify(form)).toMatchObject({
        status: 400,
        body: { fields: [{ path }] },
      })
    expect(await readEveryTable(portal.database.db)).toEqual(before)
  })

  test('the lines without an error are invited on request, exactly as they were shown', async () => {
    const form = { addresses: `${at('certa')}\nx@gmail.com` }
    const { fingerprint } = (await invite(form, true)).body
    const changed = { addresses: `${at('certa')}\n${at('outra')}\nx@gmail.com` }
    expect((await invite({ ...changed, fingerprint, skipErrors: true })).status).toBe(409)
    expect(await invite({ ...form, fingerprint, skipErrors: true })).toMatchObject({
      status: 200,
      body: { invited: 1 },
    })
    expect((await list()).items.map(({ email }: { email: string }) => email)).toEqual([at('certa')])
  })

  test('arbitrary bytes are rejected without effect', async () => {
    const before = await readEveryTable(portal.database.db)
    const piece = fc.constantFrom(
      ';',
      ',',
      '"',
      '\n',
      '@',
      'e-mail',
      'áreas\n',
      'a@grupopatio.com.br.x',
      '\u0000',
      '\ufeff',
    )
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.array(piece, { minLength: 1, maxLength: 30 }).map((parts) => Buffer.from(parts.join(''))),
      fc.array(piece, { minLength: 1 }).map((parts) => Buffer.from(`\ufeff${parts.join('')}`, 'utf16le')),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        const { status, body } = await invite({ file: Buffer.from(content).toString('base64') })
        expect(status, JSON.stringify(body)).toBe(400)
        expect(body.detail.length).toBeGreaterThan(15)
      }),
      { numRuns: 60 },
    )
    expect(await readEveryTable(portal.database.db)).toEqual(before)
  })

  test('the dry run says how a file was read, and refuses names that lost letters elsewhere', async () => {
    const check = (text: string, encoding: BufferEncoding = 'utf8') =>
      invite({ file: Buffer.from(text, encoding).toString('base64') }, true)
    const good = await check(`${at('ana')};Ana Conceição`, 'latin1')
    expect(good.body).toMatchObject({ encoding: 'Windows-1252', lines: [{ full_name: 'Ana Conceição' }] })
    expect((await invite({ addresses: at('ana') }, true)).body).not.toHaveProperty('encoding')
    const names = ['Jo\ufffdo', 'Jo?o', 'JoÃ£o', 'João']
    const { body } = await check(names.map((name, index) => `${at(`p${index}`)};${name}\r\n`).join(''))
    expect(body.lines.map(({ line, outcome }) => [line, outcome])).toEqual([
      [1, 'error'],
      [2, 'error'],
      [3, 'error'],
      [4, 'invited'],
    ])
    expect(body.lines[0]?.message).toMatch(/^O nome perdeu letras em outro programa\./)
    const doubtful = await check(`${at('a')};Ana\r\n${at('z')};Zé`, 'latin1')
    expect(doubtful.status).toBe(400)
    expect(doubtful.body).toMatchObject({ detail: expect.stringMatching(/^Linha 2: /) })
  })

  test('verified people and administrators stay unchanged; the dry run names them', async () => {
    const verified = await addPerson(portal, { email: at('velha'), password: TEST_PASSWORD, marcas: ['GM'] })
    await addPerson(portal, { email: at('revogada'), approved: false })
    await openAdmin(portal, { email: at('outra'), email_verified_at: null })
    await invite({ addresses: at('ja') })
    const before = await readEveryTable(portal.database.db)
    const addresses = ['velha', 'revogada', 'outra', 'ja'].map(at).join('\n')
    const shown = await invite({ addresses }, true)
    expect(shown.body.invited).toBe(0)
    expect(
      shown.body.lines.map(({ email, outcome, message }) => [email, outcome, message?.split(':')[0]]),
    ).toEqual([
      [at('velha'), 'unchanged', 'Já tem conta confirmada'],
      [at('revogada'), 'unchanged', 'Já tem conta e aguarda aprovação'],
      [at('outra'), 'unchanged', 'Já administra o portal'],
      [at('ja'), 'unchanged', expect.stringMatching(/^Já tem um convite de \d\d\/\d\d\/\d{4}$/)],
    ])
    expect(await invite({ addresses })).toMatchObject({
      status: 400,
      body: { detail: invitationMessages.nobody },
    })
    expect(await readEveryTable(portal.database.db)).toEqual(before)
    const longest = at('a'.repeat(64))
    portal.clock.advance(1000)
    expect((await invite({ addresses: `${addresses} ${longest}` })).body.invited).toBe(1)
    expect((await list()).items[0].email).toBe(longest)
    expect(await findPerson('velha')).toMatchObject({
      marcas: ['GM'],
      version: (await findPerson('velha')).version,
    })
    expect((await signIn(portal, verified.email, TEST_PASSWORD)).status).toBe(200)
  })

  test('an unverified account loses password, sessions and links, then its request', async () => {
    const mark = (await signUp(portal, at('tomada'))).body.confirmation_mark
    const stranger = (await signIn(portal, at('tomada'), NEW_PASSWORD)).body.access_token
    await send(portal, 'PUT', '/api/access-requests/me', {
      token: stranger,
      body: { full_name: 'Um estranho', types: ['Gerentes'] },
    })
    const verification = (await receiveMail(portal, at('tomada'), 'verification'))?.link
    const shown = await invite({ addresses: at('tomada') }, true)
    expect(listOutcomes(shown.body)).toEqual([[1, at('tomada'), 'replaced']])
    expect((await send(portal, 'GET', '/api/profiles/me', { token: stranger })).status).toBe(200)
    expect((await invite({ addresses: at('tomada'), fingerprint: shown.body.fingerprint })).status).toBe(200)

    expect((await send(portal, 'GET', '/api/profiles/me', { token: stranger })).status).toBe(401)
    expect((await signIn(portal, at('tomada'), NEW_PASSWORD)).status).toBe(400)
    expect((await useLink(portal, 'signup', verification, { mark })).status).toBe(400)
    const invited = { approved: false, types: [], email_verified_at: null, invited_until: expect.any(String) }
    expect(await findPerson('tomada')).toMatchObject(invited)
    const readWaiting = async () =>
      (await send(portal, 'GET', `/api/profiles/count?q=${at('tomada')}`, admin)).body.waiting
    const before = await readWaiting()
    await portal.database.db.updateTable('invitations').set({ withdrawn_at: new Date() }).execute()
    expect([await readWaiting(), await findPerson('tomada')]).toMatchObject([
      before + 1,
      { invited_until: null },
    ])
    await portal.database.db.updateTable('invitations').set({ withdrawn_at: null }).execute()
    const { status } = await useLink(portal, 'invite', await findLink(at('tomada')), {
      password: 'Outra-Travessia-99!',
    })
    expect(status).toBe(200)
    expect(await findPerson('tomada')).toMatchObject({
      approved: true,
      full_name: null,
      request: null,
      ...GIVEN,
    })
    expect((await signIn(portal, at('tomada'), NEW_PASSWORD)).status).toBe(400)
    const { items } = await readUserHistory(portal, admin, (await findPerson('tomada')).user_id)
    expect(items.map(({ action }) => action)).toContain('invitation-sent')
  })

  test('an invitation has no effect after a decision', async () => {
    await invite({ addresses: [at('decidida'), at('tirada')].join() })
    const links: (string | null | undefined)[] = []
    for (const name of ['decidida', 'tirada']) links.push(await findLink(at(name)))
    expect(links).not.toContain(undefined)
    for (const [name, approved] of [
      ['decidida', true],
      ['tirada', false],
    ] as const) {
      const person = await addPerson(portal, {
        email: at(name),
        email_verified_at: null,
        approved: !approved,
      })
      await patchProfile(portal, admin, person.user_id, { approved })
    }
    expect((await list()).total).toBe(0)
    for (const link of links)
      expect((await useLink(portal, 'invite', link, { password: NEW_PASSWORD })).status).toBe(400)
  })

  test('a link expires after seven days, is resent, and is withdrawn with its invitation', async () => {
    await invite({ addresses: at('lenta') })
    const first = await findLink(at('lenta'))
    const [{ id } = { id: '' }] = (await list()).items
    portal.clock.advance(7 * DAY)
    admin = { ...admin, token: (await openTestSession(portal, admin)).access_token }
    expect((await list()).items).toMatchObject([{ id, expired: true }])
    expect((await previewLink(portal, 'invite', first)).status).toBe(400)
    expect((await call('POST', `/${id}/resend`)).body).toMatchObject({ id, expired: false })
    expect((await call('POST', `/${id}/resend`)).status).toBe(429)
    const second = await findLink(at('lenta'))
    expect((await previewLink(portal, 'invite', first)).status).toBe(400)
    expect((await previewLink(portal, 'invite', second)).status).toBe(200)
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect((await useLink(portal, 'invite', second, { password: NEW_PASSWORD })).status).toBe(400)
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/resend'],
    ] as const)
      expect(await call(method, `/${id}${path}`)).toMatchObject({
        status: 404,
        body: { detail: invitationMessages.gone },
      })
    expect((await readTrail(portal)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['invitation-resent', 'invitation-withdrawn']),
    )
    // A queued mail is dropped.
    await invite({ addresses: at('breve') })
    const [breve] = (await list()).items
    await call('DELETE', `/${breve?.id}`)
    expect(await receiveMail(portal, at('breve'))).toBeUndefined()
  })

  test('one of two concurrent imports succeeds; a change since the dry run conflicts', async () => {
    const other = await openAdmin(portal)
    const addresses = [at('um'), at('dois'), at('tres')].join('\n')
    const { fingerprint } = (await invite({ addresses }, true)).body
    const both = await Promise.all([admin, other].map((by) => invite({ addresses, fingerprint }, false, by)))
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body.detail).toBe(invitationMessages.changedMeanwhile)
    expect((await list()).total).toBe(3)
    await portal.outbox.deliverDue()
    expect(portal.mails.filter(({ kind }) => kind === 'invitation')).toHaveLength(3)

    const [{ id } = { id: '' }] = (await list()).items
    const gone = await Promise.all([admin, other].map((by) => call('DELETE', `/${id}`, undefined, by)))
    expect(gone.map(({ status }) => status).toSorted()).toEqual([204, 404])
    // Opening the same link twice concurrently creates one account.
    const [left] = (await list()).items
    const link = await findLink(left?.email ?? '')
    const used = await Promise.all(
      [1, 2].map(() => useLink(portal, 'invite', link, { password: NEW_PASSWORD })),
    )
    expect(used.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test('a renamed area keeps its invitations; deleting a person deletes theirs', async () => {
    await invite({ addresses: at('ana'), defaults: { ...NO_ENTITLEMENTS, types: ['Slack'] } })
    const rename = (label: string) =>
      send(portal, 'PATCH', '/api/catalogue/types/slack', { token: admin.token, body: { label } })
    await rename('Conversas')
    expect((await list()).items).toMatchObject([{ types: ['Conversas'] }])
    await rename('Slack')

    await signUp(portal, at('ana'))
    const { outcome } = (
      await disown(portal, findNotMeLink(await receiveMail(portal, at('ana'), 'verification')))
    ).body
    expect(outcome).toBe('account-removed')
    expect(await searchDatabase(portal.database.db, at('ana'))).toEqual([])

    await invite({ addresses: at('bia') })
    await useLink(portal, 'invite', await findLink(at('bia')), { password: NEW_PASSWORD })
    const { user_id } = await findPerson('bia')
    await send(portal, 'POST', '/api/functions/delete-users', {
      token: admin.token,
      body: { userIds: [user_id] },
    })
    expect(await searchDatabase(portal.database.db, at('bia'), user_id)).toEqual([])
  })

  test('a thousand invitations are paged by a hundred and their mails are throttled', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => at(`p${index}`))
    expect((await invite({ addresses: names.join('\n') })).body.invited).toBe(1_000)
    const found = new Set<string>()
    for (let cursor = ''; ; ) {
      const page = await list(cursor && `?cursor=${cursor}`)
      for (const { email } of page.items) found.add(email)
      expect(page.total).toBe(1_000)
      if (page.next === null) break
      cursor = page.next
    }
    expect(found.size).toBe(1_000)
    await portal.database.db.deleteFrom('mail_outbox').where('kind', '!=', 'invitation').execute()
    const due = await portal.database.db
      .selectFrom('mail_outbox')
      .select('due_at')
      .orderBy('due_at')
      .execute()
    const seconds = ((due.at(-1)?.due_at.getTime() ?? 0) - (due[0]?.due_at.getTime() ?? 0)) / 1_000
    expect(seconds).toBe(99)
    expect((await call('GET', '?cursor=x')).status).toBe(400)
    expect((await invite({ addresses: `${names.join(' ')} ${at('demais')}` })).body.detail).toBe(
      invitationMessages.tooMany,
    )
  })
})
