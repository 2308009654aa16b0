import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkSupplyChain, isLicenseAllowed } from './check-supply-chain.mjs'
import { root, runCommand } from './run-command.mjs'

const platform = { os: 'linux', cpu: 'x64', libc: 'glibc' }
/** @type {string} */
let folder
/** @type {{ project: any, locked: any, recorded: any, installed: any }} */
let tree

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patio-supply-'))
  const a = { version: '1.0.0', integrity: 'sha512-a', license: 'MIT' }
  const b = { version: '2.0.0', integrity: 'sha512-b', hasInstallScript: true }
  const native = { version: '1.0.0', integrity: 'sha512-n', optional: true, os: ['darwin'], cpu: ['arm64'] }
  tree = {
    project: { dependencies: { a: '1.0.0', '@s/b': '2.0.0' }, allowScripts: { '@s/b': true } },
    locked: {
      '': { dependencies: { a: '1.0.0', '@s/b': '2.0.0' } },
      'node_modules/a': {
        ...a,
        dependencies: { '@s/b': '^3.0.0' },
        optionalDependencies: { native: '1.0.0' },
      },
      'node_modules/@s/b': b,
      'node_modules/a/node_modules/@s/b': { ...a, version: '3.0.0' },
      'node_modules/native': native,
    },
    recorded: {},
    installed: {
      'node_modules/a': { name: 'a', version: '1.0.0', license: 'MIT' },
      'node_modules/@s/b': {
        name: '@s/b',
        version: '2.0.0',
        license: { type: 'ISC' },
        scripts: { install: 'x' },
      },
      'node_modules/a/node_modules/@s/b': { name: '@s/b', version: '3.0.0', license: '(MIT OR X)' },
    },
  }
  tree.recorded = { ...tree.locked }
})
afterEach(() => rmSync(folder, { recursive: true }))

/** @param {string} file @param {unknown} value */
function write(file, value) {
  mkdirSync(join(folder, file, '..'), { recursive: true })
  writeFileSync(join(folder, file), JSON.stringify(value))
}

function listFaults() {
  write('package.json', tree.project)
  write('package-lock.json', { packages: tree.locked })
  write('node_modules/.package-lock.json', { packages: tree.recorded })
  write('node_modules/.cache/whatever/package.json', { name: 'no package of ours' })
  for (const [path, value] of Object.entries(tree.installed)) write(`${path}/package.json`, value)
  return checkSupplyChain(folder, platform).faults
}

describe('checkSupplyChain', () => {
  test('accepts a tree that matches the lock, without packages for other platforms', () => {
    expect(listFaults()).toEqual([])
  })

  test('reports an extra package at any depth', () => {
    tree.installed['node_modules/a/node_modules/c'] = { name: 'c', version: '1.0.0', license: 'MIT' }
    expect(listFaults()).toEqual(['node_modules/a/node_modules/c: não está em package-lock.json'])
  })

  test('reports a missing package', () => {
    delete tree.installed['node_modules/a/node_modules/@s/b']
    expect(listFaults()).toEqual(['node_modules/a/node_modules/@s/b: falta em node_modules'])
  })

  test.each([
    [
      'node_modules/native',
      'optional, but for this platform',
      { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
    ],
    ['node_modules/native', 'for another platform, but not optional', { optional: false }],
  ])('reports %s as missing: %s', (path, _, values) => {
    Object.assign(tree.locked[path], values)
    expect(listFaults()).toEqual([`${path}: falta em node_modules`])
  })

  test.each([[{ os: ['linux'], cpu: ['x64'], libc: ['musl'] }], [{ os: ['!linux'], cpu: undefined }]])(
    'allows a missing optional package for %o',
    (values) => {
      Object.assign(tree.locked['node_modules/native'], values)
      expect(listFaults()).toEqual([])
    },
  )

  test('allows missing dependencies of a missing package', () => {
    tree.locked['node_modules/native'].dependencies = { helper: '1.0.0' }
    tree.locked['node_modules/helper'] = { version: '1.0.0', integrity: 'sha512-h', optional: true }
    expect(listFaults()).toEqual([])
  })

  test('reports a different version, name or tarball', () => {
    tree.installed['node_modules/a'].version = '1.0.1'
    tree.installed['node_modules/@s/b'].name = 'b'
    tree.project.allowScripts.b = true
    tree.recorded['node_modules/a/node_modules/@s/b'] = { integrity: 'sha512-other' }
    expect(listFaults()).toEqual([
      'node_modules/@s/b: é b@2.0.0, devia ser @s/b@2.0.0',
      'node_modules/a: é a@1.0.1, devia ser a@1.0.0',
      'node_modules/a/node_modules/@s/b: instalado de um arquivo com outra integridade',
    ])
  })

  test('reports lock entries without integrity or from another registry', () => {
    delete tree.locked['node_modules/a'].integrity
    tree.locked['node_modules/a'].resolved = 'git+ssh://git@example.com/a.git'
    expect(listFaults().sort()).toEqual([
      'node_modules/a: não vem de um registro por https',
      'node_modules/a: sem integridade em package-lock.json',
    ])
  })

  test('reports entries without integrity that are not installed, except known ones never built on', () => {
    delete tree.locked['node_modules/native'].integrity
    const { optionalDependencies } = tree.locked['node_modules/a']
    for (const [os, cpu] of /** @type {const} */ ([
      ['darwin', 'x64'],
      ['linux', 'arm64'],
    ])) {
      const name = `@biomejs/cli-${os}-${cpu}`
      tree.locked[`node_modules/${name}`] = { optional: true, os: [os], cpu: [cpu] }
      optionalDependencies[name] = '1.0.0'
    }
    expect(listFaults().sort()).toEqual([
      'node_modules/@biomejs/cli-linux-arm64: sem integridade em package-lock.json',
      'node_modules/native: sem integridade em package-lock.json',
    ])
  })

  test('reports install scripts that are not allowed, npm’s implicit ones included, and unused permissions', () => {
    tree.installed['node_modules/a'].scripts = { postinstall: 'curl' }
    write('node_modules/a/node_modules/@s/b/binding.gyp', {})
    tree.project.allowScripts = { z: true }
    expect(listFaults().sort()).toEqual([
      '@s/b: roda um script de instalação que package.json não permite',
      'a: roda um script de instalação que package.json não permite',
      'z: permissão de script que nada usa',
    ])
  })

  test('reports a version range in package.json and a license that is not allowed', () => {
    tree.project.dependencies.a = '^1.0.0'
    tree.installed['node_modules/a'].license = 'AGPL-3.0-only'
    tree.installed['node_modules/@s/b'].license = undefined
    expect(listFaults().sort()).toEqual([
      'a: package.json pede ^1.0.0, e não uma versão exata',
      'node_modules/@s/b: licença desconhecida fora da lista permitida',
      'node_modules/a: licença AGPL-3.0-only fora da lista permitida',
    ])
  })
})

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['GPL-3.0-only OR MIT AND ISC', true],
  ['MIT AND GPL-3.0-only', false],
  ['(GPL-3.0-only OR MIT) AND ISC', true],
  ['Apache-2.0 WITH LLVM-exception', false],
  ['SEE LICENSE IN LICENSE', false],
  ['UNLICENSED', false],
  ['(MIT', false],
  ['MIT)', false],
  ['', false],
  [undefined, false],
])('isLicenseAllowed for %s: %s', (license, isAllowed) => {
  expect(isLicenseAllowed(license)).toBe(isAllowed)
})

test('npm run sbom lists every locked package in CycloneDX, with its hash if known', async () => {
  const { status } = await runCommand('npm', ['run', 'sbom'], { capture: true })
  expect(status).toBe(0)
  const sbom = JSON.parse(readFileSync(join(root, 'dist', 'sbom.json'), 'utf8'))
  expect(sbom.bomFormat).toBe('CycloneDX')
  // Whatever the folder's name.
  expect(sbom.metadata.component.purl).toMatch(/^pkg:npm\/patio@/)
  const locked = Object.entries(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages)
  const names = locked
    .filter(([path]) => path !== '')
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
  const listed = sbom.components.map((/** @type {any} */ { name, version }) => `${name}@${version}`)
  expect(listed.sort()).toEqual([...new Set(names)].sort())
  const hashed = sbom.components.filter((/** @type {any} */ { hashes }) => hashes?.length > 0)
  expect(hashed.length).toBe(
    new Set(
      locked
        .filter(([, { integrity }]) => integrity)
        .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
    ).size,
  )
}, 30_000)
