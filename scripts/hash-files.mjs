// One digest over the content of many files, to know whether something built from them is stale.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const isTest = /\.(test|spec)\.[a-z]+$/

/**
 * @param {string} base folder that the entries are relative to
 * @param {readonly string[]} entries files and folders (whole, without tests); one that is missing counts as missing
 * @returns {string} hexadecimal SHA-256 over paths and contents, whatever the dates and the order of the entries
 */
export function hashFiles(base, entries) {
  const hash = createHash('sha256')
  for (const path of entries.flatMap((entry) => listFiles(base, entry)).sort()) {
    const content = readFileSync(join(base, path))
    // The length in between keeps two files apart from one file holding both.
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/**
 * @param {string} base
 * @param {string} entry
 * @returns {string[]} paths relative to the base, with forward slashes
 */
function listFiles(base, entry) {
  const stats = statSync(join(base, entry), { throwIfNoEntry: false })
  if (!stats) return []
  if (!stats.isDirectory()) return isTest.test(entry) ? [] : [entry]
  return readdirSync(join(base, entry)).flatMap((name) => listFiles(base, `${entry}/${name}`))
}
