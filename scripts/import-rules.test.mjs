import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Imports that biome.json refuses, by the path of the importing file. */
const REFUSED = {
  'src/contract/x.ts': ['zod', '#server/log.ts', '#web/http/api.ts', 'kysely'],
  'src/emulators/power-bi/x.ts': ['#server/log.ts', '#web/http/api.ts', 'hono', '../mailbox/mailbox.ts'],
  'src/server/x.ts': [
    '#emulators/mailbox/mailbox.ts',
    '#web/http/api.ts',
    '#server/testing/builders.ts',
    'hono',
  ],
  'src/server/http/x.ts': [
    '#server/users/user-queries.ts',
    '#server/operations/audit.ts',
    '#server/mail/mails.ts',
    '#server/config.ts',
    '../config.ts',
  ],
  'src/server/database/x.ts': [
    '#server/config.ts',
    '#server/http/context.ts',
    '#server/users/user-queries.ts',
  ],
  'src/server/mail/x.ts': ['#server/accounts/mails.ts', '#server/power-bi/power-bi.ts', 'hono'],
  'src/server/power-bi/x.ts': [
    '#server/operations/metrics.ts',
    '#server/http/implement.ts',
    '#server/database/schema.ts',
    '#server/reports/embed-token.ts',
  ],
  'src/server/users/x.ts': [
    '#server/accounts/session-handlers.ts',
    '#server/operations/metrics.ts',
    '#server/demo/seed.ts',
    '#server/testing/builders.ts',
    '#server/app.ts',
    '#emulators/mailbox/mailbox.ts',
    '#web/users/user-view.ts',
    'hono',
    'hono/factory',
    '@hono/node-server',
  ],
  'src/server/operations/x.ts': ['#server/users/user-handlers.ts', '#server/config.ts', '#scripts/start.mjs'],
  'src/server/demo/x.ts': ['hono', '#server/testing/builders.ts', '#web/http/api.ts'],
  'src/server/testing/x.ts': ['#web/http/api.ts'],
  'src/web/app/x.ts': ['#server/log.ts', '#emulators/mailbox/mailbox.ts', 'node:fs'],
  'src/web/users/x.tsx': ['#web/reports/report-page.tsx', '#web/app/routes.tsx', '#server/log.ts'],
  'src/web/human-check/x.ts': ['#web/accounts/login-page.tsx', '#web/app/routes.tsx'],
  'src/web/session/x.ts': ['#web/users/user-view.ts', '#web/app/routes.tsx'],
  'src/web/http/x.ts': ['#web/ui/button.tsx', '#web/users/user-view.ts'],
  'src/web/ui/x.tsx': ['#web/session/session.ts', '#web/users/user-view.ts', '#server/log.ts'],
}

/** Imports that the same files may have, to detect a rule that refuses everything. */
const ALLOWED = {
  'src/contract/x.ts': ['zod/mini', './route.ts'],
  'src/emulators/power-bi/x.ts': ['#contract/catalogue.ts', './emulator.ts'],
  'src/server/http/x.ts': [
    'hono',
    '#contract/route.ts',
    '#server/cache.ts',
    '#server/database/schema.ts',
    '#server/log.ts',
  ],
  'src/server/power-bi/x.ts': ['#server/http/problem-error.ts', '#contract/report-settings.ts'],
  'src/server/users/x.ts': [
    '#contract/users.ts',
    '#server/http/context.ts',
    '#server/operations/audit.ts',
    '#server/mail/mails.ts',
    '#server/accounts/check-session.ts',
    'kysely',
  ],
  'src/server/demo/x.ts': ['#emulators/mailbox/mailbox.ts'],
  'src/server/testing/x.ts': ['#emulators/mailbox/mailbox.ts', '@hono/node-server'],
  'src/web/users/x.tsx': ['#contract/users.ts', '#web/ui/button.tsx', '#web/session/session.ts', 'react'],
}

/** @type {string} */
let folder
/** The refused imports by file. @type {Map<string, string[]>} */
const refused = new Map()

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-rules-'))
  const { vcs: _, ...rules } = JSON.parse(readFileSync('biome.json', 'utf8'))
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(rules))
  const files = [...Object.entries(REFUSED), ...Object.entries(ALLOWED).map(toAllowed)]
  for (const [file, imports] of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), imports.map((name) => `import '${name}'\n`).join(''))
  }
  const options = ['--only=style/noRestrictedImports', '--reporter=github', '--max-diagnostics=none']
  const { stdout } = spawnSync(resolve('node_modules/.bin/biome'), ['lint', ...options, 'src'], {
    cwd: folder,
    encoding: 'utf8',
  })
  for (const [file, imports] of files) {
    const lines = [...stdout.matchAll(/noRestrictedImports,file=([^,]+),line=(\d+)/g)]
      .filter(([, at]) => at?.endsWith(file))
      .map(([, , line]) => Number(line))
    refused.set(
      file,
      imports.filter((_, index) => lines.includes(index + 1)),
    )
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** @param {[string, string[]]} entry */
function toAllowed([file, imports]) {
  return /** @type {const} */ ([file.replace('/x.', '/allowed.'), imports])
}

test.each(Object.entries(REFUSED))('%s must not import from forbidden folders', (file, imports) => {
  expect(refused.get(file)).toEqual(imports)
})

test.each(Object.entries(ALLOWED).map(toAllowed))('%s may import its dependencies', (file) => {
  expect(refused.get(file)).toEqual([])
})
