import { findOnPath } from './find-executable.mjs'
import { runCommand, say } from './run-command.mjs'

/**
 * Installs a Debian package when this machine has apt-get and lets us: as root, or through sudo without a password.
 * @param {string} name
 * @returns {Promise<boolean>} whether apt-get reported success
 */
export async function installSystemPackage(name) {
  if (!findOnPath('apt-get')) return false
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  /** @param {string[]} args */
  const run = async (...args) => {
    const [command = '', ...rest] = [...prefix, ...args]
    return (await runCommand(command, rest, { env, capture: true })).status === 0
  }
  if (!(await run('true'))) return false
  say(`Instalando o pacote ${name} do sistema…`)
  // Lists may be partly out of reach while the package itself is not.
  await run('apt-get', 'update')
  // What this machine has already is not ours to change: no upgrade.
  return run('apt-get', 'install', '-y', '--no-upgrade', '--no-install-recommends', name)
}
