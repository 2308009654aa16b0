import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Scope } from './data-set-sums.ts'
import type { Reply } from './reply.ts'

const BUILT_PAGE = new URL('../../../dist/report-page/index.html', import.meta.url)

const computeHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Lists the hashes of inline elements as CSP sources. */
function listHashes(html: string, element: 'script' | 'style'): string {
  const bodies = html.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'))
  return [...bodies].map(([, body]) => computeHash(body ?? '')).join(' ')
}

/** Builds the page's policy: inline parts, an inlined font and fault polling; framed by the portal. */
export function buildPolicy(html: string): string {
  return [
    "default-src 'none'",
    `script-src ${listHashes(html, 'script')}`,
    `style-src ${listHashes(html, 'style')}`,
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

const ROOT = '<div id="report">'

/**
 * Serves the built report page with the scope of its data. Reads the file at the first request.
 * @throws an error with the build command when the page is missing
 */
export function createReportPage(): (data: Scope) => Promise<Reply> {
  let page: Awaited<ReturnType<typeof readPage>> | undefined
  return async ({ marcas, estados }) => {
    page ??= await readPage()
    const root = `<div id="report" data-marcas="${marcas.join()}" data-estados="${estados.join()}">`
    return { ...page, text: page.text.replace(ROOT, root) }
  }
}

async function readPage() {
  const html = await readFile(BUILT_PAGE, 'utf8').catch((cause: unknown) => {
    const build = 'npx vite build -c vite.report-page.config.ts'
    throw new Error(`dist/report-page/index.html is missing; build it with: ${build}`, { cause })
  })
  return {
    status: 200,
    text: html,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': buildPolicy(html) },
  }
}
