import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const PAGE = fileURLToPath(new URL('./src/emulators/power-bi/page/', import.meta.url))

/**
 * Inlines script and style into the shell. The script is classic: a module would run too
 * late for powerbi-client, which posts to the frame as soon as it has loaded.
 */
function inlineIntoShell(): Plugin {
  return {
    name: 'inline-into-shell',
    // After Vite's own plugins, which emit the style sheet last.
    enforce: 'post',
    generateBundle(_, bundle) {
      let [script, style] = ['', '']
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') script += part.code
        else if (name.endsWith('.css')) style += part.source
        else continue
        delete bundle[name]
      }
      const source = readFileSync(`${PAGE}index.html`, 'utf8')
        .replace('<!-- style -->', () => `<style>${style}</style>`)
        .replace('<!-- script -->', () => `<script>${script.replaceAll('</script', '<\\/script')}</script>`)
      this.emitFile({ type: 'asset', fileName: 'index.html', source })
    },
  }
}

/** Builds the emulated report page into one self-contained file, dist/report-page/index.html. */
export default defineConfig({
  publicDir: false,
  plugins: [inlineIntoShell()],
  build: {
    outDir: 'dist/report-page',
    target: 'es2022',
    assetsInlineLimit: Number.POSITIVE_INFINITY,
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { input: `${PAGE}main.ts`, output: { format: 'iife' } },
  },
})
