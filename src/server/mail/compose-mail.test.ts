import { expect, test } from 'vitest'
import { composeMail, defangText, type MailContent } from './compose-mail.ts'

const HOSTILE = `Silva & Filhos <img src=x onerror="alert('1')">`
const ESCAPED = 'Silva &amp; Filhos &lt;img src=x onerror=&quot;alert(&#x27;1&#x27;)&quot;&gt;'
const GROUP = { groupName: 'Grupo', publicUrl: 'https://portal.example' }
const CONTENT: MailContent = {
  subject: `Assunto ${HOSTILE}`,
  heading: HOSTILE,
  paragraphs: [HOSTILE, `Segundo ${HOSTILE}`],
  list: [HOSTILE],
  button: { label: HOSTILE, link: 'https://portal.example/a#x=1&y=2' },
  notes: [HOSTILE],
  aside: { text: HOSTILE, label: 'Não fui eu', link: 'https://portal.example/b#x=1&y=2' },
}

test('composeMail escapes all parts in HTML', () => {
  const { html, text, subject } = composeMail(
    { groupName: HOSTILE, publicUrl: 'https://portal.example' },
    CONTENT,
  )
  expect(html).not.toContain('<img')
  // Title, heading, group, two paragraphs, item, button, note and aside.
  expect(html.split(ESCAPED)).toHaveLength(10)
  expect(text).toContain('Silva & Filhos <img')
  expect(subject).toContain('Silva & Filhos')
})

test('composeMail includes all content of the HTML in the plain text, with links', () => {
  const { html, text, link } = composeMail(GROUP, {
    ...CONTENT,
    subject: 'Assunto',
    heading: 'Título',
    paragraphs: ['Primeiro parágrafo.', 'Segundo parágrafo.'],
    list: ['Um item'],
    button: { label: 'Abrir', link: 'https://portal.example/a#x=1&y=2' },
    notes: ['Uma nota.'],
    aside: { text: 'Não reconhece?', label: 'Não fui eu', link: 'https://portal.example/b' },
  })
  expect(link).toBe('https://portal.example/a#x=1&y=2')
  for (const part of ['Primeiro parágrafo.', 'Segundo parágrafo.', 'Um item', 'Abrir', 'Uma nota.'])
    for (const form of [html, text]) expect(form).toContain(part)
  for (const part of ['Não reconhece?', 'Não fui eu', 'https://portal.example/b'])
    for (const form of [html, text]) expect(form).toContain(part)
  expect(html).toContain('href="https://portal.example/a#x=1&amp;y=2"')
  for (const form of [html, text]) expect(form).toContain('https://portal.example/privacidade')
  expect(text).toContain('https://portal.example/a#x=1&y=2')
})

test('composeMail omits empty lists and asides', () => {
  const { list: _list, aside: _aside, ...plain } = CONTENT
  const { html, text } = composeMail(GROUP, plain)
  expect(html).not.toMatch(/<ul|border-top/)
  expect(text).not.toContain('\n\n\n')
})

test.each([
  ['https://mal.example/x', 'https: //mal. example/x'],
  ['HTTP\u202e://1.2.3.4', 'HTTP: //1. 2. 3. 4'],
  ['WWW.mal.example', 'WWW. mal. example'],
  ['mal。example．br｡com', 'mal。 example． br｡ com'],
  ['eva@mal.example', 'eva@mal. example'],
  ['José S. da Silva Jr.', 'José S. da Silva Jr.'],
  ['12:30 / 14:00…', '12:30 / 14:00…'],
])('defangText: %s', (typed, expected) => {
  expect(defangText(typed)).toBe(expected)
})
