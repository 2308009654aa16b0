import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { root, runCommand, toExitStatus } from './run-command.mjs'

/**
 * Starts a program that runs a server as `npm start` does and passes its exit status on.
 * @param {string} server
 */
function startWrapper(server) {
  const program = `
    import { runCommand } from '${root}/scripts/run-command.mjs'
    const { status } = await runCommand(process.execPath, ['--eval', process.argv[1]])
    process.exitCode = status`
  return spawn(process.execPath, ['--input-type=module', '--eval', program, server], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

test('passes the exit code on', async () => {
  expect(await once(startWrapper('process.exit(3)'), 'close')).toEqual([3, null])
})

test.each(/** @type {const} */ (['SIGINT', 'SIGTERM']))(
  'forwards %s and waits for the command',
  async (signal) => {
    const wrapper = startWrapper(`
    process.on('${signal}', () => setTimeout(() => { console.log('drained'); process.exit(4) }, 200))
    setTimeout(() => process.exit(9), 3000)
    console.log('ready')`)
    let output = ''
    wrapper.stdout.on('data', (chunk) => {
      output += chunk
      if (String(chunk).includes('ready')) wrapper.kill(signal)
    })
    expect(await once(wrapper, 'close')).toEqual([4, null])
    expect(output).toBe('ready\ndrained\n')
  },
)

test('reports a death by signal and a missing program like a shell', async () => {
  expect(toExitStatus(null, 'SIGTERM')).toBe(143)
  const killed = await runCommand('sh', ['-c', 'kill -9 $$'])
  expect(killed.status).toBe(137)
  const missing = await runCommand('no-such-program', [], { capture: true })
  expect(missing).toEqual({ status: 127, output: expect.stringContaining('ENOENT') })
})

test('captures both output streams and ends the command on abort', async () => {
  expect(await runCommand('sh', ['-c', 'echo out; echo err >&2'], { capture: true })).toEqual({
    status: 0,
    output: expect.stringMatching(/^(out\nerr|err\nout)\n$/),
  })
  expect((await runCommand('sleep', ['30'], { abort: AbortSignal.timeout(50) })).status).toBe(143)
})
