import { readFileSync } from 'node:fs'

export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version

/** What is typed for one of the commands: 'patio admin' where a release's own program runs, else 'npm run admin --'. */
export const typedCommand = (name: string): string =>
  process.argv[1]?.endsWith('command-line.ts') ? `patio ${name}` : `npm run ${name} --`
