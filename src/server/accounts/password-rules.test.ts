import { describe, expect, test } from 'vitest'
import { isGuessable } from './password-rules.ts'

const ABOUT = { email: 'vera.vendas92@grupopatio.com.br', groupName: 'Grupo Silva & Irmãos' }

describe('a password that anybody could guess', () => {
  const isRefused = (password: string, about = ABOUT) => isGuessable(password, about)

  test.each([
    ['on the list', '1qaz2wsx3edc4rfv'],
    ['on the list, in capitals', '1QAZ2WSX3EDC4RFV'],
    ['a word of the list with digits and symbols behind', 'Password2026!'],
    ['the same with look-alike digits', 'P4ssw0rd#2026'],
    ['symbols in front', '!!2026dragon!!'],
    ['a look-alike digit at its end', '2026!Adm1n1strat0r'],
    ['1 for l', '**football2026'.replace('l2', '12')],
    ['a Brazilian favourite', 'Senha@123456'],
    ['one with an accent', 'Grêmio!202611'],
    ['a common word said twice', 'dragondragon'],
    ['a few letters again and again', 'aB1!aB1!aB1!'],
    ['one letter', 'zzzzzzzzzzzzzz'],
    ['digits in a row', '123456789012'],
    ['digits in a row, downwards', '098765432109'],
    ['letters in a row', 'abcdefghijklm'],
    ['a full-width way of writing it', 'Ｐａｓｓｗｏｒｄ2026!'],
  ])('common: %s', async (_, password) => {
    expect(await isRefused(password)).toBe(true)
  })

  test.each([
    ['the address', 'vera.vendas92@grupopatio.com.br'],
    ['the name before the @', 'x9-Vera.Vendas92-k3'],
    ['a part of it', 'Muitas#Vendas#77'],
    ['a part in look-alikes', 'Muitas#V3nd@s#77'],
    ['a part taken apart', 'Qk7 v-e-n-d-a-s 31'],
    ['the domain', 'gRup0p4tio-Xk92'],
    ['the name of the group', 'Xk92-Irmãos-Qw!'],
    ['the name of the product', 'Meu Pátio de 1987'],
    ['the same without the accent, in look-alikes', 'Meu P@t10 de 1987'],
  ])('personal: %s', async (_, password) => {
    expect(await isRefused(password)).toBe(true)
  })

  test.each([
    'Uma-Senha-Longa-2026!',
    'cavalo correto bateria grampo',
    'Tr4vess1a#Lunar9',
    'Xk9#mQ2$vL7pTz',
    'Nova-Senha-Forte-77',
    'grupo de corrida 31',
    '7391-8264-5508-1937',
  ])('%s is taken', async (password) => {
    expect(await isRefused(password)).toBe(false)
  })

  test('parts of three letters count for nothing', async () => {
    const about = { email: 'ana.b@rio.com.br', groupName: 'Grupo Rio' }
    expect(await isRefused('Banana-Sobre-Rio-77', about)).toBe(false)
  })
})
