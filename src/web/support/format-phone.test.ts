import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPhone } from './format-phone.ts'

const format = (text: string) => formatPhone({ text, caret: text.length }).text

/** Types the keys one by one, with the caret ('|') where it was left; returns the field's text. */
function type(keys: string, start = ''): string {
  let { text, caret } = { text: start.replace('|', ''), caret: Math.max(0, start.indexOf('|')) }
  if (!start.includes('|')) caret = text.length
  for (const key of keys) {
    const isDelete = key === '<'
    const before = text.slice(0, isDelete ? Math.max(0, caret - 1) : caret) + (isDelete ? '' : key)
    const next = formatPhone({ text: before + text.slice(caret), caret: before.length })
    text = next.text
    caret = next.caret
  }
  return `${text.slice(0, caret)}|${text.slice(caret)}`
}

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
  ])('formats %s as %s', (typed, read) => {
    expect(format(typed)).toBe(read)
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
  ])('keeps %s unchanged', (typed) => {
    expect(format(typed)).toBe(typed)
  })

  it('formats after each key, typed or deleted', () => {
    expect(type('219')).toBe('(21) 9|')
    expect(type('21987654321')).toBe('(21) 98765-4321|')
    expect(type('+5521987654321')).toBe('+55 (21) 98765-4321|')
    expect(type('<', '(21) 98765-4')).toBe('(21) 98765|')
    expect(type('<'.repeat(15), '(21) 98765-4321')).toBe('|')
  })

  it.each([
    ['5521987654321', '+55 (21) 98765-4321'],
    ['55 21 98765-4321', '+55 (21) 98765-4321'],
    ['21 9 8765-4321', '(21) 98765-4321'],
    ['(21)98765-4321 ramal 12', '(21) 98765-4321 ramal 12'],
    ['+552133334444 ramal 12', '+55 (21) 3333-4444 ramal 12'],
    ['(21) 3333-4444 5555', '(21) 3333-4444 5555'],
  ])('formats %s, typed key by key, as %s', (keys, read) => {
    expect(type(keys)).toBe(`${read}|`)
  })

  it.each([
    '40041234',
    '4004-1234',
    '3333-4444',
    '98765-4321',
    '1 555 123 4567',
    '1 (555) 123-4567',
    '15551234567',
    '(555) 123-4567',
    '555-123-4567',
    '555 123 4567',
    '447911123456',
    '351 912 345 678',
    '0800 123 4567',
    '+1 555 123 4567',
    '219876543210',
  ])('keeps %s unchanged, typed key by key', (keys) => {
    expect(type(keys)).toBe(`${keys}|`)
  })

  it('keeps the caret after the same digit', () => {
    expect(type('5', '(21) 98|5-4321')).toBe('(21) 985|54-321')
    expect(type('<', '(21) 98|765-4321')).toBe('(21) 9|7654-321')
    expect(type('<', '(2|1) 98765-4321')).toBe('(|1) 98765-4321')
    expect(type('3', '(|1) 98765-4321')).toBe('(3|1) 98765-4321')
  })

  it('keeps all digits and is idempotent', () => {
    const characters = fc.constantFrom(...'0123456789+-(). a')
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 25 }), fc.nat(25), (list, place) => {
        const text = list.join('')
        const written = formatPhone({ text, caret: Math.min(place, text.length) })
        expect(written.text.replace(/\D/g, '')).toBe(text.replace(/\D/g, ''))
        expect(written.caret).toBeLessThanOrEqual(written.text.length)
        expect(format(written.text)).toBe(written.text)
      }),
    )
  })
})
