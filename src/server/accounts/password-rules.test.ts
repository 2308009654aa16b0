import { describe, expect, test } from 'vitest'
import { findGuessableOrLeaked } from './password-rules.ts'

const ABOUT = {
  email: 'vera.vendas92@grupopatio.com.br',
  groupName: 'Grupo Silva & Irmãos',
  names: ['Motos BR', 'GM', 'Zurique'],
}

describe('a guessable password', () => {
  const isRefused = async (password: string, about = ABOUT) =>
    (await findGuessableOrLeaked(password, about)).length > 0

  test.each([
    ['on the list', '1qaz2wsx3edc4rfv'],
    ['on the list, in capitals', '1QAZ2WSX3EDC4RFV'],
    ['a listed word with trailing digits and symbols', 'Password2026!'],
    ['the same with look-alike digits', 'P4ssw0rd#2026'],
    ['leading symbols', '!!2026dragon!!'],
    ['a look-alike digit at its end', '2026!Adm1n1strat0r'],
    ['1 for l', '**football2026'.replace('l2', '12')],
    ['a common Brazilian password', 'Senha@123456'],
    ['one with an accent', 'Grêmio!202611'],
    ['a repeated common word', 'dragondragon'],
    ['a repeated group of characters', 'aB1!aB1!aB1!'],
    ['a repeated letter', 'zzzzzzzzzzzzzz'],
    ['ascending digits', '123456789012'],
    ['descending digits', '098765432109'],
    ['ascending letters', 'abcdefghijklm'],
    ['full-width characters', 'Ｐａｓｓｗｏｒｄ2026!'],
  ])('is rejected when common: %s', async (_, password) => {
    expect(await isRefused(password)).toBe(true)
  })

  test.each([
    ['the address', 'vera.vendas92@grupopatio.com.br'],
    ['the name before the @', 'x9-Vera.Vendas92-k3'],
    ['a part of it', 'Muitas#Vendas#77'],
    ['a part in look-alikes', 'Muitas#V3nd@s#77'],
    ['a separated part', 'Qk7 v-e-n-d-a-s 31'],
    ['the domain', 'gRup0p4tio-Xk92'],
    ['the name of the group', 'Xk92-Irmãos-Qw!'],
    ['the name of the product', 'Meu Pátio de 1987'],
    ['the same without the accent, in look-alikes', 'Meu P@t10 de 1987'],
  ])('is rejected when personal: %s', async (_, password) => {
    expect(await isRefused(password)).toBe(true)
  })

  test.each([
    ['Toyota@Toyota1', ['toyota']],
    ['Fiat@2026FIAT', ['fiat', '2026']],
    ['Brasil2026Brasil!', ['brasil', '2026']],
    ['SenhaForte123!', ['senha', 'forte', '123']],
    ['S3nh4-F0rt3-n0v4', ['s3nh4', 'f0rt3', 'n0v4']],
    ['Nova-Senha-Forte-77', ['nova', 'senha', 'forte']],
    ['Zurique#Motos2025', ['zurique', 'motos', '2025']],
    ['Toyota-12/05/2026', ['toyota', '2026']],
    ['Vendas do Brasil', ['vendas', 'brasil']],
    ['Zoe2026Zoe!!', ['zoe', '2026']],
    ['Hyundai000aaa', ['hyundai', '000', 'aaa']],
  ])(
    'is rejected when made only of names, common words, years and repetitions: %s',
    async (password, parts) => {
      const email = 'zoe@outra.com.br'
      expect(await findGuessableOrLeaked(password, { ...ABOUT, email })).toEqual(parts)
      // One unknown part makes it acceptable.
      expect(await findGuessableOrLeaked(`${password}Xq7vk`, { ...ABOUT, email })).toEqual([])
    },
  )

  test.each([
    'Uma-Senha-Longa-2026!',
    '12-34-56-78-90-12',
    'GM-Frota-Lunar-77',
    'cavalo correto bateria grampo',
    'Tr4vess1a#Lunar9',
    'Xk9#mQ2$vL7pTz',
    'grupo de corrida 31',
    '7391-8264-5508-1937',
  ])('excludes %s', async (password) => {
    expect(await isRefused(password)).toBe(false)
  })

  test('needs parts of more than three letters', async () => {
    const about = { ...ABOUT, email: 'ana.b@rio.com.br', groupName: 'Grupo Rio' }
    expect(await isRefused('Banana-Sobre-Rio-77', about)).toBe(false)
  })
})
