import { expect, test } from 'vitest'
import { quoteForeignWords } from './foreign-words.ts'

test.each([
  [
    '550 5.1.1 <nara.silva+x@grupo.com.br>: User\r\n550 unknown',
    '550 5.1.1 <***@grupo.com.br>: User 550 unknown',
  ],
  ['a\u202eb\u0000c\u200bd', 'a b c d'],
  [
    'seen https://portal.example/reset#token_hash=q-Zk3_x0123456789012345678901234567890123456789',
    'seen https://portal.example/reset#token_hash=***',
  ],
  ['RequestId 0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70', 'RequestId 0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70'],
  ['"two words"@grupo.com.br, joão@grupo.com.br', '***@grupo.com.br, ***@grupo.com.br'],
  ['x '.repeat(400), 'x '.repeat(250)],
])('quoteForeignWords(%j)', (said, quoted) => {
  expect(quoteForeignWords(said)).toBe(quoted)
})
