import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const apiServer = `http://localhost:${process.env.PORT || 4000}`
const outDir = 'dist/web'

/** In watch mode Vite serves the page and fetches the settings to fill in from the API server. */
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

/** Gives scripts a lower priority than style sheets: the screen is already prerendered. */
function lowerScriptPriority(): Plugin {
  return {
    name: 'lower-script-priority',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replaceAll(
          /<(link rel="modulepreload"|script type="module") crossorigin/g,
          '$& fetchpriority="low"',
        ),
    },
  }
}

/** Builds the script that notices missing files, under a name that stays. */
function emitRecovery(): Plugin {
  return {
    name: 'emit-recovery',
    apply: (config, { command }) => command === 'build' && !config.build?.ssr,
    buildStart() {
      this.emitFile({ type: 'chunk', id: 'src/web/app/recover.ts', fileName: 'recover.js' })
    },
  }
}

/** Writes compressed copies of every text file next to it, which the server sends as they are. */
function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    apply: (config, { command }) => command === 'build' && !config.build?.ssr,
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

/** Refuses chunks that import each other: a screen that needs one of them might not load. */
function refuseChunkCycles(): Plugin {
  return {
    name: 'refuse-chunk-cycles',
    apply: 'build',
    generateBundle(_, bundle) {
      const path: string[] = []
      const seen = new Set<string>()
      const visit = (file: string) => {
        if (path.includes(file))
          this.error(`Chunks import each other: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
        if (seen.has(file)) return
        seen.add(file)
        path.push(file)
        const chunk = bundle[file]
        if (chunk?.type === 'chunk') for (const each of chunk.imports) visit(each)
        path.pop()
      }
      for (const file of Object.keys(bundle)) visit(file)
    },
  }
}

export default defineConfig({
  plugins: [
    react({ jsxImportSource: '#jsx' }),
    tailwindcss(),
    fillPortalSettings(),
    lowerScriptPriority(),
    refuseChunkCycles(),
    emitRecovery(),
    compressFiles(),
  ],
  publicDir: false,
  // React 19 has useSyncExternalStore, but the router store requests the shim with a fallback.
  resolve: {
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // The first versions with light-dark(), whose fallback would double the size of the CSS.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The page's CSP allows neither inline scripts nor, for fonts and workers, data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Stays cached across deployments that do not change it.
            { name: 'libraries', test: 'node_modules', tags: ['$initial'] },
            // Small modules that most screens need: as separate files they would compress badly.
            // Not those of popups, which load at the first press, nor dialogs, which need them.
            {
              name: 'parts',
              test: /^(?!.*(@(base-ui|floating-ui)|use-sync-external-store|\/ui\/dialog\.))/,
              minShareCount: 26,
            },
            // What the frame of signed-in screens shares with many of them.
            {
              name: 'frame',
              test: /icons\/(log-out|search|user-round|mail|chevron-down|ellipsis-vertical)\.|(queryOptions|useQuery|entitlement-lists)\.|ui\/(thumb-item|popover|lazy-|frame-slot|main-element|use-device|format-instant)|app\/(header-item|use-role)|contract\/format-list/,
              includeDependenciesRecursively: false,
            },
            // What most screens of administration share, in a dozen small modules. A module between two
            // of them belongs here too, or chunks would import each other.
            {
              name: 'administration',
              test: /web\/users\/(count-query|access-templates|access-request|export-data|describe-effect|bulk-edit|user-queries|row-actions|filters-button|selection|use-dialogs|user-view)\.|app\/service-status|(useInfiniteQuery|infiniteQuery(Observer|Options))\.|icons\/(pencil|trash|sliders-horizontal|arrow-(up|down)|user-minus|map-pin|layout-grid|file-down|rotate-ccw-clock|ellipsis)\.|ui\/(search-field|picker|menu)\./,
              includeDependenciesRecursively: false,
            },
            // Its dialogs and 'Ver como' share parts of the reports screen, which needs them all.
            {
              name: 'report-parts',
              test: /web\/reports\/(own-reports|report-choice|open-views|data-age|report-exports|use-embed|embed\/(?!shared-report\.|powerbi|demo-frame|frame-outcomes|paginated-token))/,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/demo', '/brand.css', '/brand-logo', '/recover.js'].map((path) => [path, apiServer]),
    ),
  },
})
