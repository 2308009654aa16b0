import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../src/web/ui/', import.meta.url)
const screen = readFileSync(new URL('../src/web/app/style-screen.tsx', import.meta.url), 'utf8')

test('the style page shows every component of ui', () => {
  const components = readdirSync(folder)
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/^export function ([A-Z]\w*)/gm)].map(
        ([, component]) => component ?? '',
      ),
    )
  // Parts of other components, and those that every page renders once.
  const elsewhere = [
    ...[
      'BlankPage',
      'ChangeSentence',
      'Entries',
      'FieldFrame',
      'FooterLinks',
      'FooterName',
      'FormAlert',
      'FrameSlot',
      'LazyPart',
    ],
    ...['MessagePage', 'RecentEntries', 'ThumbLabel', 'Toaster'],
  ]
  const missing = components.filter((name) => !elsewhere.includes(name) && !screen.includes(`<${name}`))
  expect(missing).toEqual([])
})
