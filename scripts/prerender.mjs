// Prerenders the screens after the build of the browser's code and the prerenderer:
// writes dist/prerender/screens.json, which the server fills in and serves.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './run-command.mjs'

const web = join(root, 'dist', 'web')
const prerender = join(root, 'dist', 'prerender')
/** @type {Record<string, { file: string, css?: string[], imports?: string[] }>} */
const manifest = JSON.parse(readFileSync(join(web, '.vite', 'manifest.json'), 'utf8'))
const page = readFileSync(join(web, 'index.html'), 'utf8')

/**
 * @param {string[]} keys manifest keys
 * @param {Set<string>} files
 * @returns {Set<string>} the scripts and style sheets of chunks and their static imports
 */
function listChunkFiles(keys, files = new Set()) {
  for (const key of keys) {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The build has no chunk for ${key}`)
    if (files.has(chunk.file)) continue
    files.add(chunk.file)
    for (const sheet of chunk.css ?? []) files.add(sheet)
    listChunkFiles(chunk.imports ?? [], files)
  }
  return files
}

/** @param {string} file */
function toElement(file) {
  if (file.endsWith('.css')) return `<link rel="stylesheet" crossorigin href="/${file}">`
  return `<link rel="modulepreload" crossorigin fetchpriority="low" href="/${file}">`
}

/** @param {string[]} modules */
const getHead = (modules) =>
  [...listChunkFiles(modules)]
    .filter((file) => !page.includes(file))
    .map(toElement)
    .join('')

const { prerenderScreens } = await import(pathToFileURL(join(prerender, 'prerender.js')).href)
writeFileSync(join(prerender, 'screens.json'), JSON.stringify(await prerenderScreens(getHead)))
// Queries started by the screens would keep the process alive.
process.exit(0)
