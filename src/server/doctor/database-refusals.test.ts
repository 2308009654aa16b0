import { readFile, writeFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTemporaryPostgres } from '#scripts/throw-away-postgres.mjs'
import { migrateDatabase } from '#server/database/migrate.ts'
import { openServer } from '#server/database/open-server.ts'
import { BARE_ENVIRONMENT, REAL_ENVIRONMENT, spawnPortal } from '#server/testing/portal-process.ts'
import { listServerChecks } from './check-database.ts'
import { explainDatabaseFailure } from './explain-error.ts'
import { runChecks } from './run-checks.ts'

/** `breaks` and `mends` are statements of the server's administrator. */
const CASES: [what: string, breaks: string[], says: string, mends?: string][] = [
  [
    'no CREATE on the schema, as since PostgreSQL 15',
    ['alter schema public owner to postgres', 'revoke create on schema public from public'],
    'o usuário do banco não pode criar tabelas no esquema, como é o padrão desde o PostgreSQL 15',
    'GRANT CREATE ON SCHEMA public TO "pátio-app"',
  ],
  [
    'no USAGE of the schema',
    ['revoke all on schema public from public'],
    'o usuário do banco não pode usar nenhum esquema do search_path, ou não há nenhum',
    'CREATE SCHEMA IF NOT EXISTS public; GRANT USAGE, CREATE ON SCHEMA public TO "pátio-app"',
  ],
  [
    'no schema',
    ['drop schema public'],
    'o usuário do banco não pode usar nenhum esquema do search_path, ou não há nenhum',
    'CREATE SCHEMA IF NOT EXISTS public; GRANT USAGE, CREATE ON SCHEMA public TO "pátio-app"',
  ],
  [
    'no CONNECT',
    ['revoke connect on database "pátio" from public'],
    'o usuário do banco não pode se conectar a esse banco',
    'GRANT CONNECT ON DATABASE "pátio" TO "pátio-app"',
  ],
  [
    'a database that is closed',
    ['alter database "pátio" allow_connections false'],
    'o banco de dados está fechado para conexões',
    'ALTER DATABASE "pátio" ALLOW_CONNECTIONS true',
  ],
  [
    'no database',
    ['drop database "pátio"'],
    'o banco de dados não existe',
    `CREATE DATABASE "pátio" OWNER "pátio-app" ENCODING 'UTF8' TEMPLATE template0`,
  ],
  [
    'another encoding',
    [
      'drop database "pátio"',
      `create database "pátio" owner "pátio-app" encoding 'LATIN1' locale 'C' template template0`,
    ],
    'a codificação do banco não é UTF8',
  ],
  [
    'a read-only database',
    ['alter database "pátio" set default_transaction_read_only = on'],
    'o servidor só aceita leitura',
    'ALTER DATABASE "pátio" RESET default_transaction_read_only',
  ],
  [
    'a user who may not sign in',
    ['alter role "pátio-app" nologin'],
    'o usuário do banco não pode entrar',
    'ALTER ROLE "pátio-app" LOGIN',
  ],
  [
    'a password that has ended',
    [`alter role "pátio-app" valid until '2020-01-01'`],
    'usuário ou senha recusados',
    `ALTER ROLE "pátio-app" PASSWORD '…' VALID UNTIL 'infinity'`,
  ],
  [
    'a user without a connection',
    ['alter role "pátio-app" connection limit 0'],
    'o usuário do banco já tem todas as conexões que pode ter',
    'ALTER ROLE "pátio-app" CONNECTION LIMIT -1',
  ],
  [
    'a database without a connection',
    ['alter database "pátio" connection limit 0'],
    'o banco de dados já tem todas as conexões que pode ter',
    'ALTER DATABASE "pátio" CONNECTION LIMIT -1',
  ],
]

describe.skipIf(!process.env.TEST_DATABASE_URL)('a PostgreSQL that refuses the portal', () => {
  let server: NonNullable<Awaited<ReturnType<typeof startTemporaryPostgres>>>
  const toUrl = (user: string, password: string, database: string) => {
    const url = new URL(server.url)
    Object.assign(url, { username: user, password, pathname: `/${database}` })
    return url.href
  }
  const appUrl = () => toUrl('pátio-app', 'senha', 'pátio')
  const runSql = async (database: string, ...statements: string[]) => {
    const { password } = new URL(server.url)
    const client = new pg.Client({ connectionString: toUrl('postgres', password, database) })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const reset = () =>
    runSql(
      'postgres',
      'drop database if exists "pátio" with (force)',
      'drop role if exists "pátio-app"',
      `create role "pátio-app" login password 'senha'`,
      `create database "pátio" encoding 'UTF8' template template0`,
    ).then(() => runSql('pátio', 'grant all on schema public to public'))
  beforeAll(async () => {
    server = (await startTemporaryPostgres()) as typeof server
  }, 60_000)
  afterAll(() => server?.stop())

  /** Returns the line of a portal that does not start; undefined if it starts. */
  const start = async (url = appUrl()) => {
    try {
      const database = await openServer({ url, onConnectionError: () => {} })
      try {
        await migrateDatabase(database)
      } finally {
        await database.close()
      }
      return undefined
    } catch (error) {
      return explainDatabaseFailure(error, url) ?? (error as Error).stack
    }
  }
  const look = async (url = appUrl()) => {
    const findings = await runChecks(listServerChecks({ databaseUrl: url, databaseDirectUrl: undefined }))
    return findings.map(({ grade, says, todo }) => `${grade} ${says}${todo ? ` ${todo}` : ''}`)
  }
  /** Where a statement about the schema runs; those about the database run elsewhere. */
  const isOfSchema = (statement: string) => /schema/i.test(statement)
  const runAsAdministrator = async (statements: string[]) => {
    for (const each of statements) await runSql(isOfSchema(each) ? 'pátio' : 'postgres', each)
  }

  test.each(CASES)(
    'gets one line at the start and in doctor, with what mends it: %s',
    async (_, breaks, says, mends) => {
      await reset()
      await runAsAdministrator(breaks)
      const { host } = new URL(server.url)
      const atStart = await start()
      expect(atStart).toMatch(/^Banco de dados (inacessível )?em [^\n]*$/)
      expect(atStart).toContain(`${host}/p%C3%A1tio: ${says} (`)
      const [seen, ...others] = await look()
      expect(others).toEqual([])
      expect(seen).toContain(`fault Banco de dados em ${host}: ${says}. `)
      if (!mends) return
      for (const line of [atStart, seen]) expect(line).toContain(mends)
      await runAsAdministrator(mends.replace('…', 'senha').split('; '))
      if (breaks.some((each) => each.startsWith('drop database')))
        await runSql('pátio', 'grant all on schema public to public')
      expect(await start()).toBeUndefined()
      expect((await look())[0]).toMatch(/^good /)
    },
    60_000,
  )

  test('is a warning in doctor when the tables are there already, and names their owner when it is another', async () => {
    await reset()
    expect(await start()).toBeUndefined()
    await runSql('pátio', 'revoke create on schema public from public')
    expect((await look())[0]).toMatch(/^warning .*GRANT CREATE ON SCHEMA public TO "pátio-app"$/)
    expect(await start()).toBeUndefined()
    await runSql(
      'pátio',
      'grant create on schema public to public',
      'create role restorer',
      'reassign owned by "pátio-app" to restorer',
    )
    expect(await start()).toMatch(
      /as tabelas são de outro usuário do banco \(42501\)\. .*REASSIGN OWNED BY … TO "pátio-app"$/,
    )
    const [seen = ''] = await look()
    expect(seen).toMatch(/^fault .*as tabelas são de outro usuário/)
    await runSql('pátio', (/REASSIGN.*/.exec(seen) ?? [''])[0])
    expect(await start()).toBeUndefined()
    expect((await look())[0]).toMatch(/^good /)
    await runSql('postgres', 'drop role restorer')
  }, 60_000)

  test('is started under a short statement_timeout and without the right to pg_trgm', async () => {
    await reset()
    await runSql(
      'postgres',
      `alter role "pátio-app" set statement_timeout = '50ms'`,
      'revoke create on database "pátio" from public',
    )
    expect(await start()).toBeUndefined()
  }, 60_000)

  test('gets a line without the ICU collations', async () => {
    await reset()
    await runSql('pátio', 'drop collation pg_catalog."und-x-icu"')
    expect(await start()).toContain('o servidor não tem a ordenação und-x-icu, do ICU (42704)')
    await runSql('pátio', "select pg_import_system_collations('pg_catalog')")
    expect(await start()).toBeUndefined()
  }, 60_000)

  test('gets a line for few connections, TLS, other addresses, and a missing user', async () => {
    await reset()
    await runSql('postgres', 'alter role "pátio-app" connection limit 17')
    expect((await look())[0]).toMatch(/^warning .*aceita só 17 conexões/)
    expect(await start(toUrl('pátio-app', 'wrong', 'pátio'))).toContain('usuário ou senha recusados (28P01)')
    const { rows } = await query<{ hba_file: string }>('show hba_file')
    const file = rows[0]?.hba_file as string
    const before = await readFile(file, 'utf8')
    const setRules = async (rules: string) => {
      await writeFile(file, `${rules}\nhost all postgres 127.0.0.1/32 scram-sha-256\n`)
      await runSql('postgres', 'select pg_reload_conf()')
    }
    await setRules('hostssl all all 127.0.0.1/32 scram-sha-256')
    await expect
      .poll(() => start(), { timeout: 10_000 })
      .toContain('não aceita esta conexão sem TLS (28000). Acrescente ?sslmode=')
    expect((await look())[0]).toContain('não aceita esta conexão sem TLS')
    await setRules('host all "pátio-app" 127.0.0.1/32 trust\nhost all nobody 127.0.0.1/32 trust')
    await expect.poll(() => start(), { timeout: 10_000 }).toBeUndefined()
    expect(await start(toUrl('nobody', '', 'pátio'))).toContain(`CREATE ROLE nobody LOGIN PASSWORD '…'`)
    await setRules(before)
  }, 60_000)

  test('ends the process with that one line, without a stack', async () => {
    await reset()
    await runSql('pátio', 'revoke create on schema public from public')
    const portal = await spawnPortal({
      ...BARE_ENVIRONMENT,
      NODE_ENV: 'production',
      ...REAL_ENVIRONMENT,
      DATABASE_URL: appUrl(),
    } as Record<string, string>)
    expect(await portal.exited).toBe(1)
    expect(portal.output().trim().split('\n').at(-1)).toMatch(/GRANT CREATE ON SCHEMA public TO "pátio-app"$/)
    expect(portal.output()).not.toMatch(/^ +at /m)
    await portal.stop()
  }, 60_000)

  test('gets a line without a password, when it has no connection left, and while it stops', async () => {
    await reset()
    // Its connection waits for a password for a minute, and a DROP DATABASE with it.
    expect(await start(toUrl('pátio-app', '', 'pátio'))).toContain('o servidor pede uma senha')
    const clients: pg.Client[] = []
    const connectAll = async () => {
      for (;;) {
        const client = new pg.Client({ connectionString: appUrl() })
        client.on('error', () => {})
        await client.connect()
        clients.push(client)
      }
    }
    await expect(connectAll()).rejects.toThrow(/slots are reserved/)
    const line = await start()
    expect(line).toContain('o servidor não aceita mais conexões (53300)')
    expect(line).toContain('ALTER SYSTEM SET max_connections = 100')
    expect((await look())[0]).toMatch(/^fault .*o servidor não aceita mais conexões/)
    await Promise.all(clients.slice(1).map((client) => client.end()))
    const { rows } = await query<{ pid: string }>(
      "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid",
    )
    // A smart shutdown waits for the one that is left.
    process.kill(Number(rows[0]?.pid), 'SIGTERM')
    await expect
      .poll(() => start(), { timeout: 10_000 })
      .toContain('o servidor está iniciando, parando ou se recuperando (57P03)')
    await clients[0]?.end()
  }, 60_000)

  async function query<Row extends object>(text: string) {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    const result = await client.query<Row>(text)
    await client.end()
    return result
  }
})

test.each([
  ['the database system is starting up', '57P03'],
  ['o sistema de banco de dados está desligando', '57P03'],
  ['terminating connection due to administrator command', '57P01'],
])('a server that starts or stops says so: %s', (words, code) => {
  const error = Object.assign(new Error(words), { code })
  expect(explainDatabaseFailure(error, 'postgres://a:b@db/x')).toBe(
    `Banco de dados em db/x: o servidor está iniciando, parando ou se recuperando (${code}). Espere um minuto e tente de novo; se durar, o log do PostgreSQL diz por quê.`,
  )
})
