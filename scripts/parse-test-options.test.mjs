import { expect, test } from 'vitest'
import { parseTestOptions } from './parse-test-options.mjs'

test.each([
  {
    args: [],
    steps: ['packages', 'lint', 'types', 'build', 'unit', 'browser', 'engines', 'faults'],
    filters: [],
  },
  { args: ['--only', 'unit'], steps: ['unit'], filters: [] },
  { args: ['--only=browser,lint'], steps: ['lint', 'browser'], filters: [] },
  { args: ['sign-in'], steps: ['unit', 'browser'], filters: ['sign-in'] },
  { args: ['sign-in', '--only', 'unit', 'e2e'], steps: ['unit'], filters: ['sign-in', 'e2e'] },
])('$args runs $steps', ({ args, steps, filters }) => {
  expect(parseTestOptions(args)).toEqual({ help: false, steps, filters })
})

test.each([
  [['--shuffle'], ''],
  [['--shuffle=7'], '7'],
  [[], undefined],
])('%s shuffles with the seed %j', (args, seed) => {
  expect(parseTestOptions(args).shuffle).toBe(seed)
})

test.each([[['--only']], [['--only', 'units']], [['--watch']]])('rejects %s and prints the usage', (args) => {
  expect(() => parseTestOptions(args)).toThrow(/desconhecid[ao].*Uso: npm test/s)
})

test('--help overrides other options', () => {
  expect(parseTestOptions(['x', '--help']).help).toBe(true)
})
