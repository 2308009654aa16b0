import { describe, expect, test } from 'vitest'
import { parseCompanyEmail } from './sign-up.ts'

const DOMAIN = 'grupopatio.com.br'

describe('the e-mail of a new account', () => {
  test.each([
    ['vera.vendas@grupopatio.com.br', 'vera.vendas@grupopatio.com.br'],
    ['Vera.Vendas@GrupoPatio.COM.br', 'vera.vendas@grupopatio.com.br'],
    ["d'avila@grupopatio.com.br", "d'avila@grupopatio.com.br"],
  ])('accepts %s', (typed, address) => {
    expect(parseCompanyEmail(typed, DOMAIN)).toBe(address)
  })

  test.each([
    ['another domain', 'vera@example.com'],
    ['a subdomain', 'vera@rj.grupopatio.com.br'],
    ['a longer domain', 'vera@grupopatio.com.br.example.com'],
    ['a domain with the same suffix', 'vera@ogrupopatio.com.br'],
    ['a trailing dot', 'vera@grupopatio.com.br.'],
    ['a Cyrillic letter in the domain', 'vera@gruporatio.com.br'.replace('r', '\u0433')],
    ['a Cyrillic а in the domain', 'vera@grupop\u0430tio.com.br'],
    ['a Cyrillic а in the name', 'ver\u0430@grupopatio.com.br'],
    ['a Kelvin sign, which lower-cases to k', 'vera\u212a@grupopatio.com.br'],
    ['a long s, which upper-cases to S', 'vera\u017f@grupopatio.com.br'],
    ['full-width letters', 'ｖera@grupopatio.com.br'],
    ['a quoted local part', '"vera@example.com"@grupopatio.com.br'],
    ['unnecessary quotes', '"vera"@grupopatio.com.br'],
    ['two addresses', 'eu@example.com,vera@grupopatio.com.br'],
    ['a second @', 'eu@example.com@grupopatio.com.br'],
    ['a line break', 'vera\r\nBcc: eu@example.com@grupopatio.com.br'],
    ['a space', 've ra@grupopatio.com.br'],
    ['a zero-width space', 'vera\u200b@grupopatio.com.br'],
    ['a NUL', 'vera\0@grupopatio.com.br'],
    ['no name', '@grupopatio.com.br'],
    ['angle brackets', 'Vera <vera@grupopatio.com.br>'],
  ])('rejects %s', (_, typed) => {
    expect(() => parseCompanyEmail(typed, DOMAIN)).toThrow('Apenas e-mails @grupopatio.com.br são permitidos')
  })

  test('rejects a tag, which would give one mailbox many accounts', () => {
    for (const typed of ['vera+1@grupopatio.com.br', '+@grupopatio.com.br'])
      expect(() => parseCompanyEmail(typed, DOMAIN)).toThrow("Use seu e-mail sem o sinal '+'")
  })

  test('rejects a Kelvin sign in the domain, which lower-cases to k', () => {
    expect(parseCompanyEmail('vera@KIA.com', 'kia.com')).toBe('vera@kia.com')
    expect(() => parseCompanyEmail('vera@\u212aia.com', 'kia.com')).toThrow(
      'Apenas e-mails @kia.com são permitidos',
    )
  })
})
