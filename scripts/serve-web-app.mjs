// Vite's development server for `npm run dev`; what belongs to the server goes on to it. Runs on the pinned Node.
import { createServer } from 'vite'

// Named, not 127.0.0.1: the demonstration listens on whichever loopback address localhost means.
const target = `http://localhost:${process.env.PORT}`

const vite = await createServer({
  server: {
    port: Number(process.env.WEB_PORT),
    strictPort: true,
    proxy: { '/api': { target }, '/demo': { target } },
  },
})
await vite.listen()

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => vite.close().finally(() => process.exit(0)))
}
