import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseEnv } from 'node:util'

interface AuthorityFile {
  file: string
  /** Who names it: 'do ambiente', or the settings file. */
  from: string
}

/** Lists the files of NODE_EXTRA_CA_CERTS: the environment's, which Node prefers, and `--env-file`'s. */
export function listAuthorityFiles(
  { NODE_EXTRA_CA_CERTS: file }: NodeJS.ProcessEnv,
  args: readonly string[] = process.execArgv,
): AuthorityFile[] {
  const own = args.flatMap((arg) => {
    const [, settings] = /^--env-file=(.+)$/.exec(arg) ?? []
    const named = settings && parseEnv(readFileSync(settings, 'utf8')).NODE_EXTRA_CA_CERTS
    return named ? [{ file: named, from: `de ${settings}` }] : []
  })
  return file && own.every((each) => each.file !== file) ? [{ file, from: 'do ambiente' }, ...own] : own
}

/** @throws the system's error */
export const readAuthorities = (file: string): string[] =>
  readFileSync(file, 'utf8').match(/-----BEGIN CERT[^-]*-----[^-]+-----END CERT[^-]*-----/g) ?? []

/** Trusts all of them; Node itself reads only the environment's. Errors are left to the doctor. */
export function trustAuthorities(environment: NodeJS.ProcessEnv): void {
  for (const { file } of listAuthorityFiles(environment))
    try {
      setDefaultCACertificates([...getCACertificates('default'), ...readAuthorities(file)])
    } catch {}
}
