// `node scripts/check-words.mjs [--advice]`: checks what a program can of CONTRIBUTING's 'Words':
// sentences of documents, comment lines, commit subjects. Part of the lint step.
// Decisions and quotations, so texts in Portuguese, are exempt.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { root } from './run-command.mjs'

/** More words than the first are advice, more than the second an error. */
const SENTENCE = { advised: 25, max: 35 }
const MAX_COMMENT = 100
const MAX_SUBJECT = 72
/** The last commit before subjects were checked. */
const CHECKED_AFTER = 'cd66d44'
const DOCUMENT = /^(README|CONTRIBUTING|CHANGELOG)\.md$|^(docs|proof)\/(?!settings\.md|decisions\/).*\.md$/
const SOURCE = /\.(ts|tsx|mjs)$/

/**
 * @param {string[]} args
 * @returns {string[]} lines; none without git or that commit, as in a release or a shallow clone
 */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.split('\n').filter(Boolean) : []
}

/**
 * Splits a document into sentences; cells, items and headings end one too.
 * Code between backticks and a quotation become one word each, blocks of code none.
 * @param {string} markdown
 * @returns {string[]}
 */
export function splitSentences(markdown) {
  const text = markdown
    .replace(/^```[\s\S]*?^```/gm, '\n\n')
    .replace(/^#.*$/gm, '$&\n')
    .replace(/`[^`]*`/g, 'code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/“[^”]*”|(?<!\p{L})'[^'\n]+'(?!\p{L})/gu, 'quotation')
    .replace(/\s*\|\s*|\n\s*(?=[-*#>]|\d+\. )|\n\s*\n/g, '\n\n')
  return text.split(/\n\n+|(?<=[.!?])\s+(?=\S)/).map((sentence) => sentence.replace(/\s+/g, ' ').trim())
}

/** @param {string} sentence */
export const countWords = (sentence) => sentence.split(' ').filter((word) => /\p{L}|\d/u.test(word)).length

/** @param {string} file @param {string} source @returns {string[]} */
export function findLongComments(file, source) {
  return parseSync(file, source).comments.flatMap(({ value }) =>
    value
      .split('\n')
      .map((line) => line.replace(/^[\s*]+/, '').trimEnd())
      .filter((line) => line.length > MAX_COMMENT),
  )
}

function main() {
  const files = git('ls-files')
  /** @type {string[]} */
  const errors = []
  /** @type {string[]} */
  const advice = []
  for (const file of files.filter((name) => DOCUMENT.test(name)))
    for (const sentence of splitSentences(readFileSync(join(root, file), 'utf8'))) {
      const words = countWords(sentence)
      if (words <= SENTENCE.advised) continue
      const list = words > SENTENCE.max ? errors : advice
      list.push(`${file}: ${words} words in “${sentence.slice(0, 80)}…”`)
    }
  for (const file of files.filter((name) => SOURCE.test(name)))
    for (const line of findLongComments(file, readFileSync(join(root, file), 'utf8')))
      errors.push(`${file}: a comment line of ${line.length} characters, “${line.slice(0, 60)}…”`)
  for (const subject of git('log', '--no-merges', '--format=%s', `${CHECKED_AFTER}..HEAD`))
    if (subject.length > MAX_SUBJECT) errors.push(`a subject of ${subject.length} characters, “${subject}”`)
  const found = process.argv.includes('--advice') ? [...errors, ...advice] : errors
  for (const line of found) process.stderr.write(`${line}\n`)
  if (errors.length > 0) process.exitCode = 1
}

if (process.argv[1] === import.meta.filename) main()
