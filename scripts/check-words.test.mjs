import { expect, test } from 'vitest'
import { countWords, findLongComments, splitSentences } from './check-words.mjs'

/** @param {string} markdown */
const lengths = (markdown) => splitSentences(markdown).map(countWords).filter(Boolean)

test('a sentence ends at its full stop, and at the end of an item, a cell, a heading or a paragraph', () => {
  expect(lengths('# Two words\nOne two three. Four five\nsix.\n\n- one two\n- one')).toEqual([2, 3, 3, 2, 1])
  expect(lengths('| one | two three |\n| --- | --- |\n| four | five six seven |')).toEqual([1, 2, 1, 3])
})

test('code and quotations count as one word, blocks of code as none', () => {
  expect(lengths("Run `npm test -- --only unit` and read 'Tudo certo por aqui' or “mais um texto”.")).toEqual(
    [7],
  )
  expect(lengths('Before.\n\n```sh\nnpm run dev with many words\n```\n\nAfter it.')).toEqual([1, 2])
})

test('finds comment lines of more than 100 characters, whatever they are indented by', () => {
  const line = 'x'.repeat(100)
  expect(
    findLongComments('a.ts', `      // ${line}\n/**\n * ${line}\n */\nconst a = '// ${line}${line}'`),
  ).toEqual([])
  expect(findLongComments('a.ts', `// ${line}y\n/**\n * short\n * ${line}z\n */`)).toEqual([
    `${line}y`,
    `${line}z`,
  ])
})
