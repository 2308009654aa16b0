import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const IGNORED_FOLDERS = new Set(['node_modules', 'dist', 'data', 'test-results', 'playwright-report'])
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

/** @param {string} folder @param {RegExp} name @returns {string[]} */
function listFiles(folder, name) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return isProjectFolder(entry.name) ? listFiles(path, name) : []
    return name.test(entry.name) ? [path] : []
  })
}

/** @param {string} folder */
const isProjectFolder = (folder) => !folder.startsWith('.') && !IGNORED_FOLDERS.has(folder)

/** @param {string} text @param {RegExp} pattern returns its first group @returns {string[]} */
const findAll = (text, pattern) => [...text.matchAll(pattern)].map(([, found = '']) => found)

/** Returns the anchors that GitHub creates for headings. @param {string} text */
const listAnchors = (text) =>
  findAll(text, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** @param {string} file */
function findDeadLinks(file) {
  const text = readFileSync(file, 'utf8')
  return findAll(text, /\]\(([^)\s]+)\)/g).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    if (!existsSync(target)) return true
    return anchor !== undefined && !listAnchors(readFileSync(target, 'utf8')).includes(anchor)
  })
}

/** Finds missing files that a text names in commands or between backticks. @param {string} text */
const findDeadPaths = (text) =>
  [
    ...findAll(text, /\bnode ((?:scripts|proof|src)\/[^\s`]+)/g),
    ...findAll(text, /`((?:src|e2e|proof|scripts|migrations|docs)\/[^\s`*…]+)[^`]*`/g),
    // The folders in the README's map.
    ...findAll(text, /^([\w./]+\/) {2,}/gm),
  ].filter((path) => !existsSync(path))

/** @param {string} text */
const findDeadScripts = (text) =>
  findAll(text, /\bnpm run ([a-z][\w:-]*)/g).filter((name) => scripts[name] === undefined)

/**
 * Finds filters of `npm test -- --only unit NAME…`, or `unit NAME…`, without a test: such a run
 * would pass.
 * @param {string} text
 */
function findDeadFilters(text) {
  const tests = [...listFiles('src', /\.test\.tsx?$/), ...listFiles('scripts', /\.test\.mjs$/)]
  const browserTests = listFiles('e2e', /\.spec\.ts$/)
  return [...text.matchAll(/(?:npm test -- --only |`)(unit|browser) ([^`\n]+)/g)].flatMap(
    ([, step, filters = '']) =>
      filters
        .split(' ')
        .filter((filter) => !(step === 'unit' ? tests : browserTests).some((path) => path.includes(filter))),
  )
}

test.each(listFiles('.', /\.md$/))('%s has no dead links, paths or commands', (file) => {
  const text = readFileSync(file, 'utf8')
  expect(findDeadLinks(file)).toEqual([])
  // Changelog and decisions describe the state of their time.
  if (file.startsWith(join('docs', 'decisions')) || file === 'CHANGELOG.md') return
  expect([...findDeadPaths(text), ...findDeadScripts(text), ...findDeadFilters(text)]).toEqual([])
})

test('the scripts of package.json run existing files', () => {
  const commands = Object.values(scripts).join('\n')
  expect(findAll(commands, /((?:scripts|proof|src)\/\S+)/g).filter((path) => !existsSync(path))).toEqual([])
})
