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
  // Parts of other components, around a shown one, and those that every page renders once.
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
      'Sentence',
    ],
    ...['MessagePage', 'RecentEntries', 'SubmitDialog', 'ThumbLabel', 'Toaster'],
  ]
  const missing = components.filter((name) => !elsewhere.includes(name) && !screen.includes(`<${name}`))
  expect(missing).toEqual([])
})

test('every page has a state in e2e/screen-states.ts, so that it is drawn and checked', () => {
  const routes = readFileSync(new URL('../src/web/app/routes.tsx', import.meta.url), 'utf8')
  const states = readFileSync(new URL('../e2e/screen-states.ts', import.meta.url), 'utf8')
  const pages = [...routes.matchAll(/describePage\(\(\) => \w+, '([^']+)'/g)].map(([, path]) => path)
  const drawn = [...states.matchAll(/path: ['`]([^'`?#]+)/g)].map(([, path]) => path)
  // Steps lead there, no address alone.
  const elsewhere = ['/email-verification', '/admin/ver-como/$userId']
  expect(pages).toContain('/login')
  expect(pages.filter((path) => !drawn.includes(path))).toEqual(elsewhere)
})
