import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Finding } from '#contract/health.ts'
import { findPgBouncer } from '#scripts/find-programs.mjs'
import { findServerUser, startTemporaryPostgres } from '#scripts/throw-away-postgres.mjs'
import { readConfig } from '#server/config.ts'
import { useCorporateProxy } from '#server/corporate-proxy.ts'
import type { Database } from '#server/database/database.ts'
import { openServer } from '#server/database/open-server.ts'
import { createKeyring } from '#server/keyring.ts'
import { createLog } from '#server/log.ts'
import type { PowerBi } from '#server/power-bi/power-bi.ts'
import { createPowerBi } from '#server/power-bi/power-bi-client.ts'
import { addPerson, configureReports, openTestSession } from '#server/testing/builders.ts'
import { createCertificate } from '#server/testing/make-certificate.ts'
import { startPgBouncer } from '#server/testing/pgbouncer.ts'
import { BARE_ENVIRONMENT, findFreePort } from '#server/testing/portal-process.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { startSmtpInbox } from '#server/testing/smtp-inbox.ts'
import { describeOnEachDatabase, getDatabaseUrl, openFreshDatabase } from '#server/testing/test-database.ts'
import { listAddressChecks } from './check-address.ts'
import { listDatabaseChecks, listServerChecks } from './check-database.ts'
import { createDiskCheck, createFolderCheck } from './check-machine.ts'
import { listMailChecks } from './check-mail.ts'
import { listNetworkChecks } from './check-network.ts'
import { listPowerBiChecks } from './check-power-bi.ts'
import { signDoctorToken } from './doctor-token.ts'
import { listPortalChecks } from './portal-checks.ts'
import { type Check, runChecks } from './run-checks.ts'
import { formatFindings, getExitCode, runDoctor } from './run-doctor.ts'

const REAL = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://portal.example.com',
  TRUSTED_PROXIES: '10.0.0.5',
  DATABASE_URL: 'postgres://patio:c4nary@db.example.com/patio',
  COMPANY_EMAIL_DOMAIN: 'example.com',
  SESSION_SECRET: 'c4nary-7b9a3e48c6b2f1e0d9c8b7a695',
  SMTP_URL: 'smtps://patio:c4nary@mail.example.com',
  MAIL_FROM: 'Portal <portal@example.com>',
  POWERBI_TENANT_ID: 'example.com',
  POWERBI_CLIENT_ID: '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70',
  POWERBI_CLIENT_SECRET: 'c4nary',
  POWERBI_SECRET_ENDS: '2099-12-31',
}
/** Prevents the other checks from running, which would call external services. */
const INVALID_PORT = { PORT: 'x' }
const toConfig = (environment: Record<string, string>) => readConfig({ ...REAL, ...environment })

const formatLines = (findings: Finding[]) =>
  formatFindings(findings.filter(({ grade }) => grade !== 'good'))
    .trim()
    .split('\n')

async function runLines(...checks: Check[]): Promise<string[]> {
  return formatFindings(await runChecks(checks))
    .trim()
    .split('\n')
}

async function startServer(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Accepts connections and never responds. */
const startSilentServer = () => startServer(createServer((socket) => void socket.on('error', () => {})))

describe('a wrong setting gets its line', () => {
  test.each([
    [
      'PUBLIC_URL',
      'https://portal.example.com/portal',
      'falha  PUBLIC_URL: informe só o endereço, como https://portal.exemplo.com.br, sem caminho, usuário nem parâmetros.',
    ],
    ['PUBLIC_URL', 'http://portal.example.com', 'falha  PUBLIC_URL: use https:// em produção.'],
    [
      'POWERBI_TENANT_ID',
      'Contoso',
      'falha  POWERBI_TENANT_ID: informe o ID do diretório (um UUID) ou o domínio do locatário.',
    ],
    ['POWERBI_CLIENT_ID', 'portal-app', 'falha  POWERBI_CLIENT_ID: informe o ID do aplicativo (um UUID).'],
    [
      'POWERBI_CLIENT_CERTIFICATE_FILE',
      '/nowhere.pem',
      'falha  POWERBI_CLIENT_CERTIFICATE_FILE: não foi possível ler /nowhere.pem.',
    ],
    [
      'POWERBI_CLIENT_CERTIFICATE_FILE',
      'package.json',
      'falha  POWERBI_CLIENT_CERTIFICATE: não é um certificado PEM com a sua chave privada; o caminho de um arquivo vai no mesmo nome com _FILE.',
    ],
    [
      'DATABASE_URL',
      'postgres://db/patio?sslrootcert=/nowhere.pem',
      'falha  DATABASE_URL: o arquivo de sslrootcert não existe ou não está em formato PEM.',
    ],
    [
      'TRUSTED_PROXIES',
      '0.0.0.0/0',
      'falha  TRUSTED_PROXIES: use endereços IP e faixas como 10.0.0.0/8, sem nomes nem /0.',
    ],
    [
      'TRUSTED_PROXIES',
      'proxy.internal',
      'falha  TRUSTED_PROXIES: use endereços IP e faixas como 10.0.0.0/8, sem nomes nem /0.',
    ],
    [
      'SESSION_SECRET',
      'short',
      'falha  SESSION_SECRET: use pelo menos 32 caracteres aleatórios em cada segredo.',
    ],
    [
      'DATABSE_URL',
      'postgres://db/patio',
      'aviso  DATABSE_URL: o portal não lê este nome; talvez seja DATABASE_URL.',
    ],
    [
      'PATIO_DOMAIN',
      'example.com',
      'aviso  PATIO_DOMAIN: o portal não lê este nome; docs/settings.md tem todos os que lê.',
    ],
  ])('%s=%s', async (name, value, line) => {
    const findings = await runDoctor({ ...REAL, ...INVALID_PORT, [name]: value }, {})
    const lines = formatLines(findings.filter(({ says }) => !says.startsWith('PORT:')))
    // A file without a certificate is also world-readable.
    expect(lines).toHaveLength(value === 'package.json' ? 2 : 1)
    expect(lines[0]).toBe(`${line} → Corrija a configuração; docs/settings.md explica cada nome.`)
  })

  test('lists every setting with its origin, secrets without their value', async () => {
    const findings = await runDoctor({ ...REAL, ...INVALID_PORT, GROUP_NAME_FILE: 'package.json' }, {})
    const output = formatFindings(findings, { isAll: true })
    expect(output).toContain('SESSION_SECRET: do ambiente.')
    expect(output).toContain('GROUP_NAME: do arquivo')
    expect(output).toContain('POWERBI_CLOUD: padrão (public).')
    expect(output).not.toContain('c4nary')
  })

  test.each([
    ['logo.png', 'not a picture', false],
    ['logo.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), true],
    ['logo.svg', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', true],
    ['logo', '<svg/>', false],
  ])('BRAND_LOGO %s of %j is a picture: %s', async (name, content, isPicture) => {
    const folder = mkdtempSync(join(tmpdir(), 'patio-logo-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, name)
    writeFileSync(file, content)
    const findings = await runDoctor({ ...REAL, ...INVALID_PORT, BRAND_LOGO: file }, {})
    const line = 'aviso  BRAND_LOGO: o arquivo não é uma imagem SVG (com nome .svg), PNG, JPEG, WebP ou AVIF.'
    expect(formatFindings(findings).includes(line)).toBe(!isPicture)
  })

  test('folds the settings that are not set, but for scripts', async () => {
    const findings = await runDoctor({ ...REAL, ...INVALID_PORT }, {})
    const output = formatFindings(findings)
    expect(output).toContain('SESSION_SECRET: do ambiente.')
    expect(output).not.toMatch(/: (padrão|não definida)/)
    expect(output).toMatch(/^ok {5}\d\d configurações não definidas ou padrão; --all as mostra\.$/m)
    expect(formatFindings(findings, { isJson: true })).toContain('"POWERBI_CLOUD: padrão (public)."')
  })

  test('says a remedy once', () => {
    const [one, other] = ['Um', 'Outro'].map((says) => ({
      check: says,
      grade: 'fault' as const,
      says,
      todo: 'Mude.',
    }))
    expect(formatFindings([one, other] as Finding[])).toBe('falha  Um → Mude.\nfalha  Outro → Como acima.\n')
  })
})

describe('a broken service gets its line', () => {
  const database = (url: string) => listServerChecks(toConfig({ DATABASE_URL: url }))
  const [mail] = [
    (url: string) => listMailChecks(toConfig({ SMTP_URL: url }), { dnsServers: ['127.0.0.1:1'] }),
  ]
  const address = (publicUrl: string) => listAddressChecks({ publicUrl, token: 'doctor' })

  test('with closed ports', async () => {
    const port = await findFreePort()
    const refused =
      'ninguém atende nesse endereço e porta. → Inicie o serviço, ou confira o endereço e a porta.'
    expect(await runLines(...database(`postgres://a:b@127.0.0.1:${port}/x`))).toEqual([
      `falha  Banco de dados em 127.0.0.1:${port}: ${refused}`,
    ])
    expect((await runLines(...mail(`smtp://127.0.0.1:${port}`)))[0]).toBe(
      `falha  Servidor de e-mail 127.0.0.1:${port}: ${refused}`,
    )
    expect((await runLines(...address(`https://127.0.0.1:${port}`))).slice(0, 2)).toEqual([
      `falha  PUBLIC_URL (https://127.0.0.1:${port}): ${refused}`,
      `falha  TLS de 127.0.0.1:${port}: ninguém atende nesse endereço e porta. → Como acima.`,
    ])
  })

  test('with unresponsive ports, concurrently, and with a check that never ends', async () => {
    const port = await startSilentServer()
    const never = { name: 'never', about: 'Nunca', timeoutMs: 50, run: () => new Promise<never>(() => {}) }
    const isBusy = {
      ...never,
      run: () => Promise.reject(new Error('timeout exceeded when trying to connect')),
    }
    const services = runLines(
      ...database(`postgres://a:b@127.0.0.1:${port}/x`),
      ...mail(`smtp://127.0.0.1:${port}`).slice(0, 1),
    )
    const portals = runLines(...address(`http://127.0.0.1:${port}`).slice(0, 1), never, isBusy)
    const lines = (await Promise.all([services, portals])).flat()
    const silent = 'não há resposta desse endereço. → Confira o endereço, a porta e o firewall'
    expect(lines).toEqual([
      expect.stringContaining(`falha  Banco de dados em 127.0.0.1:${port}: ${silent}`),
      `falha  Servidor de e-mail 127.0.0.1:${port}: não há resposta desse endereço. → Como acima.`,
      expect.stringContaining(`falha  PUBLIC_URL (http://127.0.0.1:${port}): ${silent}`),
      expect.stringContaining('falha  Nunca: sem resposta em 0.05 s.'),
      expect.stringContaining('falha  Nunca: a resposta demorou demais. → Rode de novo daqui a pouco'),
    ])
  }, 30_000)

  test('with an untrusted certificate', async () => {
    const { folder, certificate, key } = createCertificate()
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const files = { cert: readFileSync(certificate), key: readFileSync(key) }
    const port = await startServer(createHttpsServer(files, (_, reply) => void reply.end('{}')))
    const unknown = 'o certificado não é de uma autoridade conhecida'
    const [reach, tls] = await runLines(...address(`https://127.0.0.1:${port}`))
    expect(reach).toContain(`falha  PUBLIC_URL (https://127.0.0.1:${port}): ${unknown}`)
    expect(tls).toContain(`falha  TLS de 127.0.0.1:${port}: ${unknown}`)
    expect((await runLines(...mail(`smtps://127.0.0.1:${port}`)))[0]).toContain(unknown)
  })

  test('with another server, a redirect, or a proxy without a portal', async () => {
    const answer = { status: 200 }
    const server = createHttpServer((_, reply) =>
      reply.writeHead(answer.status, { location: 'https://www.example.com/x' }).end('nginx'),
    )
    const url = `http://127.0.0.1:${await startServer(server)}`
    const expected = {
      200: 'quem atende lá não é o portal',
      301: 'redireciona para https://www.example.com.',
      502: 'não chega ao portal (502)',
    }
    for (const [status, says] of Object.entries(expected)) {
      answer.status = Number(status)
      expect((await runLines(...address(url)))[0]).toContain(says)
    }
  })

  test('with a mail server that accepts the test mail, and one that refuses it', async () => {
    const inbox = await startSmtpInbox()
    onTestFinished(inbox.stop)
    const checks = listMailChecks(toConfig({ SMTP_URL: inbox.url }), {
      mailTo: 'ti@example.com',
      dnsServers: ['127.0.0.1:1'],
    })
    const lines = await runLines(...checks)
    expect(lines.slice(0, 2)).toEqual([
      expect.stringContaining('atende e aceita o portal'),
      expect.stringContaining('ok     E-mail de teste: o servidor aceitou'),
    ])
    expect(lines.slice(2)).toEqual(
      ['SPF', 'DKIM', 'DMARC'].map((kind) =>
        expect.stringContaining(`aviso  ${kind} de example.com: o DNS não respondeu.`),
      ),
    )
    expect(inbox.mails).toEqual([expect.objectContaining({ to: ['ti@example.com'] })])
    const refusing = await startSmtpInbox({
      answers: { END: '554 5.2.252 SendAsDenied; ti@example.com not allowed to send as portal@example.com' },
    })
    onTestFinished(refusing.stop)
    const refused = listMailChecks(toConfig({ SMTP_URL: refusing.url }), {
      mailTo: 'ti@example.com',
      dnsServers: ['127.0.0.1:1'],
    })
    expect((await runLines(...refused))[1]).toBe(
      'falha  E-mail de teste: o servidor não aceitou o remetente ou a conta do portal (“554 5.2.252 SendAsDenied; ***@example.com not allowed to send as ***@example.com”). → Confira MAIL_FROM, e o usuário, a senha e o TLS de SMTP_URL; a conta precisa poder enviar como esse remetente.',
    )
  })

  test('with a full or missing backup folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patio-backups-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    expect(await runLines(createFolderCheck(folder))).toEqual([expect.stringMatching(/^aviso .*nenhuma/)])
    writeFileSync(join(folder, 'killed.backup.part'), '')
    expect(await runLines(createFolderCheck(folder))).toEqual([expect.stringMatching(/^aviso .*nenhuma/)])
    writeFileSync(join(folder, 'a.backup'), '')
    expect(await runLines(createFolderCheck(folder), createDiskCheck(folder))).toEqual([
      expect.stringMatching(/^ok .* 0 h/),
      expect.stringMatching(/Disco em .* GiB livres/),
    ])
    expect((await runLines(createFolderCheck('/nowhere')))[0]).toMatch(/^falha .*não existe/)
  })

  test('with a data directory that cannot be entered', async () => {
    const parent = mkdtempSync('/tmp/patio-data-')
    onTestFinished(() => rmSync(parent, { recursive: true }))
    chmodSync(parent, 0o700)
    const dataDir = join(parent, 'data')
    mkdirSync(dataDir)
    const { DATABASE_URL: _, ...embedded } = { ...REAL, DATA_DIR: dataDir, PUBLIC_URL: 'https://127.0.0.1:9' }
    // Root enters everything.
    const isRoot = process.getuid?.() === 0
    if (isRoot) process.seteuid?.(findServerUser().uid)
    else chmodSync(parent, 0o000)
    const findings = await runDoctor(embedded, {}).finally(() => {
      if (isRoot) process.seteuid?.(0)
      else chmodSync(parent, 0o700)
    })
    const found = findings.filter(({ check }) => /^(disk|database)$/.test(check))
    expect(formatFindings(found)).toMatch(
      /^falha {2}DATA_DIR \(.*\): este usuário não tem acesso a esse caminho\. → Confira o dono e os direitos.*\n$/,
    )
    expect((await runLines(createDiskCheck(dataDir, false)))[0]).toMatch(/^ok|^aviso/)
  })
})

describe('the culprit is named', () => {
  const list = (environment: Record<string, string>, resolve?: (name: string) => Promise<unknown>) => {
    const config = toConfig(environment)
    const powerBi = createPowerBi({
      directory: config.powerBi,
      ...config.powerBi,
      log: createLog('silent'),
      countCall: () => {},
      clock: Date.now,
    })
    return [
      ...listNetworkChecks(environment, config, resolve),
      ...listPortalChecks({
        config,
        environment,
        keyring: createKeyring([REAL.SESSION_SECRET]),
        db: undefined,
        powerBi,
      }).filter(({ name }) => !/^(dns|corporate-proxy)$/.test(name)),
    ]
  }
  const runFaults = async (checks: Check[]) =>
    formatLines(await runChecks(checks.filter(({ name }) => !/^(mail|settings|disk)/.test(name))))

  test('when the corporate proxy does not respond', async () => {
    const port = await findFreePort()
    const environment = {
      HTTPS_PROXY: `http://ana:c4nary@127.0.0.1:${port}`,
      DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x',
    }
    const stop = useCorporateProxy(environment)
    onTestFinished(() => stop?.())
    const checks = list(environment).filter(({ name }) => name !== 'database' && name !== 'address-tls')
    const lines = await runFaults(checks.filter(({ name }) => name !== 'dns'))
    const blamed = `por causa disto: HTTPS_PROXY (127.0.0.1:${port}).`
    expect(lines).toEqual([
      `falha  HTTPS_PROXY (127.0.0.1:${port}): ninguém atende nesse endereço e porta. → Inicie o serviço, ou confira o endereço e a porta.`,
      expect.stringContaining(`aviso  PUBLIC_URL (https://portal.example.com): não verificado, ${blamed}`),
      expect.stringContaining(`aviso  Proxy: não verificado, ${blamed}`),
      expect.stringContaining(`aviso  Avisos ao vivo: não verificado, ${blamed}`),
      expect.stringContaining(`aviso  Power BI: não verificado, ${blamed}`),
    ])
  })

  test('when the database does not respond, and neither does the portal', async () => {
    const [port, closed] = [await findFreePort(), await findFreePort()]
    const environment = { DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/x` }
    const local = { ...environment, PUBLIC_URL: `http://127.0.0.1:${closed}` }
    const lines = await runFaults(list(local).filter(({ name }) => !/^(power-bi|dns)/.test(name)))
    expect(lines).toEqual([
      expect.stringMatching(/^falha {2}Banco de dados em .*ninguém atende/),
      expect.stringMatching(/^aviso {2}PUBLIC_URL .*não verificado, por causa disto: Banco de dados\. →/),
      expect.stringMatching(/^aviso {2}Proxy: não verificado/),
      expect.stringMatching(/^aviso {2}Avisos ao vivo: não verificado/),
    ])
  })

  test('when the DNS does not respond, and not when one name is unknown', async () => {
    const fail = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
    const lines = await runFaults(list({}, () => fail('EAI_AGAIN')))
    expect(lines.filter((line) => line.startsWith('falha'))).toEqual([
      'falha  DNS: esta máquina não encontra nenhum nome (portal.example.com, mail.example.com, db.example.com, login.microsoftonline.com, api.powerbi.com). → Confira o servidor de DNS desta máquina (/etc/resolv.conf) e o caminho até ele.',
    ])
    for (const about of ['Banco de dados', 'PUBLIC_URL (https://portal.example.com)', 'Power BI'])
      expect(lines.join('\n')).toContain(`aviso  ${about}: não verificado, por causa disto: DNS.`)

    const resolve = async (name: string) => (name.startsWith('db.') ? fail('ENOTFOUND') : undefined)
    const known = await runFaults(list({}, resolve))
    expect(known.join('\n')).not.toContain('DNS: esta máquina')
    // A proxy resolves the names of the internet itself.
    const proxied = { HTTPS_PROXY: 'http://proxy.example.com:3128', ...REAL, SMTP_URL: 'smtp://127.0.0.1:9' }
    const dns = list(proxied, () => fail('EAI_AGAIN')).filter(({ name }) => name === 'dns')
    expect((await runFaults(dns))[0]).toContain('(proxy.example.com, db.example.com)')
  })

  test('when a portal is stopping', async () => {
    const problem = JSON.stringify({ status: 503, code: 'shutting-down' })
    const server = createHttpServer((_, reply) => reply.writeHead(503).end(problem))
    const publicUrl = `http://127.0.0.1:${await startServer(server)}`
    expect((await runLines(...listAddressChecks({ publicUrl, token: 'doctor' })))[0]).toMatch(
      /^aviso {2}PUBLIC_URL: o portal que atende está sendo encerrado\./,
    )
  })
})

describeOnEachDatabase('the contents of the database', (kind) => {
  const look = async (database: Database, names: RegExp) =>
    formatLines(
      await runChecks(
        listDatabaseChecks({ db: database.db, keyring: createKeyring(['k']) }, toConfig({})).filter(
          ({ name }) => names.test(name),
        ),
      ),
    )

  test('name missing tables once, and the right remedy', async () => {
    const database = await openFreshDatabase(kind)
    onTestFinished(() => database.close())
    await sql`drop table mail_outbox`.execute(database.db)
    expect(await look(database, /migrations|outbox/)).toEqual([
      expect.stringMatching(
        /^falha {2}Migrações: rodaram todas, mas falta no banco: mail_outbox\. → Restaure/,
      ),
      expect.stringMatching(/^aviso {2}Fila de e-mails: não verificado, por causa disto: Migrações\./),
    ])
  })

  test('ask for an address of the seals, unless they leave otherwise', async () => {
    const database = await openFreshDatabase(kind)
    onTestFinished(() => database.close())
    const lookAt = async (environment: Record<string, string>) => {
      const services = { db: database.db, keyring: createKeyring(['k']) }
      const checks = listDatabaseChecks(services, toConfig(environment))
      return runLines(...checks.filter(({ name }) => name === 'trail-outside'))
    }
    expect(await lookAt({})).toEqual([expect.stringMatching(/^aviso .* → Defina AUDIT_HASH_MAIL /)])
    expect(await lookAt({ AUDIT_HASH_MAIL: 'selos@example.com' })).toEqual([expect.stringMatching(/^ok /)])
  })

  test('blame pending migrations for columns that do not exist yet', async () => {
    const database = await openFreshDatabase(kind)
    onTestFinished(() => database.close())
    await sql`delete from schema_migrations where name = (select max(name) from schema_migrations)`.execute(
      database.db,
    )
    await sql`alter table mail_outbox rename due_at to renamed_at`.execute(database.db)
    expect(await look(database, /migrations|outbox/)).toEqual([
      expect.stringMatching(/^aviso {2}Migrações: faltam 1 /),
      expect.stringMatching(/^aviso {2}Fila de e-mails: não verificado, por causa disto: Migrações\./),
    ])
  })
})

describe.skipIf(!process.env.TEST_DATABASE_URL)('a real PostgreSQL', () => {
  test('has no fault when it answers as late as on a busy machine', async () => {
    const database = await openFreshDatabase('server')
    onTestFinished(() => database.close())
    const url = new URL(await getDatabaseUrl(database))
    const { port, hostname } = url
    const relay = createServer((client) => {
      const server = connect(Number(port || 5432), hostname)
      const delay = (to: typeof client) => (bytes: Buffer) => void setTimeout(() => to.write(bytes), 700)
      client.on('data', delay(server)).on('close', () => server.destroy())
      server.on('data', delay(client)).on('close', () => client.destroy())
      for (const socket of [client, server]) socket.on('error', () => {})
    })
    url.host = `127.0.0.1:${await startServer(relay)}`
    const findings = await runDoctor(
      { ...REAL, PUBLIC_URL: 'https://127.0.0.1:9', DATABASE_URL: url.href },
      {},
    )
    const graded = findings.flatMap(({ check, grade }) =>
      /^(database|migrations|outbox|session-secret)$/.test(check) ? [`${check}: ${grade}`] : [],
    )
    expect(graded, formatFindings(findings)).toEqual([
      'database: good',
      'migrations: good',
      'session-secret: good',
      'outbox: good',
    ])
  }, 60_000)

  const runSql = async (url: string, ...statements: string[]) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  const look = (environment: Record<string, string>) => runLines(...listServerChecks(toConfig(environment)))

  test('gets a line for a read-only server, a wrong password, and trusted or untrusted TLS', async () => {
    const server = await startTemporaryPostgres()
    if (!server) throw new Error('a server to test on, and no programs of one')
    onTestFinished(server.stop)
    const { host } = new URL(server.url)
    expect(await look({ DATABASE_URL: server.url })).toEqual([
      expect.stringMatching(
        `^ok {5}Banco de dados em ${host}: PostgreSQL \\d+, nesta máquina, aceita escrita\\.$`,
      ),
    ])
    const wrong = new URL(server.url)
    wrong.password = 'wrong'
    expect((await look({ DATABASE_URL: wrong.href }))[0]).toContain('usuário ou senha recusados')
    wrong.href = server.url.replace(/postgres$/, 'nowhere')
    expect((await look({ DATABASE_URL: wrong.href }))[0]).toContain('o banco de dados não existe')
    expect((await look({ DATABASE_URL: `${server.url}?sslmode=verify-full` }))[0]).toContain('não fala TLS')

    // The default of a machine without a locale.
    await runSql(server.url, "create database ascii encoding 'SQL_ASCII' locale 'C' template template0")
    const ascii = { DATABASE_URL: server.url.replace(/postgres$/, 'ascii') }
    expect((await look(ascii))[0]).toMatch(/^falha .*a codificação do banco não é UTF8/)
    await expect(openServer({ url: ascii.DATABASE_URL, onConnectionError: () => {} })).rejects.toThrow('UTF8')

    const { folder, certificate, key } = createCertificate()
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const owner = findServerUser()
    if (process.getuid?.() === 0) chownSync(key, owner.uid, owner.gid)
    chmodSync(key, 0o600)
    await runSql(
      server.url,
      `alter system set ssl_cert_file = '${certificate}'`,
      `alter system set ssl_key_file = '${key}'`,
      'alter system set ssl = on',
      'select pg_reload_conf()',
    )
    const trusted = `${server.url}?sslmode=verify-full&sslrootcert=${certificate}`
    await expect
      .poll(() => look({ DATABASE_URL: trusted }), { timeout: 15_000 })
      .toEqual([expect.stringContaining(', com TLS, aceita')])
    expect((await look({ DATABASE_URL: `${server.url}?sslmode=verify-full` }))[0]).toContain(
      'o certificado não é de uma autoridade conhecida',
    )
    await runSql(server.url, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()')
    await expect
      .poll(() => look({ DATABASE_URL: server.url }), { timeout: 15_000 })
      .toEqual([expect.stringMatching(/^falha .*só aceita leitura\. → Aponte/)])
  }, 60_000)

  test.skipIf(!findPgBouncer())('gets a line for PgBouncer', async () => {
    const bouncer = await startPgBouncer(process.env.TEST_DATABASE_URL as string)
    onTestFinished(bouncer.stop)
    expect((await look({ DATABASE_URL: bouncer.url }))[0]).toMatch(/^aviso .*pooler.*DATABASE_DIRECT_URL/)
    const both = { DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: process.env.TEST_DATABASE_URL as string }
    expect((await look(both))[0]).toMatch(/^ok .*com pooler\.$/)
  })
})

describe('a running portal', () => {
  const portal = setUpPortal({ kind: 'embedded' })

  test('is reachable, sees the client IP, streams without delay, and checks the token', async () => {
    const token = signDoctorToken(portal.keyring)
    const lines = await runLines(...listAddressChecks({ publicUrl: portal.url, token, quietSeconds: 0 }))
    expect(lines.map((line) => line.slice(0, 6))).toEqual(['ok    ', 'ok    ', 'ok    '])
    const [until] = /\d+/.exec(token) as RegExpExecArray
    for (const forged of ['x', token.replace(until as string, String(Number(until) + 1)), `${token}x`])
      expect(
        (await runLines(...listAddressChecks({ publicUrl: portal.url, token: forged, quietSeconds: 0 })))[1],
      ).toMatch(/^aviso .*não nos reconhece/)
  })

  test('gets a line for a proxy that is untrusted, trusts every client, or buffers streams', async () => {
    const token = signDoctorToken(portal.keyring)
    /** Buffers whole replies. */
    const proxy = createHttpServer(async (request, reply) => {
      const headers = { ...request.headers, 'x-forwarded-for': '192.0.2.77' } as unknown as Record<
        string,
        string
      >
      const answer = await fetch(portal.url + request.url, { headers })
      reply.writeHead(answer.status).end(await answer.text())
    })
    const port = await startServer(proxy)
    // A host name that the check does not consider local.
    const lines = await runLines(
      ...listAddressChecks({
        publicUrl: `http://127.1:${port}`.replace('127.1', '[::ffff:127.0.0.1]'),
        token,
      }),
    )
    expect(lines[1]).toMatch(
      /^falha .*o portal vê todos como 127\.0\.0\.1.*Ponha 127\.0\.0\.1 em TRUSTED_PROXIES/,
    )
    expect(lines[2]).toMatch(/^aviso .*o proxy os junta/)
  })

  test('gets a line for a proxy that ends quiet streams, and none for a patient one', async () => {
    const token = signDoctorToken(portal.keyring)
    const { port } = new URL(portal.url)
    let quietMs = 1_500
    const relay = createServer((client) => {
      const server = connect(Number(port), '127.0.0.1')
      const cut = () => client.destroy()
      server
        .setTimeout(quietMs, cut)
        .on('data', (bytes) => client.write(bytes))
        .on('close', cut)
      client.on('data', (bytes) => server.write(bytes)).on('close', () => server.destroy())
      for (const socket of [client, server]) socket.on('error', () => {})
    })
    const publicUrl = `http://127.0.0.1:${await startServer(relay)}`
    const look = async (quietSeconds?: number) => {
      const checks = listAddressChecks({ publicUrl, token, isSelf: !quietSeconds, quietSeconds })
      return (await runLines(...checks))[2]
    }
    expect(await look(3)).toMatch(/^aviso .*o proxy encerra uma conexão que fica 3 s sem dados/)
    expect(await look()).toMatch(/^ok /)
    quietMs = 20_000
    expect(await look(3)).toMatch(/^ok /)
  })

  test('gets a line on the replica that lacks the key of recent sessions', async () => {
    const { db } = portal.database
    const look = (...secrets: [string, ...string[]]) =>
      runLines(
        ...listDatabaseChecks({ db, keyring: createKeyring(secrets) }, toConfig({})).filter(
          ({ name }) => name === 'session-secret',
        ),
      )
    const [old, fresh] = ['o'.repeat(32), 'n'.repeat(32)]
    const person = await addPerson(portal)
    await openTestSession({ ...portal, keyring: createKeyring([fresh, old]) }, person)
    expect(await look(old)).toEqual([
      expect.stringMatching(/^falha {2}SESSION_SECRET: falta a esta réplica a chave .* 1 sessão/),
    ])
    expect(await look(old, fresh)).toEqual([expect.stringMatching(/^ok {5}SESSION_SECRET/)])
    // After a leak the old key is gone on purpose.
    await db
      .updateTable('sessions')
      .set({ refreshed_at: new Date(Date.now() - 600_000) })
      .execute()
    expect(await look(old)).toEqual([expect.stringMatching(/^ok /)])
  })

  test('tests every report, as the screen does', async () => {
    const powerBi = createPowerBi({
      directory: {
        tenantId: 'x',
        clientId: 'x',
        clientSecret: 'x',
        tokenEndpoint: `${portal.emulatorUrl}/nowhere`,
      },
      apiBase: `${portal.emulatorUrl}/api`,
      tokenMinutes: 30,
      allowWithoutRls: false,
      log: createLog('silent'),
      countCall: () => {},
      clock: Date.now,
    })
    expect(await runLines(...listPowerBiChecks(toConfig({}), powerBi, portal.database.db))).toEqual([
      expect.stringMatching(/^falha {2}Power BI: /),
      expect.stringMatching(/^ok {4,}Power BI: o segredo vale/),
      expect.stringMatching(/^aviso {2}Relatórios: nenhuma área tem um/),
    ])
    await configureReports(portal, 'Vendas', 'Oficina')
    const findings = await runChecks(listPowerBiChecks(toConfig({}), powerBi, portal.database.db))
    expect(formatLines(findings)).toEqual([
      expect.stringMatching(/^falha {2}Power BI: O Microsoft Entra recusou/),
      expect.stringMatching(/^falha {2}Relatórios de Vendas e Oficina: O Microsoft Entra recusou/),
    ])
    expect(
      formatFindings(findings, { isJson: true }).match(/"says":"Relatório de (Vendas|Oficina): O Micro/g),
    ).toHaveLength(2)
  })
})

test.each([
  ['2099-12-31', 'good', /vale por mais \d+ dias/],
  [new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10), 'warning', /vence em (19|20) dias/],
  ['2020-01-01', 'fault', /o segredo venceu/],
  ['', 'warning', /não sabe quando o segredo vence/],
])('the end of the Power BI secret, %s, is %s', async (day, grade, says) => {
  const config = toConfig({ POWERBI_SECRET_ENDS: day })
  const [end] = listPowerBiChecks(config, {} as PowerBi, undefined).filter(
    ({ name }) => name === 'power-bi-secret',
  )
  expect(await runChecks(end ? [end] : [])).toMatchObject([
    {
      grade,
      says: expect.stringMatching(says),
      ...(grade !== 'good' && { todo: expect.stringContaining('POWERBI_SECRET_ENDS') }),
    },
  ])
})

const DOCTOR = fileURLToPath(new URL('../doctor.ts', import.meta.url))

test('the command exits with the documented codes, and prints JSON on request', async () => {
  const run = async (args: string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, [DOCTOR, ...args], { env: { ...BARE_ENVIRONMENT, ...env } })
    const [output] = await Promise.all([
      text(child.stdout),
      new Promise((resolve) => child.once('close', resolve)),
    ])
    return { code: child.exitCode, output }
  }
  const wrong = await run(['--json'], { LOG_LEVEL: 'loud' })
  expect(wrong.code).toBe(2)
  expect(JSON.parse(wrong.output.split('\n')[0] as string)).toMatchObject({
    check: 'settings',
    grade: 'fault',
  })
  expect((await run(['--jsn'], {})).code).toBe(3)
  expect(
    [[], ['good'], ['good', 'warning'], ['warning', 'fault']].map((grades) =>
      getExitCode(grades.map((grade) => ({ grade }) as Finding)),
    ),
  ).toEqual([0, 0, 1, 2])
})
