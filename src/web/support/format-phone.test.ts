import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPhone } from './contact-screen.tsx'

describe('formatPhone', () => {
  it.each([
    ['21987654321', '(21) 98765-4321'],
    ['2134567890', '(21) 3456-7890'],
    ['21 98765 4321', '(21) 98765-4321'],
    ['+5521987654321', '+55 (21) 98765-4321'],
    ['+55 21 3456-7890', '+55 (21) 3456-7890'],
    ['(21) 98765-4321', '(21) 98765-4321'],
    ['', ''],
    ['5521987654321', '+55 (21) 98765-4321'],
    ['552134567890', '+55 (21) 3456-7890'],
    ['55 21 98765-4321', '+55 (21) 98765-4321'],
  ])('writes %s as %s', (typed, read) => {
    expect(formatPhone(typed)).toBe(read)
  })

  it.each([
    '+1 (555) 010-9999',
    '+351 912 345 678',
    '0800 123 4567',
    '021 98765-4321',
    '(21) 3333-4444 ramal 12',
    '1 555 123 4567',
    '(555) 123-4567',
    '555-123-4567',
    '15551234567',
    '40041234',
    '4004-1234',
    '3003 1234',
    '98765-4321',
    '447911123456',
    '351912345678',
    '550800123456',
    '(21) 98765-43210 ',
    '(21) 3333-4444 5555',
    '21 98765-4321 / 21',
    '+',
    '+5',
    '1+1',
  ])('leaves %s alone', (typed) => {
    expect(formatPhone(typed)).toBe(typed)
  })

  it('neither loses nor adds a digit, and is content with what it wrote', () => {
    const characters = fc.constantFrom(...'0123456789+-(). a')
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 25 }), (list) => {
        const text = list.join('')
        const written = formatPhone(text)
        expect(written.replace(/\D/g, '')).toBe(text.replace(/\D/g, ''))
        expect(formatPhone(written)).toBe(written)
      }),
    )
  })
})
