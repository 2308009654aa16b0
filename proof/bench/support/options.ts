import { parseArgs } from 'node:util'

/**
 * Reads whole numbers from the command line, `--rounds 3`.
 * @param defaults the known names with the value of each when it is not given
 * @throws Error naming an unknown option or one that is not a number from 1
 */
export function readNumbers<T extends Record<string, number>>(
  defaults: T,
  args = process.argv.slice(2),
): { [K in keyof T]: number } {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ args, options })
  const given = Object.entries(values).map(([name, text]) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1`)
    return [name, value]
  })
  return { ...defaults, ...Object.fromEntries(given) }
}
