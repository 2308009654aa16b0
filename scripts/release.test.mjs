import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createCertificate } from '#server/testing/make-certificate.ts'
import { findFreePort, REAL_ENVIRONMENT } from '#server/testing/portal-process.ts'
import { findOnPath } from './find-programs.mjs'
import {
  addPrevious,
  listProductionPackages,
  NODE_SHA256,
  stageRelease,
  writeBillOfMaterials,
} from './release.mjs'
import { pinnedBinary, root } from './run-command.mjs'

const SLOW = 60_000
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
/** @type {string} */
let folder
/** @type {string} */
let release

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patio-release-'))
  release = join(folder, 'patio')
  const nodeBinary = existsSync(pinnedBinary) ? pinnedBinary : process.execPath
  await stageRelease({ arch, version: '9.8.7', folder: release, nodeBinary, isLinked: true })
}, SLOW)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** @param {string[]} args */
const patio = (...args) =>
  spawnSync(join(release, 'bin/patio'), args, { encoding: 'utf8', cwd: '/', env: {} })

test('NODE_SHA256 matches the pinned Node', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  expect(NODE_SHA256.version).toBe(lock.packages['node_modules/node'].version)
})

test('native packages match the target architecture', () => {
  for (const each of /** @type {const} */ (['x64', 'arm64']))
    expect(listProductionPackages(each).flatMap(({ path, isNative }) => (isNative ? [path] : []))).toEqual([
      `node_modules/@node-rs/argon2-linux-${each}-gnu`,
    ])
})

test('the bill of materials lists Node with its checksum and libraries, and each package of the release', {
  timeout: SLOW,
}, async () => {
  const { components, metadata } = await writeBillOfMaterials(arch, '9.8.7', new Date(0))
  /** @type {{ 'bom-ref': string, properties?: { name: string }[] }[]} */
  const all = components
  expect(metadata.component.purl).toBe('pkg:npm/patio@9.8.7')
  expect(new Set(all.map((each) => each['bom-ref'])).size).toBe(all.length)
  expect(all.at(-1)).toMatchObject({
    version: NODE_SHA256.version,
    hashes: [{ alg: 'SHA-256', content: NODE_SHA256[arch] }],
    components: expect.arrayContaining([expect.objectContaining({ name: 'openssl' })]),
  })
  const listed = all
    .filter(({ properties }) => !properties?.some(({ name }) => name === 'cdx:npm:package:development'))
    .map((each) => each['bom-ref'])
  const inRelease = listProductionPackages(arch).map(({ path, version }) => {
    const { name } = JSON.parse(readFileSync(join(release, path, 'package.json'), 'utf8'))
    return `${name}@${version}`
  })
  expect(listed.sort()).toEqual([...inRelease, `node@${NODE_SHA256.version}`].sort())
})

test('a release contains its runtime files, but neither tests nor the demo', () => {
  for (const path of [
    'bin/patio',
    'dist/web/index.html',
    'migrations',
    'deploy/503.html',
    'node_modules/hono',
  ])
    expect(existsSync(join(release, path)), path).toBe(true)
  for (const path of [
    'src/server/testing',
    'src/server/main.test.ts',
    'src/emulators',
    'node_modules/vite',
    'dist/report-page',
  ])
    expect(existsSync(join(release, path)), path).toBe(false)
})

test('the page and files of the previous release are added, without those of its own predecessor', () => {
  const [own = '', previous = ''] = ['own', 'previous'].map((name) => mkdtempSync(join(folder, name)))
  /** @param {string} root @param {Record<string, string>} files */
  const write = (root, files) => {
    mkdirSync(join(root, 'dist/web/assets'), { recursive: true })
    for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text)
  }
  write(own, { 'dist/web/assets/same.js': '', 'dist/web/assets/new.js': '' })
  write(previous, {
    'package.json': '{"version":"9.8.6"}',
    'dist/web/index.html': 'the page',
    'dist/previous.json': '{"files":["oldest.js"]}',
    'dist/web/assets/same.js': '',
    'dist/web/assets/old.js': '',
    'dist/web/assets/oldest.js': '',
  })
  addPrevious(own, previous)
  expect(readdirSync(join(own, 'dist/web/assets')).sort()).toEqual(['new.js', 'old.js', 'same.js'])
  const page = { version: '9.8.6', html: 'the page', files: ['old.js'] }
  expect(JSON.parse(readFileSync(join(own, 'dist/previous.json'), 'utf8'))).toEqual(page)
})

test('commands run under the bundled Node, and unknown ones are rejected', {
  timeout: SLOW,
}, () => {
  expect(patio('--version').stdout).toBe('9.8.7\n')
  const unknown = patio('nada')
  expect(unknown).toMatchObject({ status: 1, stdout: '' })
  expect(unknown.stderr).toMatch(
    /^Comando desconhecido: nada\n[\s\S]+ start [\s\S]+ admin [\s\S]+ backup [\s\S]+ restore /,
  )
  const settings = join(folder, 'settings of ours.env')
  writeFileSync(settings, 'PORT="no port"\n')
  expect(patio(`--env-file=${settings}`, 'admin', 'list').stderr).toContain('PORT: ')
  // Without settings it fails in their validation, in production mode.
  expect(patio('admin', 'list').stderr).toMatch(/^Configuração inválida:\n[\s\S]*SESSION_SECRET/)
})

test('commands trust the authorities of the settings file and of the environment', {
  timeout: SLOW,
}, async () => {
  const [host, own] = [createCertificate(), createCertificate()]
  onTestFinished(() => {
    for (const made of [host, own]) rmSync(made.folder, { recursive: true })
  })
  /** @param {typeof own} made */
  const serve = async ({ certificate, key }) => {
    const files = { cert: readFileSync(certificate), key: readFileSync(key) }
    const server = createServer(files, (_, reply) => reply.end()).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    return /** @type {import('node:net').AddressInfo} */ (server.address()).port
  }
  let count = 0
  /** @param {number | undefined} port @param {string} file @param {NodeJS.ProcessEnv} env */
  const lookAt = async (port, file, env) => {
    const settings = join(folder, `private-${++count}.env`)
    const PUBLIC_URL = `https://127.0.0.1:${port}`
    const all = { ...REAL_ENVIRONMENT, PUBLIC_URL, NODE_EXTRA_CA_CERTS: file, DATA_DIR: folder }
    const lines = Object.entries(all).map(([name, value]) => `${name}="${value}"\n`)
    writeFileSync(settings, lines.join(''))
    const doctor = spawn(join(release, 'bin/patio'), [`--env-file=${settings}`, 'doctor'], { cwd: '/', env })
    return text(doctor.stdout)
  }
  const [ownPort, hostPort] = await Promise.all([own, host].map(serve))
  const env = { NODE_EXTRA_CA_CERTS: host.certificate }
  const [alone, both, ofHost, wrong] = await Promise.all([
    lookAt(ownPort, own.certificate, {}),
    lookAt(ownPort, own.certificate, env),
    lookAt(hostPort, own.certificate, env),
    lookAt(ownPort, own.key, env),
  ])
  for (const trusted of [alone, both, ofHost]) expect(trusted).toMatch(/^ok {5}TLS de 127\.0\.0\.1:\d+: /m)

  const file = `${own.key}, de ${join(folder, 'private-4.env')}`
  expect(wrong).toContain(`falha  NODE_EXTRA_CA_CERTS (${file}): o arquivo não tem nenhum certificado PEM.`)
  const remedy = `acrescente o certificado da autoridade a ${host.certificate} (do ambiente) ou a ${file.replace(', ', ' (')}), de NODE_EXTRA_CA_CERTS.`
  expect(wrong.match(/o certificado não é de uma autoridade conhecida/g)?.length).toBeGreaterThan(1)
  expect(wrong.split(remedy)).toHaveLength(2)
})

test(
  'an unpacked release serves the portal',
  async () => {
    const port = await findFreePort()
    const env = {
      ...REAL_ENVIRONMENT,
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'silent',
    }
    const child = spawn(join(release, 'bin/patio'), ['start'], { cwd: '/', env, stdio: 'ignore' })
    const ended = once(child, 'exit')
    try {
      await expect
        .poll(
          () =>
            fetch(`http://127.0.0.1:${port}/api/health/ready`)
              .then((reply) => reply.json())
              .catch(() => undefined),
          {
            timeout: SLOW,
          },
        )
        .toEqual({ status: 'ok', version: '9.8.7' })
    } finally {
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    }
  },
  SLOW,
)

describe('deployment files', { timeout: SLOW }, () => {
  const places = ['/usr/sbin', '/usr/local/sbin', process.env.PATH ?? ''].join(delimiter)
  /** @param {string} name */
  const find = (name) => findOnPath(name, places) ?? ''

  /** @param {string} name @param {[from: string | RegExp, to: string][]} replacements */
  function adapt(name, replacements) {
    let text = readFileSync(join('deploy', name), 'utf8')
    for (const [from, to] of replacements) text = text.replaceAll(from, to)
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }

  /** @param {string} program @param {string[]} args */
  function accepts(program, ...args) {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
    expect(`${status} ${status === 0 ? '' : stdout + stderr}`).toBe('0 ')
  }

  test('refer to files of the release', () => {
    for (const name of ['patio.service', 'Containerfile', 'compose.yaml']) {
      const paths = readFileSync(join('deploy', name), 'utf8').match(/\/opt\/patio\/bin\/[a-z]+/g) ?? []
      expect(paths.length, name).toBeGreaterThan(0)
      for (const path of paths) accessSync(path.replace('/opt/patio', release), constants.X_OK)
    }
  })

  test('have a firing test for every alert', () => {
    const rules = readFileSync('deploy/alerts.yaml', 'utf8').matchAll(/- alert: (\w+)/g)
    const tests = readFileSync('deploy/alerts.test.yaml', 'utf8')
    for (const [, name] of rules)
      expect(tests).toMatch(new RegExp(`alertname: ${name}\\s+exp_alerts:\\s+- exp_labels`))
  })

  test.skipIf(!find('promtool'))('have alert rules that Prometheus accepts and whose tests pass', () => {
    accepts(find('promtool'), 'check', 'rules', 'deploy/alerts.yaml')
    accepts(find('promtool'), 'test', 'rules', 'deploy/alerts.test.yaml')
  })

  test.skipIf(!find('systemd-analyze'))('have a unit that systemd accepts and rates as sandboxed', () => {
    const unit = adapt('patio.service', [['/opt/patio', release]])
    accepts(find('systemd-analyze'), 'verify', '--man=no', unit)
    // 20 of 100; a service without any sandbox scores 96.
    accepts(find('systemd-analyze'), 'security', '--offline=true', '--threshold=20', unit)
  })

  test.skipIf(!find('caddy'))('have a configuration that Caddy accepts', () => {
    accepts(find('caddy'), 'adapt', '--adapter', 'caddyfile', '--config', 'deploy/Caddyfile')
  })

  test.skipIf(!find('haproxy'))('have a configuration that HAProxy accepts', () => {
    const file = adapt('haproxy.cfg', [
      ['/etc/haproxy/patio-503.html', join(root, 'deploy/503.html')],
      [/ ssl crt \S+ alpn \S+/g, ''],
    ])
    accepts(find('haproxy'), '-c', '-q', '-f', file)
  })

  test.skipIf(!find('nginx'))('have a configuration that nginx accepts', () => {
    const server = adapt('nginx.conf', [
      ['443 ssl http2', '443'],
      [/ssl_certificate\w* .*;/g, ''],
    ])
    const whole = join(folder, 'whole.conf')
    writeFileSync(
      whole,
      `pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${server}; }`,
    )
    accepts(find('nginx'), '-t', '-q', '-c', whole)
  })

  test.skipIf(!find('python3') || spawnSync('python3', ['-c', 'import yaml']).status !== 0)(
    'have a compose.yaml with valid references',
    () => {
      const read = 'import sys, yaml, json; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))'
      const { services, secrets, volumes } = JSON.parse(
        execFileSync('python3', ['-c', read, 'deploy/compose.yaml'], { encoding: 'utf8' }),
      )
      expect(Object.keys(services)).toEqual(['portal-1', 'portal-2', 'postgres', 'caddy'])
      for (const service of Object.values(services))
        for (const secret of service.secrets ?? []) expect(secrets).toHaveProperty(secret)
      expect(volumes).toEqual({ postgres: null, caddy: null })
    },
  )
})
