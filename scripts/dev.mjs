// `npm run dev`: runs the server under `node --watch` behind
// Vite's development server, and ends both together.
import { buildStale, reportPage } from './build-stale.mjs'
import { installDependencies } from './install-dependencies.mjs'
import { failWith, findNode, getToolEnv, runCommand, say } from './run-command.mjs'

const port = process.env.PORT ?? '4000'
const webPort = process.env.WEB_PORT ?? '5173'

async function runBoth() {
  const oneEnded = new AbortController()
  // Links in mails must lead to the URL that the developer has open.
  const env = getToolEnv({ PORT: port, WEB_PORT: webPort, PUBLIC_URL: `http://localhost:${webPort}` })
  /** @param {string} command @param {string[]} args */
  const run = async (command, ...args) => {
    const { status } = await runCommand(command, args, { env, abort: oneEnded.signal })
    oneEnded.abort()
    return status
  }
  say(`Desenvolvimento em http://localhost:${webPort} (servidor na porta ${port})`)
  const statuses = await Promise.all([
    run(findNode(), '--watch', 'src/server/main.ts'),
    run('vite', '--port', webPort, '--strictPort'),
  ])
  process.exitCode = Math.max(...statuses)
}

try {
  await installDependencies()
  await buildStale([reportPage])
  await runBoth()
} catch (error) {
  failWith(error)
}
