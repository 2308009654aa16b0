import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withDatabase } from '#server/operator-command.ts'
import { createMigratedDataDir } from '#server/testing/migrated-portal.ts'
import { BARE_ENVIRONMENT } from '#server/testing/portal-process.ts'

const COMMAND = fileURLToPath(new URL('audit-command.ts', import.meta.url))
const SLOW = 180_000
const ANA = 'ana@grupopatio.com.br'
/** Breaks lines, moves the cursor, reverses the rest, and closes its quotation. */
const FORGED =
  'x”\r\n03/02/2026, 09:00  chefe@grupopatio.com.br aprovou a conta\u2028\u0085;\u001b[2K\u202e\u009b1A'

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
    })
  }, SLOW)
  afterAll(() => rm(dataDir, { recursive: true }))

  const runWhole = async (...args: string[]) => {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      env: { ...BARE_ENVIRONMENT, DATA_DIR: dataDir },
    })
    const ended = once(child, 'exit')
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { said, complaint, code: (await ended)[0] }
  }
  const run = async (...args: string[]) => {
    const { said, complaint } = await runWhole(...args)
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
        `1 pessoa pode ver Vendas\n${ANA} · desde 03/02/2026, 09:00 · Aprovação (chefe@grupopatio.com.br) · sem prazo · FIAT, RJ\n`,
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
        /^03\/02\/2026, 09:00 {2}chefe@grupopatio.com.br aprovou a conta: .* {2}ana@grupopatio.com.br\n/,
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
        const { said, complaint, code } = await runWhole(...args)
        expect([args, code, said]).toEqual([args, 2, ''])
        expect(complaint).toContain(says)
        expect(complaint).not.toContain('    at ')
      }
      expect(await runWhole('access', '--person', 'ana', '--on', '2020-01-01')).toMatchObject({ code: 3 })
      expect(await runWhole('trail', '--person', ANA, '--until', '2020-01-01')).toMatchObject({
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
