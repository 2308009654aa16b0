// Sums up what a browser loads for each screen (JS + CSS, gzip -9, KB of 1,024 bytes) from the build's
// manifest and compares it with the budgets. Run after `vite build`; exits 1 above a budget.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const outDir = 'dist/web'
const entry = 'index.html'
const signedIn = 'src/web/app/signed-in-screens.tsx'

/** `roots` always load; `part` of them is also shown separately; `apart` is shown but not counted. */
const screens = [
  {
    path: '/login',
    budgetKb: 145,
    roots: [entry, 'src/web/accounts/login-screen.tsx'],
    apart: ['src/web/human-check/altcha-widget.tsx'],
  },
  {
    path: '/power-bi',
    budgetKb: 200,
    roots: [entry, signedIn, 'src/web/reports/reports-screen.tsx', /powerbi/],
    part: /powerbi/,
    apart: [],
  },
  // Its dialogs preload once the rows are loaded, so they count.
  {
    path: '/admin',
    budgetKb: 250,
    roots: [
      entry,
      signedIn,
      'src/web/app/admin-gate.tsx',
      'src/web/app/admin-screen.tsx',
      'src/web/users/user-dialogs.tsx',
    ],
    apart: [],
  },
]

const manifest = JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8'))

/**
 * Lists the manifest keys that match a name or pattern; fails for a screen without a chunk.
 * @param {string | RegExp} root
 */
function listKeys(root) {
  const keys = Object.keys(manifest).filter((key) => (root instanceof RegExp ? root.test(key) : key === root))
  if (keys.length === 0) throw new Error(`The manifest has no chunk for ${root}`)
  return keys
}

/**
 * Lists the files of a chunk, of its static imports, and of their style sheets.
 * @param {readonly string[]} keys
 * @param {Set<string>} seen
 * @param {Set<string>} files
 */
function listChunkFiles(keys, seen = new Set(), files = new Set()) {
  for (const key of keys) {
    if (seen.has(key)) continue
    seen.add(key)
    const chunk = manifest[key]
    files.add(chunk.file)
    for (const css of chunk.css ?? []) files.add(css)
    listChunkFiles(chunk.imports ?? [], seen, files)
  }
  return files
}

/** @param {Iterable<string>} files */
function sumKb(files) {
  const bytes = [...files]
    .filter((file) => /\.(js|css)$/.test(file))
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(outDir, file)), { level: 9 }).length, 0)
  return bytes / 1024
}

const demoOnly = manifest['src/web/app/style-screen.tsx'].file

const rows = screens.map(({ path, budgetKb, roots, part, apart }) => {
  const files = listChunkFiles(roots.flatMap(listKeys))
  if (files.has(demoOnly)) throw new Error(`${path} loads ${demoOnly}, which is of the demo alone`)
  const extra = [...listChunkFiles(apart.flatMap(listKeys))].filter((file) => !files.has(file))
  const total = sumKb(files)
  return {
    screen: path,
    'KB gzip': total.toFixed(1),
    budget: budgetKb,
    'of which powerbi-client': part ? sumKb([...files].filter((file) => part.test(file))).toFixed(1) : '',
    'apart (human check)': extra.length > 0 ? sumKb(extra).toFixed(1) : '',
    verdict: total <= budgetKb ? 'ok' : 'ABOVE BUDGET',
  }
})
// biome-ignore lint/suspicious/noConsole: a command-line program
console.table(rows)
if (rows.some(({ verdict }) => verdict !== 'ok')) process.exit(1)
