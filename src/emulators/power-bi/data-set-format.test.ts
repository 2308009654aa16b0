import { expect, it } from 'vitest'
import { formatFigure, formatNumber, formatShort } from './data-set-format.ts'

it.each([
  [0, 0, '0'],
  [999, 0, '999'],
  [1000, 0, '1.000'],
  [1234567.891, 2, '1.234.567,89'],
  [-1234.5, 1, '-1.234,5'],
  [-0.04, 1, '0,0'],
])('formats %d with %d decimals as %s', (value, decimals, text) => {
  expect(formatNumber(value, decimals)).toBe(text)
})

it('formats each kind of figure in Portuguese', () => {
  expect(formatFigure(0.0764, 'percentual')).toBe('7,6%')
  expect(formatFigure(43.184, 'centavos')).toBe('R$\u00a043,18')
  expect(formatFigure(299.6, 'duracao')).toBe('5:00\u00a0min')
  expect(formatFigure(null, 'reais')).toBe('–')
})

it('shortens only millions and billions', () => {
  expect(formatShort(999_999, 'reais')).toBe('R$\u00a0999.999')
  expect(formatShort(149_742_279, 'reais')).toBe('R$\u00a0149,74\u00a0mi')
  expect(formatShort(1_491_513_578, 'reais')).toBe('R$\u00a01,49\u00a0bi')
})
