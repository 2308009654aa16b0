import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import type { Routes } from '#contract/route.ts'

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
 * its forms, are exports of their own and stay. `response` becomes true where there is one.
 */
function leaveOutSchemas(): Plugin {
  const full = '?full'
  return {
    name: 'leave-out-schemas',
    enforce: 'pre',
    resolveId: (id) => (id.endsWith(full) ? { id, moduleSideEffects: false } : undefined),
    async load(id) {
      if (!/\/src\/contract\/[\w-]+\.ts$/.test(id)) return undefined
      this.addWatchFile(id)
      const exported: Record<string, unknown> = await import(
        `${pathToFileURL(id)}?at=${statSync(id).mtimeMs}`
      )
      const routes = Object.entries(exported).filter(
        ([name]) => name.endsWith('Routes') && name !== 'defineRoutes',
      )
      if (routes.length === 0) return undefined
      const lines = routes.map(([name, value]) => `export const ${name} = ${withoutSchemas(value as Routes)}`)
      const code = [...lines, `export * from ${JSON.stringify(id + full)}`].join('\n')
      return { code, moduleType: 'js', moduleSideEffects: false }
    },
  }
}

function withoutSchemas(routes: Routes): string {
  const slim = Object.entries(routes).map(([name, { method, path, access, response }]) => [
    name,
    { method, path, access, response: response ? true : undefined },
  ])
  return JSON.stringify(Object.fromEntries(slim))
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

/** What only the visitors' and the account's forms need, zod among it: the reports screen goes without. */
const formModules =
  /\/src\/web\/(configure-zod|ui\/(text|email)-field|ui\/text-link|layout\/visitor-page)\.tsx?$|\/lucide-react\/.*\/eye(-off)?\.mjs$|\/src\/contract\/[\w-]+\.ts\?full$|node_modules\/zod\//
const newPasswordModules = /\/src\/web\/ui\/(use-form|new-password-fields|strength-meter)\.tsx?$/
/** What only the screens behind the sign-in need. */
const queryModules = /\/src\/web\/query-client\.ts$|node_modules\/@tanstack\/(query-core|react-query)\//

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
            { name: 'forms', test: formModules, includeDependenciesRecursively: false },
            { name: 'new-password', test: newPasswordModules, includeDependenciesRecursively: false },
            { name: 'queries', test: queryModules, includeDependenciesRecursively: false },
            { name: 'parts', test: /\/src\/(web|contract)\/|\/lucide-react\//, minShareCount: 3 },
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
