import { readFileSync } from 'node:fs'

export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version

/** Returns how to type a command: 'patio admin' in a release, else 'npm run admin --'. */
export const formatCommand = (name: string): string =>
  process.argv[1]?.endsWith('command-line.ts') ? `patio ${name}` : `npm run ${name} --`
