// `npm run size [-- FOLDER]`: counts lines of code by folder, without
// comments, blank lines and tests, and words of documents. Formats every
// file at a fixed width first, so that line breaks do not affect the count.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'vite'
import { root } from './run-command.mjs'

const LINE_WIDTH = 110
const PRODUCT = ['src/contract', 'src/server', 'src/web', 'src/emulators']
const OTHERS = ['migrations', 'scripts', 'proof', 'e2e']
const CODE = /\.(ts|tsx|mjs|css|sql)$/
/** Tests of the product and the scripts; browser tests are in e2e, which has its own row. */
const TESTS = /\.test\.\w+$|\/testing\/|\/filled-by-/
const DOCUMENTS = /^(README|CONTRIBUTING|CHANGELOG)\.md$|^docs\/(?!settings\.md)[^/]+\.md$/

const checkout = resolve(process.argv[2] ?? root)
const tracked = execFileSync('git', ['ls-files'], { cwd: checkout, encoding: 'utf8' }).trim().split('\n')

/**
 * @param {string} file
 * @param {string} source
 * @returns {string} the source without its comments
 */
function stripComments(file, source) {
  if (file.endsWith('.sql')) return source.replace(/^\s*--.*$/gm, '')
  if (file.endsWith('.css')) return source.replace(/\/\*[\s\S]*?\*\//g, '')
  let stripped = ''
  let from = 0
  for (const { start, end } of parseSync(file, source).comments) {
    // A comment between JSX elements includes its braces.
    const braces = source[start - 1] === '{' && source[end] === '}' ? 1 : 0
    stripped += source.slice(from, start - braces)
    from = end + braces
  }
  return stripped + source.slice(from)
}

/** @param {string} text */
const countLines = (text) => text.split('\n').filter((line) => line.trim()).length

/**
 * @param {readonly string[]} files
 * @returns {Map<string, number>} lines of code by file
 */
function countCode(files) {
  const folder = mkdtempSync(join(tmpdir(), 'size-'))
  try {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), stripComments(file, readFileSync(join(checkout, file), 'utf8')))
    }
    const { formatter, javascript, css } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'))
    const { indentStyle, indentWidth } = formatter
    writeFileSync(
      join(folder, 'biome.json'),
      JSON.stringify({ formatter: { indentStyle, indentWidth, lineWidth: LINE_WIDTH }, javascript, css }),
    )
    const biome = join(root, 'node_modules/.bin/biome')
    execFileSync(biome, ['format', '--write', '--log-level=error', '.'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return new Map(files.map((file) => [file, countLines(readFileSync(join(folder, file), 'utf8'))]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {readonly [string, number][]} rows */
function printTable(rows) {
  for (const [name, count] of rows) process.stdout.write(`${name.padEnd(36)} ${String(count).padStart(7)}\n`)
}

const code = countCode(tracked.filter((file) => CODE.test(file)))
/** @param {string} folder @param {boolean} [areTests] */
const countLinesIn = (folder, areTests = false) =>
  [...code].reduce(
    (sum, [file, lines]) =>
      sum + (file.startsWith(`${folder}/`) && TESTS.test(file) === areTests ? lines : 0),
    0,
  )
const countWords = (/** @type {string} */ file) =>
  readFileSync(join(checkout, file), 'utf8').split(/\s+/).filter(Boolean).length
const documents = tracked.filter((file) => DOCUMENTS.test(file))
const parts = [...new Set([...code.keys()].map((file) => file.split('/').slice(0, 3).join('/')))]

printTable([
  ...parts
    .filter((part) => !part.includes('.') && PRODUCT.some((folder) => part.startsWith(`${folder}/`)))
    .map((part) => /** @type {[string, number]} */ ([part, countLinesIn(part)]))
    .filter(([, lines]) => lines > 0),
  ...PRODUCT.map((folder) => /** @type {[string, number]} */ ([folder, countLinesIn(folder)])),
  ['product', PRODUCT.reduce((sum, folder) => sum + countLinesIn(folder), 0)],
  ['tests of the product', PRODUCT.reduce((sum, folder) => sum + countLinesIn(folder, true), 0)],
  ...OTHERS.map((folder) => /** @type {[string, number]} */ ([folder, countLinesIn(folder)])),
  ['words of the documents', documents.reduce((sum, file) => sum + countWords(file), 0)],
])
