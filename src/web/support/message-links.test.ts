import { describe, expect, it } from 'vitest'
import { formatInstant } from '#web/ui/format-instant.ts'
import { hasPhone, sanitizeText, stripBidi, toPhoneLink, toReplyLink } from './message-card.tsx'

const message = {
  id: '1',
  name: 'Ana',
  email: 'ana@exemplo.com.br',
  phone: '1',
  message: 'Olá',
  is_read: false,
  created_at: '2026-11-21T02:30:00.000Z',
}

describe('message links', () => {
  it('use the time in São Paulo', () => {
    expect(formatInstant('2026-11-21T02:30:00.000Z')).toBe('20/11/2026, 23:30')
  })

  it('quote the message without injecting mail headers', () => {
    const link = toReplyLink({ ...message, message: 'um & dois?\n&bcc=x@y.z' }, 'Grupo & Cia')
    const url = new URL(link)
    expect([...url.searchParams.keys()]).toEqual(['subject', 'body'])
    expect(url.searchParams.get('subject')).toBe('Sua mensagem para Grupo & Cia')
    expect(url.searchParams.get('body')).toBe(
      '\r\n\r\nEm 20/11/2026, 23:30, você escreveu:\r\n> um & dois?\r\n> &bcc=x@y.z',
    )
  })

  it('escape the mail address', () => {
    const link = toReplyLink({ ...message, email: 'a?subject=x&b%@exemplo.com.br' }, 'G')
    expect(link.startsWith('mailto:a%3Fsubject%3Dx%26b%25@exemplo.com.br?subject=')).toBe(true)
  })

  it('truncate a thousand emoji without breaking one', () => {
    const link = toReplyLink({ ...message, message: '🚗'.repeat(1000) }, 'G')
    expect(new URL(link).searchParams.get('body')).toContain(`${'🚗'.repeat(300)}…`)
    expect(toReplyLink({ ...message, message: '\ud83d' }, 'G')).toContain('%EF%BF%BD')
  })

  it.each([
    ['(21) 98765-4321', 'tel:21987654321'],
    ['+55 21 3333-4444', 'tel:+552133334444'],
    ['(21) 3333-4444 ramal 12', 'tel:2133334444'],
    ['—', undefined],
    ['ramal 12', undefined],
    ['12', undefined],
  ])('convert %s to %s', (phone, link) => {
    expect(toPhoneLink(phone)).toBe(link)
  })

  it('treat a dash as no phone number', () => {
    expect(['—', ' - ', '', 'ramal 12', '(21) 98765-4321'].map(hasPhone)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ])
  })
})

describe('stripBidi', () => {
  it('removes bidi controls only', () => {
    expect(stripBidi('a\u202efdp.exe\u2066b')).toBe('afdp.exeb')
    expect(stripBidi('مرحبا 👩‍🚀 ção\n')).toBe('مرحبا 👩‍🚀 ção\n')
  })
})

describe('sanitizeText', () => {
  it('limits blank lines to two and keeps other lines', () => {
    expect(sanitizeText('a\n\n\n\nb')).toBe('a\n\n\nb')
    expect(sanitizeText(`a\n${' \t\n'.repeat(40)}  b`)).toBe('a\n\n\n  b')
    expect(sanitizeText('a\n\n\nb\n\nc\nd')).toBe('a\n\n\nb\n\nc\nd')
  })
})
