import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBrandStyleSheet, getContrast } from './brand.ts'

/** --color-surface, --color-raised and --color-subtle of src/web/app/index.css. */
const BACKGROUNDS = { light: ['#ffffff', '#eeeef1'], dark: ['#111418', '#1a1e23', '#1f242a'] }

function readProperties(color: string) {
  const sheet = createBrandStyleSheet(color)
  expect(sheet).toMatch(/^:root\{[^{}]+\}@media \(prefers-color-scheme:dark\)\{:root\{[^{}]+\}\}$/)
  const [light, dark] = sheet.split('@media') as [string, string]
  const read = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/--([\w-]+):(#[0-9a-f]{6})/gi)].map(([, name, value]) => [name, value]),
    )
  return { light: read(light), dark: read(dark) } as Record<'light' | 'dark', Record<string, string>>
}

describe('the group’s color', () => {
  test('stays unchanged if it has enough contrast', () => {
    const { light } = readProperties('#0f5c7d')
    expect(light).toEqual({ brand: '#0f5c7d', 'brand-foreground': '#ffffff', 'brand-strong': '#0f5c7d' })
  })

  test('gives text with AA contrast on its surface and on the page, light and dark, for any color', () => {
    const channel = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(channel, channel, channel, (...rgb) => {
        const color = `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`
        const properties = readProperties(color)
        for (const scheme of ['light', 'dark'] as const) {
          const { brand, 'brand-foreground': text, 'brand-strong': strong } = properties[scheme]
          expect(getContrast(brand as string, text as string), `${color} surface`).toBeGreaterThanOrEqual(4.5)
          // In dark mode it must differ from --color-muted, which has 6.6.
          for (const ground of BACKGROUNDS[scheme])
            expect(getContrast(strong as string, ground), `${color} ${ground}`).toBeGreaterThanOrEqual(
              scheme === 'dark' ? 8 : 4.5,
            )
        }
      }),
      {
        numRuns: 500,
        examples: [
          [0, 0, 0],
          [255, 255, 255],
          [119, 119, 119],
          [255, 255, 0],
          [0, 0, 255],
        ],
      },
    )
  })

  test('has the contrast ratio of WCAG', () => {
    expect(getContrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
    expect(getContrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
    expect(getContrast('#123456', '#123456')).toBe(1)
  })
})
