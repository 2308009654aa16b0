import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbedded } from '#server/database/open-embedded.ts'
import { createLog } from '#server/log.ts'
import { createMigratedDataDir } from '#server/testing/migrated-portal.ts'
import { BARE_ENVIRONMENT } from '#server/testing/portal-process.ts'
import { createTrailSealer } from './seal-trail.ts'

const server = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url))
/** Opening a database with durable writes is slow on a busy machine. */
const SLOW = 300_000

describe('npm run verify-trail as a process', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await createMigratedDataDir()
  })
  afterAll(() => rm(dataDir, { recursive: true }))

  async function run(file: string, args: string[], DATA_DIR = dataDir) {
    const env = { ...BARE_ENVIRONMENT, DATA_DIR }
    const child = spawn(process.execPath, [server(file), ...args], { env })
    const [said, complaint, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ])
    return { said, complaint, code }
  }
  /** Runs statements as whoever owns the database can: without the guards. */
  async function change(...statements: string[]): Promise<void> {
    const { db, close } = await openEmbedded(dataDir)
    await sql`set session_replication_role = replica`.execute(db)
    for (const statement of statements) await sql.raw(statement).execute(db)
    await sql`reset session_replication_role`.execute(db)
    const sealer = createTrailSealer({ db, clock: Date.now, log: createLog('silent') })
    await sealer.runNow()
    await sealer.stop()
    await close()
  }

  test(
    'says by its exit code whether the trail is intact, forged or could not be verified, also when restored',
    async () => {
      expect(await run('verify-trail.ts', [])).toMatchObject({
        code: 0,
        said: expect.stringMatching(/ainda sem selos/),
      })
      await change(
        `insert into audit_entries (action, ip) select 'types-set', '203.0.113.7' from generate_series(1, 3)`,
      )
      const intact = await run('verify-trail.ts', [])
      expect(intact).toMatchObject({ code: 0, complaint: '' })
      expect(intact.said).toMatch(/^Trilha de auditoria: 3 linhas conferidas; selos 1 a 3\. Intacta\.$/m)
      const [, anchor = ''] = /Guarde fora do banco: (audit:3:[0-9a-f]{64})$/m.exec(intact.said) ?? []

      const copy = join(dataDir, 'copy.backup')
      const restored = join(dataDir, 'restored')
      expect(await run('back-up.ts', ['backup', copy])).toMatchObject({ code: 0 })
      expect(await run('back-up.ts', ['restore', copy], restored)).toMatchObject({ code: 0 })
      expect(await run('verify-trail.ts', [anchor], restored)).toMatchObject({ code: 0 })

      // A seal of after the copy differs because of the restore, which is on record.
      await change(`insert into audit_entries (action) values ('role-changed')`)
      const [, later = ''] = /(audit:4:[0-9a-f]{64})/.exec((await run('verify-trail.ts', [])).said) ?? []
      const mails = join(dataDir, 'mails.eml')
      await writeFile(mails, `- ${anchor}\r\n- ${later.slice(0, 70)}=\r\n${later.slice(70)}\r\n`)
      expect(await run('verify-trail.ts', [mails])).toMatchObject({ code: 0 })
      const differing = await run('verify-trail.ts', [mails], restored)
      expect(differing).toMatchObject({
        code: 3,
        said: expect.stringMatching(/selo 4, .* antes da restauração de .*, que voltou ao selo 3\)/),
      })
      expect(differing.said).toContain('A trilha confere, se houve essa restauração')

      await change(
        `update audit_entries set ip = '198.51.100.1' where id = (select min(id) from audit_entries)`,
      )
      const forged = await run('verify-trail.ts', [anchor])
      expect(forged.code).toBe(2)
      expect(forged.said).toMatch(/1 falha:\n {2}- a linha \d+, types-set, .* foi alterada$/m)
      expect(forged.said).toMatch(/A trilha NÃO confere/)
      expect(await run('verify-trail.ts', [join(dataDir, 'none.eml')])).toMatchObject({
        code: 1,
        complaint: expect.stringContaining('none.eml'),
      })
    },
    SLOW,
  )

  test('explains itself when called with what is no seal', async () => {
    expect(await run('verify-trail.ts', ['audit:3'])).toMatchObject({
      code: 1,
      complaint: expect.stringMatching(/^Uso: npm run verify-trail -- \[SELO \| ARQUIVO\]…/),
    })
  })
})
