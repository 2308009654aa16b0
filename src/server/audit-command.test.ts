import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { withDatabase } from '#server/operator-command.ts'
import { createMigratedDataDir } from '#server/testing/migrated-portal.ts'
import { BARE_ENVIRONMENT } from '#server/testing/portal-process.ts'
import { describeOnEachDatabase, getDatabaseUrl, openFreshDatabase } from '#server/testing/test-database.ts'

const COMMAND = fileURLToPath(new URL('audit-command.ts', import.meta.url))
const SLOW = 180_000
const ANA = 'ana@grupopatio.com.br'
/** Breaks lines, moves the cursor, reverses the rest, and closes its quotation. */
const FORGED =
  'x”\r\n03/02/2026, 09:00  chefe@grupopatio.com.br aprovou a conta\u2028\u0085;\u001b[2K\u202e\u009b1A'
const LONG = 'maria-aparecida.de.albuquerque.e.vasconcelos@grupopatio.com.br'
const DELETED = '45a97728-1111-4c7e-9a57-2f1f4d5c0001'

describe('npm run users, access and trail as processes', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await createMigratedDataDir()
    await withDatabase({ dataDir, databaseUrl: undefined }, async ({ db }) => {
      const access = { approved: true, types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
      const { user_id } = await db
        .insertInto('profiles')
        .values({ email: ANA, created_at: new Date('2026-01-01'), ...access })
        .returning('user_id')
        .executeTakeFirstOrThrow()
      const entry = { action: 'approval-given', target_id: user_id, target_email: ANA }
      await db
        .insertInto('audit_entries')
        .values({
          ...entry,
          at: new Date('2026-02-03T12:00:00Z'),
          actor_email: 'chefe@grupopatio.com.br',
          before: JSON.stringify({ approved: false, types: [] }),
          after: JSON.stringify(access),
        })
        .execute()
      // As versions before 0.3 stored them.
      const forged = (action: string, state: object) => ({
        action,
        target_id: user_id,
        target_email: ANA,
        actor_email: ANA,
        at: new Date('2026-02-10T12:00:00Z'),
        after: JSON.stringify(state),
        user_agent: FORGED,
      })
      await db
        .insertInto('audit_entries')
        .values([
          forged('factor-added', { name: FORGED }),
          forged('access-refused', { reason: FORGED }),
          forged('notice-added', { text: FORGED }),
        ])
        .execute()
      await db
        .insertInto('audit_entries')
        .values({ at: new Date('2026-02-04'), action: 'user-deleted', target_id: DELETED })
        .execute()
      await db
        .insertInto('profiles')
        .values([
          { email: 'bia@grupopatio.com.br', last_sign_in_at: new Date('2026-02-01') },
          { email: LONG, full_name: 'Maria Aparecida de Albuquerque e Vasconcelos', ...access },
        ])
        .execute()
    })
  }, SLOW)
  afterAll(() => rm(dataDir, { recursive: true }))

  const runWhole = async (args: string[], env = {}) => {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      env: { ...BARE_ENVIRONMENT, DATA_DIR: dataDir, ...env },
    })
    const ended = once(child, 'exit')
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { said, complaint, code: (await ended)[0] }
  }
  const run = async (...args: string[]) => {
    const { said, complaint } = await runWhole(args)
    return said || complaint
  }

  test(
    'writes one line for each entry, whatever was typed into it',
    async () => {
      const asked = ['trail', '--since', '2026-02-10', '--until', '2026-02-10']
      for (const format of [[], ['--csv'], ['--json']]) {
        const said = await run(...asked, ...format)
        const lines = said
          .replace(/^\ufeff?Quando.*\r\n/, '')
          .trimEnd()
          .split(/\r?\n/)
        expect(lines, said).toHaveLength(3)
        for (const line of lines) {
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
          if (format[0] !== '--json') expect(line).toMatch(/^10\/02\/2026,? 09:00/)
          if (format[0] === '--json')
            expect(JSON.stringify(JSON.parse(line).after)).toContain(JSON.stringify(FORGED))
        }
        if (format.length === 0)
          expect(said).toContain(
            '“x" ⏎ 03/02/2026, 09:00  chefe@grupopatio.com.br aprovou a conta ⏎ ;�[2K��1A”',
          )
      }
    },
    SLOW,
  )

  test(
    'answers an auditor’s questions, and leaves an entry of the trail each time',
    async () => {
      expect(await run('users', '--csv')).toContain(`${ANA};;Usuário;Aprovado`)
      expect(await run('users', '--without-second-factor')).toContain(ANA)
      expect(await run('access', '--report', 'vendas')).toContain(
        `2 pessoas podem ver Vendas\n${ANA.padEnd(36)}  desde 03/02/2026, 09:00  Aprovação  chefe@grupopatio.com.br  sem prazo  FIAT, RJ\n`,
      )
      expect(await run('access', '--report', 'Vendas', '--on', '2026-02-01')).toBe(
        'Não há registro deste dia.\n',
      )
      expect(await run('access', '--person', ANA, '--on', '2026-03-01', '--csv')).toContain('Vendas;')
      expect(await run('access', '--report', 'nada')).toContain(
        'Não há área nem relatório com o nome “nada”.',
      )
      const lines = (await run('trail', '--since', '2026-02-01', '--json')).trim().split('\n')
      const actions = lines.map((line) => JSON.parse(line).action)
      expect(actions[0]).toBe('trail-exported')
      expect(actions.filter((action) => action === 'access-exported')).toHaveLength(3)
      expect(actions.at(-1)).toBe('approval-given')
      expect(await run('trail', '--action', 'approval-given')).toMatch(
        /^03\/02\/2026, 09:00 {2}ana@grupopatio\.com\.br {21}chefe@grupopatio.com.br aprovou a conta: .*\n/,
      )
    },
    SLOW,
  )

  test(
    'says which accounts never came, and what is kept of a person',
    async () => {
      expect(await run('users', '--never-signed-in')).toContain(ANA)
      expect(await run('users', '--never-signed-in', '--csv')).not.toContain('bia@')
      const data = JSON.parse(await run('users', '--data-of', 'Ana'))
      expect(data).toMatchObject({
        profile: { email: ANA },
        changes_to_the_person: expect.arrayContaining([
          expect.objectContaining({ action: 'approval-given' }),
        ]),
        sessions: [],
      })
      expect(await run('trail', '--action', 'data-exported')).toMatch(
        / {2}ana@.* Quem opera o servidor exportou/,
      )
    },
    SLOW,
  )

  test(
    'keeps its columns, whatever is in them, and CSV keeps the values',
    async () => {
      const users = (await run('users')).trimEnd().split('\n')
      const starts = (text: string) => users.map((line) => line.indexOf(text)).filter((start) => start > 0)
      expect(users).toHaveLength(4)
      for (const column of ['Usuário', 'Pendente|Aprovado']) {
        const places = users.slice(1).map((line) => line.search(new RegExp(column)))
        expect(new Set(places).size, users.join('\n')).toBe(1)
      }
      expect(starts('Papel')[0]).toBe(starts('Usuário')[0])
      expect(users.join('\n')).toContain(`${LONG.slice(0, 35)}…`)
      expect(await run('users', '--csv')).toContain(LONG)
    },
    SLOW,
  )

  test(
    'names who used sudo, and a deleted person as the screens do',
    async () => {
      await runWhole(['users'], { SUDO_USER: 'carla.souza' })
      await runWhole(['users'], { SUDO_USER: 'x\n01/01/2026  forged' })
      const exports = (await run('trail', '--action', 'list-exported')).split('\n')
      expect(exports[1]).toContain('Quem opera o servidor (carla.souza) exportou')
      expect(exports[0]).toContain('Quem opera o servidor exportou')
      for (const format of [[], ['--csv']])
        expect(await run('trail', '--person', 'conta excluída 45a97728', ...format)).toContain(
          'conta excluída 45a97728',
        )
    },
    SLOW,
  )

  test(
    'tells by its exit code what it cannot answer, and names what is wrong with the question',
    async () => {
      const wrong: [string[], string][] = [
        [['access', '--report', 'Vendas', '--on', '2099-01-01'], 'Escolha hoje ou um dia que já passou'],
        [['access', '--report', 'Vendas', '--on', '2026-02-31'], '“2026-02-31” não é um dia'],
        [['access', '--report', 'nada'], 'Não há área nem relatório'],
        [['trail', '--acton', 'acts'], 'Não há a opção --acton.'],
        [['trail', '--action', 'nonsense'], '“nonsense”'],
        [['trail', '--person', 'Ninguém'], 'Ninguém se chama “Ninguém”'],
        [['trail', '--since', '2026-03-01', '--until', '2026-02-01'], 'O último dia vem antes do primeiro'],
        [['users', '--csv', '--person'], 'Não há a opção --person.'],
      ]
      for (const [args, says] of wrong) {
        const { said, complaint, code } = await runWhole(args)
        expect([args, code, said]).toEqual([args, 2, ''])
        expect(complaint).toContain(says)
        expect(complaint).not.toContain('    at ')
      }
      expect(await runWhole(['access', '--person', 'ana', '--on', '2020-01-01'])).toMatchObject({ code: 3 })
      expect(await runWhole(['trail', '--person', ANA, '--until', '2020-01-01'])).toMatchObject({
        code: 3,
        complaint: 'Nada registrado com estes filtros.\n',
      })
      expect(await run('trail', '--actor', 'portal')).not.toContain('exportou')
      expect(await run('trail', '--actor', 'servidor')).toContain('Quem opera o servidor exportou')
    },
    SLOW,
  )

  test.each([['access', '--on', '2026-02-01'], ['trail', '--action', 'nada'], ['outro']])(
    'explains itself when called with %s %s',
    async (...args) => {
      expect(await run(...args)).toContain('Uso: npm run ')
    },
  )
})

describeOnEachDatabase('commands of an auditor', (kind) => {
  const SERVER = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const ARGUMENTS = [
    ['users'],
    ['users', '--data-of', ANA],
    ['access', '--person', ANA],
    ['trail', '--json'],
    ['verify-trail'],
  ]

  test(
    'need nothing but the place of the database, also in a release',
    async () => {
      const database = kind === 'server' ? await openFreshDatabase(kind) : undefined
      const dataDir = database ? '' : await createMigratedDataDir()
      onTestFinished(async () => {
        await database?.close()
        if (dataDir) await rm(dataDir, { recursive: true })
      })
      const place = database ? { DATABASE_URL: await getDatabaseUrl(database) } : { DATA_DIR: dataDir }
      await withDatabase({ databaseUrl: place.DATABASE_URL, dataDir }, ({ db }) =>
        db.insertInto('profiles').values({ email: ANA }).execute(),
      )
      const run = async (args: string[], env: Record<string, string>) => {
        const child = spawn(process.execPath, args, { env })
        const ended = once(child, 'exit')
        const complaint = await text(child.stderr)
        return { complaint, code: (await ended)[0] }
      }
      for (const [name = '', ...args] of ARGUMENTS) {
        const file = SERVER(name === 'verify-trail' ? 'verify-trail.ts' : 'audit-command.ts')
        const own = name === 'verify-trail' ? args : [name, ...args]
        expect([name, await run([file, ...own], place)]).toEqual([name, { complaint: '', code: 0 }])
        const inRelease = await run([SERVER('command-line.ts'), name, ...args], {
          ...place,
          NODE_ENV: 'production',
        })
        expect([name, inRelease]).toEqual([name, { complaint: '', code: 0 }])
      }
    },
    SLOW,
  )
})
