import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#server/database/database.ts'
import { openPglite } from '#server/database/open-embedded.ts'
import type { Db } from '#server/database/schema.ts'
import {
  changePassword,
  disown,
  findNotMeLink,
  NEW_PASSWORD,
  receiveMail,
  requestRecovery,
  signIn,
  useLink,
} from '#server/testing/account-calls.ts'
import { clearTrail, editMany, openAdmin, patchProfile } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { enrolTotp, registerPasskey, signInByPasskey } from '#server/testing/factor-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { createAuthenticator } from '#server/testing/software-authenticator.ts'
import { describeOnEachDatabase, openEmptyDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { ADMIN_COMMANDS, createCliRequest } from './admin-commands.ts'
import { loadTrail, restoreBackUp, writeBackUp } from './back-up.ts'
import {
  applyRevocations,
  formatRevocations,
  hasRevocations,
  listRevocations,
  type Revocations,
} from './revocations.ts'

/** Creating databases is slow on a busy machine. */
const SLOW = { timeout: 180_000 }
const ORIGIN = 'https://portal.example'
const at = (name: string) => `${name}@grupopatio.com.br`
const pickEmails = (people: { email: string }[]) => people.map(({ email }) => email)

async function backUp(db: Db, file: string): Promise<void> {
  const lines = new PassThrough()
  await Promise.all([writeBackUp(db, lines), pipeline(lines, createGzip(), createWriteStream(file))])
}

describeOnEachDatabase('revocations since a back-up', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, publicUrl: ORIGIN })
  const [stolen, kept] = [createAuthenticator(ORIGIN), createAuthenticator(ORIGIN)]
  let folder: string
  let restored: Database
  let lost: Db
  let unchanged: string[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patio-revocations-'))
    lost = portal.database.db
    const admin = await openAdmin(portal, { email: at('chefe') })
    const add = async (name: string, more: Parameters<typeof addPerson>[1] = {}) => {
      const person = await addPerson(portal, { email: at(name), password: TEST_PASSWORD, ...more })
      // As at a sign-up: the trail names everybody.
      await lost
        .insertInto('audit_entries')
        .values({
          at: new Date(),
          action: 'account-created',
          target_id: person.user_id,
          target_email: at(name),
        })
        .execute()
      return person
    }
    const [excluida, sant] = [await add('excluida'), await add("sant'anna")]
    const demoted = await add('rebaixado', { role: 'admin' })
    const withdrawn = await add('reprovada')
    const reapproved = await add('reaprovada')
    const narrowed = await add('reduzida', { types: ['Vendas', 'CRM'], marcas: ['FIAT', 'GM'] })
    const ending = await add('termina')
    const widened = await add('ampliada')
    const [changing, resetting, disowning] = [await add('troca'), await add('esquece'), await add('naofui')]
    const printed = await add('emitida')
    await add('igual')
    /** With an app, a passkey and recovery codes. */
    const addProtected = async (name: string, key = createAuthenticator(ORIGIN)) => {
      const person = await add(name)
      const { access_token: first } = await openTestSession(portal, person)
      const { session, id } = await enrolTotp(portal, first, person.email)
      const token: string = session.access_token
      await registerPasskey(portal, { token, email: person.email, key })
      const codes = await send(portal, 'POST', '/api/auth/factors/recovery-codes', { token })
      const passkey = (await send(portal, 'GET', '/api/auth/passkeys', { token })).body[0].id as string
      return { ...person, token, id, passkey, codes: codes.body.codes as string[] }
    }
    const robbed = await addProtected('roubada', stolen)
    const [lostAll, disownedKey] = [await addProtected('perdeu'), await addProtected('estranha')]
    const recoded = await addProtected('codigos')
    await addProtected('protegida', kept)
    const unlinked = await add('desligada')
    const linked = { tenant_id: 'inquilino', object_id: 'objeto', email: unlinked.email }
    const linkedAt = { linked_at: new Date(), last_used_at: new Date() }
    await lost
      .insertInto('identities')
      .values({ ...linked, ...linkedAt, user_id: unlinked.user_id })
      .execute()
    const invitation = (addresses: string) =>
      send(portal, 'POST', '/api/invitations', {
        token: admin.token,
        body: { addresses, defaults: { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] } },
      })
    expect(
      (await invitation(['retirado', 'de-novo', 'aberto', 'aceito', 'menos'].map(at).join('\n'))).status,
    ).toBe(200)
    await backUp(lost, join(folder, 'older.backup'))
    unchanged = [at('ampliada'), at('chefe'), at('igual'), at('protegida'), at('reaprovada')]

    // Each by its route, as the days between the back-up and the loss would have it.
    const patch = async (userId: string, body: object) =>
      expect((await patchProfile(portal, admin, userId, body)).status).toBe(200)
    const remove = (userIds: string[]) =>
      send(portal, 'POST', '/api/functions/delete-users', { token: admin.token, body: { userIds } })
    const later = await add('depois')
    expect((await remove([excluida.user_id, sant.user_id, later.user_id])).body.errors).toEqual([])
    const cli = { db: lost, clock: portal.clock, request: createCliRequest(), publicUrl: 'http://localhost' }
    await ADMIN_COMMANDS.revoke?.({ ...cli, companyEmailDomain: 'grupopatio.com.br' }, demoted.email)
    await ADMIN_COMMANDS.reset?.({ ...cli, companyEmailDomain: 'grupopatio.com.br' }, printed.email)
    await patch(withdrawn.user_id, { approved: false })
    await patch(reapproved.user_id, { approved: false })
    await patch(reapproved.user_id, { approved: true })
    await patch(narrowed.user_id, { types: ['Vendas', 'Marketing'] })
    await editMany(portal, admin, { userIds: [narrowed.user_id], action: 'remove', marcas: ['GM'] })
    await patch(ending.user_id, { valid_until: '2099-12-31' })
    await patch(widened.user_id, { types: ['Vendas', 'CRM'] })
    const session = await openTestSession(portal, changing)
    expect((await changePassword(portal, session.access_token)).status).toBe(200)
    await requestRecovery(portal, resetting.email)
    const { link } = (await receiveMail(portal, resetting.email, 'recovery')) ?? {}
    await useLink(portal, 'recovery', link, { password: NEW_PASSWORD })
    const disowned = await openTestSession(portal, disowning)
    await changePassword(portal, disowned.access_token)
    await disown(portal, findNotMeLink(await receiveMail(portal, disowning.email)))
    const call = async (method: string, path: string, token: string, body?: object) =>
      expect((await send(portal, method, path, { token, ...(body && { body }) })).status).toBeLessThan(300)
    await call('DELETE', `/api/auth/passkeys/${robbed.passkey}`, robbed.token)
    await call('POST', `/api/profiles/${lostAll.user_id}/account`, admin.token, { action: 'reset-factor' })
    await disown(portal, findNotMeLink(await receiveMail(portal, disownedKey.email, 'factor-added')))
    await call('POST', '/api/auth/factors/recovery-codes/regenerate', recoded.token)
    const { access_token } = await openTestSession(portal, unlinked)
    await call('DELETE', '/api/auth/microsoft', access_token)
    const { link: accepted } = (await receiveMail(portal, at('aceito'))) ?? {}
    expect((await useLink(portal, 'invite', accepted, { password: NEW_PASSWORD })).status).toBe(200)
    const open = await lost.selectFrom('invitations').select(['id', 'email']).execute()
    const { id: reduced } = open.find(({ email }) => email === at('menos')) ?? {}
    const fewer = { types: ['Vendas'], marcas: ['FIAT'], estados: [] }
    const change = { items: [{ id: reduced, version: 0 }], action: 'replace', ...fewer }
    for (const [path, body] of [
      ['change', change],
      [`${reduced}/resend`, undefined],
    ] as const)
      expect(
        (await send(portal, 'POST', `/api/invitations/${path}`, { token: admin.token, body })).status,
      ).toBe(200)
    for (const { id, email } of open)
      if (email !== at('aberto') && email !== at('menos'))
        await send(portal, 'DELETE', `/api/invitations/${id}`, { token: admin.token })
    expect((await invitation(at('de-novo'))).status).toBe(200)

    restored = await openEmptyDatabase(kind)
    await restoreBackUp(restored, join(folder, 'older.backup'))
  }, SLOW.timeout)
  afterAll(async () => {
    await restored?.close()
    await rm(folder, { recursive: true })
  })

  function expectAll({ reduced, steps, ...lists }: Revocations) {
    const [app, passkey] = ['Aplicativo de códigos', 'Chave de acesso']
    expect(
      steps.map(({ email, factors, losesCodes }) => [email, factors.map(({ name }) => name), losesCodes]),
    ).toEqual([
      [at('codigos'), [], true],
      [at('estranha'), [app, passkey], true],
      [at('perdeu'), [app, passkey], true],
      [at('roubada'), [passkey], false],
    ])

    expect({
      ...lists,
      deleted: pickEmails(lists.deleted),
      demoted: pickEmails(lists.demoted),
    }).toMatchObject({
      deleted: [at('excluida'), at("sant'anna")],
      unattributedDeletions: 0,
      demoted: [at('rebaixado')],
      sessions: [],
      microsoft: [{ email: at('desligada') }],
      invitations: [at('aceito'), at('menos'), at('retirado')],
    })
    expect(pickEmails(lists.passwords)).toEqual(['emitida', 'esquece', 'estranha', 'naofui', 'troca'].map(at))
    expect(reduced.map(({ email, after }) => [email, after])).toEqual([
      [at('reduzida'), { types: ['Vendas'], marcas: ['FIAT'] }],
      [at('reprovada'), { approved: false }],
      [at('termina'), { valid_until: '2099-12-31' }],
    ])
  }

  test('are all found in the lost database', SLOW, async () => {
    const revocations = await listRevocations(restored.db, { db: lost, hasPeople: true })
    expectAll(revocations)
    const text = formatRevocations(revocations).join('\n')
    expect(text).toContain(`  Contas excluídas:\n    ${at('excluida')}\n    ${at("sant'anna")}\n`)
    expect(text).toContain(`${at('reduzida')}: sem CRM, GM\n`)
    expect(text).toContain(`${at('termina')}: válido até 31/12/2099\n`)
    expect(text).toContain(`    ${at('codigos')}: sem códigos de recuperação\n`)
    expect(text).toContain(`    ${at('roubada')}: sem “Chave de acesso”\n`)
    for (const email of unchanged) expect(text).not.toContain(email)
  })

  test('do not count people as deleted who joined the restored portal', SLOW, async () => {
    const again = await startTestPortal({ kind, database: restored, rateLimits: false })
    const newcomer = await addPerson(again, { email: at('novata'), password: TEST_PASSWORD })
    expectAll(await listRevocations(restored.db, { db: lost, hasPeople: true }))
    await restored.db.deleteFrom('profiles').where('user_id', '=', newcomer.user_id).execute()
    await again.stop()
  })

  test('are refused from the database of another portal, where everybody is missing', SLOW, async () => {
    const other = await startTestPortal({ kind: 'embedded', rateLimits: false })
    await addPerson(other, { email: at('outra'), password: TEST_PASSWORD })
    await expect(listRevocations(restored.db, { db: other.database.db, hasPeople: true })).rejects.toThrow(
      'não é o deste portal',
    )
    await other.stop()
  })

  test('are all found in a back-up of the lost database', SLOW, async () => {
    await backUp(lost, join(folder, 'newer.backup'))
    const newer = await openPglite({})
    await restoreBackUp(newer, join(folder, 'newer.backup'))
    expectAll(await listRevocations(restored.db, { db: newer.db, hasPeople: true }))
    await newer.close()
  })

  test('are all found in a file of the trail, deletions by their pseudonyms', SLOW, async () => {
    const { rows } = await sql<{ line: string }>`
      select row_to_json(a)::text as line from audit_entries a order by id desc`.execute(lost)
    const file = join(folder, 'trail.jsonl')
    await writeFile(file, rows.map(({ line }) => `${line}\n`).join(''))
    const trail = await openPglite({})
    const read = async () => {
      await loadTrail(trail.db, file)
      return listRevocations(restored.db, { db: trail.db, hasPeople: false })
    }
    expectAll(await read())
    await clearTrail(trail.db)
    // Lines that were shipped when they were written name nobody by a pseudonym.
    const shipped = rows.filter(({ line }) => line.includes('"user-deleted"'))
    await writeFile(file, shipped.map(({ line }) => line).join('\n'))
    expect(await read()).toMatchObject({ deleted: [], unattributedDeletions: 3 })
    await writeFile(file, '{"id": 1}\n')
    await expect(read()).rejects.toThrow('não é uma cópia nem um histórico')
    await trail.close()
  })

  test('are applied again, audited, and leave nothing to apply', SLOW, async () => {
    const { db } = restored
    const context = { db, clock: Date.now, request: createCliRequest('restore') }
    const revocations = await listRevocations(db, { db: lost, hasPeople: true })
    expect(await applyRevocations(context, revocations)).toBe(true)
    const after = await listRevocations(db, { db: lost, hasPeople: true })
    expect(hasRevocations(after), JSON.stringify(after)).toBe(false)

    const people = await db.selectFrom('profiles').selectAll().orderBy('email').execute()
    expect(pickEmails(people)).not.toContain(at('excluida'))
    expect(people.find(({ email }) => email === at('reduzida'))).toMatchObject({
      approved: true,
      types: ['Vendas'],
      marcas: ['FIAT'],
      estados: ['RJ'],
    })
    expect(people.find(({ email }) => email === at('reprovada'))).toMatchObject({ approved: false })
    const trail = await db.selectFrom('audit_entries').select(['action', 'user_agent']).execute()
    const actions = trail
      .filter(({ user_agent }) => user_agent === 'npm run restore')
      .map(({ action }) => action)
    expect(actions.toSorted()).toEqual(
      [
        ...Array(3).fill('access-revoked'),
        ...Array(3).fill('invitation-withdrawn'),
        ...Array(5).fill('factor-removed'),
        'microsoft-unlinked',
        ...Array(5).fill('password-revoked'),
        ...Array(3).fill('recovery-codes-removed'),
        'role-changed',
        ...Array(2).fill('user-deleted'),
      ].toSorted(),
    )

    const again = await startTestPortal({ kind, database: restored, rateLimits: false, publicUrl: ORIGIN })
    const refused = await signInByPasskey(again, (options) => stolen.sign(options))
    const allowed = await signInByPasskey(again, (options) => kept.sign(options))
    expect([refused.body.code, allowed.body.user.email]).toEqual(['factor-refused', at('protegida')])
    const owed = (await signIn(again, at('roubada'), TEST_PASSWORD)).body.user
    expect(owed.app_metadata.second_factor).toBe('verify')
    const { rows: next } = await sql`select email from factor_settings join profiles using (user_id)
      where needs_link order by email`.execute(db)
    expect(next).toEqual(['codigos', 'estranha', 'perdeu', 'roubada'].map((name) => ({ email: at(name) })))
    expect(await db.selectFrom('identities').select('email').execute()).toEqual([])
    expect((await signIn(again, at('troca'), TEST_PASSWORD)).body.code).toBe('invalid-credentials')
    expect((await signIn(again, at('igual'), TEST_PASSWORD)).status).toBe(200)
    const link = (await receiveMail(again, at('troca'), 'recovery'))?.link
    const used = await useLink(again, 'recovery', link, { password: NEW_PASSWORD })
    expect([used.status, (await signIn(again, at('troca'), NEW_PASSWORD)).status]).toEqual([200, 200])
    await again.stop()
  })

  test('say when no administrator is left', SLOW, async () => {
    const { db } = restored
    const chefe = await db
      .selectFrom('profiles')
      .select(['user_id', 'email'])
      .where('email', '=', at('chefe'))
      .executeTakeFirstOrThrow()
    const context = { db, clock: Date.now, request: createCliRequest('restore') }
    const none = await listRevocations(db, { db, hasPeople: true })
    expect(hasRevocations(none)).toBe(false)
    expect(await applyRevocations(context, { ...none, demoted: [chefe] })).toBe(false)
  })
})
