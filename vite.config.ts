import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import type { Route, Routes } from '#contract/route.ts'

const apiServer = `http://localhost:${process.env.PORT || 4000}`
const outDir = 'dist/web'

/** In watch mode Vite serves the page, so the settings that the API server would fill in are fetched from it. */
function fillPortalSettings(): Plugin {
  const element = /(<script[^>]*id="portal-settings"[^>]*>)([^<]*)(<\/script>)/
  return {
    name: 'fill-portal-settings',
    apply: 'serve',
    async transformIndexHtml(html) {
      const page = await fetch(apiServer).then((response) => response.text())
      const settings = element.exec(page)?.[2] ?? '{}'
      return html.replace(element, (_, open: string, __: string, close: string) => open + settings + close)
    },
  }
}

/**
 * Leaves the contract's schemas out of the routes that go to the browser: it only sends requests, the server
 * checks them, and zod with the schemas would cost every screen 9 KB. Schemas that the browser does use, for
 * its forms, are exports of their own and stay, and so do limits and lists of words. `response` becomes true
 * where there is one. Each route is a module of its own, so that a screen loads those that it calls.
 */
function leaveOutSchemas(): Plugin {
  const full = '?full'
  const code = new Map<string, string>()
  const split = (id: string, name: string, routes: Routes) => {
    const keys = Object.keys(routes)
    for (const key of keys) code.set(`${id}?${name}.${key}`, withoutSchemas(routes[key] as Route))
    const lines = keys.map((key) => `export { default as ${key} } from '${id}?${name}.${key}'`)
    code.set(`${id}?${name}`, lines.join('\n'))
    return `export * as ${name} from '${id}?${name}'`
  }
  return {
    name: 'leave-out-schemas',
    enforce: 'pre',
    resolveId: (id) => (id.endsWith(full) || code.has(id) ? { id, moduleSideEffects: false } : undefined),
    async load(id) {
      const part = code.get(id)
      if (part) return { code: part, moduleType: 'js', moduleSideEffects: false }
      if (!/\/src\/contract\/[\w-]+\.ts$/.test(id)) return undefined
      this.addWatchFile(id)
      const exported: Record<string, unknown> = await import(
        `${pathToFileURL(id)}?at=${statSync(id).mtimeMs}`
      )
      const routes = Object.entries(exported).filter(
        ([name]) => name.endsWith('Routes') && name !== 'defineRoutes',
      )
      if (routes.length === 0) return undefined
      const others = Object.entries(exported).filter(([name]) => !routes.some(([route]) => route === name))
      const plain = others.filter(([, value]) => isPlain(value))
      const names = others.filter(([, value]) => !isPlain(value)).map(([name]) => name)
      const lines = [
        ...routes.map(([name, value]) => split(id, name, value as Routes)),
        ...plain.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`),
        `export { ${names.join(', ')} } from '${id}${full}'`,
      ]
      return { code: lines.join('\n'), moduleType: 'js', moduleSideEffects: false }
    },
  }
}

/** A limit or a list of words, which the browser may have without the schemas beside it. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain)
  return typeof value === 'string' || typeof value === 'number'
}

function withoutSchemas({ method, path, access, response }: Route): string {
  return `export default ${JSON.stringify({ method, path, access, response: response ? true : undefined })}`
}

/** Leaves the compressed forms of every text file beside it; the server sends them as they are. */
function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    apply: 'build',
    closeBundle() {
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
      for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|svg)$/.test(entry.name)) continue
        const file = join(entry.parentPath, entry.name)
        const content = readFileSync(file)
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
      }
    },
  }
}

/**
 * What only the visitors' and the account's forms need, zod among it: the reports screen goes without. What
 * administration takes from its own part of the contract stays with it.
 */
const formModules =
  /\/src\/web\/(configure-zod\.ts|ui\/email-field\.tsx|human-check\/(human-check|use-human-pass)\.tsx?|layout\/(visitor-page\.tsx|yard\.css))$|\/src\/contract\/((password|sign-in)-messages\.ts|(?!profiles|report-settings|support)[\w-]+\.ts\?full)$|node_modules\/zod\//
/** The fields themselves, which administration's forms need as well. */
const fieldModules =
  /\/src\/web\/ui\/(text-(field|link)|field-frame)\.tsx?$|\/lucide-react\/.*\/eye(-off)?\.mjs$/
const newPasswordModules = /\/src\/web\/ui\/(use-form|new-password-fields|strength-meter)\.tsx?$/
/** What only the screens behind the sign-in need: the frame around each of them, and queries without what only administrators use. */
const queryModules =
  /\/src\/web\/(query-client|ui\/tabs|layout\/(signed-in-layout|header|header-item|use-role|use-sign-out))\.tsx?$|node_modules\/@tanstack\/(query-core|react-query)\/(?!.*(infiniteQueryObserver|mutationObserver|useInfiniteQuery|useMutation)\.)/

/** What several screens may share: not what a screen of administrators shares with its own dialogs. */
const sharedModules =
  /\/src\/web\/(?!admin-users|report-settings|support|ui\/(dialog|format-instant)|layout\/admin-gate)|\/src\/contract\/(?!support|admin)[\w-]+\.ts$|\/lucide-react\//

const shellModules =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(react-router|router-core|history|react-store|store))\//

export default defineConfig({
  plugins: [react(), tailwindcss(), leaveOutSchemas(), fillPortalSettings(), compressFiles()],
  publicDir: false,
  // React 19 has useSyncExternalStore itself; the router's store still asks for the form with a fallback.
  resolve: {
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // The first ones with light-dark(), which would otherwise be spelled out at twice the size.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The page's CSP allows neither inline scripts nor, for fonts and workers, data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: /\/src\/contract\//, sideEffects: false }] },
      output: {
        // What every screen needs is two files: they compress better than the dozen that would come by itself.
        codeSplitting: {
          groups: [
            { name: 'shell', test: shellModules },
            { name: 'fields', test: fieldModules, includeDependenciesRecursively: false },
            { name: 'forms', test: formModules, includeDependenciesRecursively: false },
            { name: 'new-password', test: newPasswordModules, includeDependenciesRecursively: false },
            { name: 'queries', test: queryModules, includeDependenciesRecursively: false },
            { name: 'parts', test: sharedModules, minShareCount: 3 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/demo', '/brand.css', '/brand-logo'].map((path) => [path, apiServer]),
    ),
  },
})
