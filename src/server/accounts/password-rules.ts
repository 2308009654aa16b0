import {
  fold,
  guessableParts,
  guessableSentence,
  type PersonalWords,
  readAsLetters,
  repeatedUnit,
} from '#contract/guessable-passwords.ts'
import { readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'

/** Parts that are shorter turn up in good passwords by chance. */
const MIN_WORD = 4

/** Favourites of Brazilian password lists that the library's international one lacks. */
const BRAZILIAN = `
  senha senhas minhasenha mudar mudeasenha trocar trocarsenha bemvindo bomdia teste brasil
  flamengo corinthians palmeiras saopaulo vasco cruzeiro gremio administrador concessionaria jesuscristo deusefiel
`

interface CommonWords {
  words: ReadonlySet<string>
  maxLength: number
}

let loaded: Promise<CommonWords> | undefined

/** The offline list of common and leaked passwords, in lower case; loaded when it is first asked for. */
async function loadCommonWords(): Promise<CommonWords> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const words = [...dictionary['passwords-common'], ...BRAZILIAN.trim().split(/\s+/)]
  return { words: new Set(words), maxLength: Math.max(...words.map(({ length }) => length)) }
}

/** The names that everybody in the group knows: those of its areas and brands. */
async function readKnownNames(db: Db): Promise<string[]> {
  const { types, marcas } = await readCatalogue(db)
  return [...types, ...marcas].flatMap(({ code, label }) => [code, label])
}

/**
 * Refuses common, leaked and personal passwords, and those that are made of known names and common words alone, in the
 * generic words of the rule; beside them it says which part is guessable.
 * @throws ProblemError password-rejected
 */
export async function refuseGuessable(
  { db, groupName }: { db: Db; groupName: string },
  { password, email }: { password: string; email: string },
): Promise<void> {
  const parts = await findGuessable(password, { email, groupName, names: await readKnownNames(db) })
  const message = guessableSentence(parts)
  if (message) throw new ProblemError('password-rejected', { fields: [{ path: 'password', message }] })
}

/**
 * The parts by which a password can be guessed, with the offline list of common and leaked ones; what is put around one
 * of those (Senha2026!) hides nothing. Not @zxcvbn-ts/core: it knows no names, and 'p4$$w0rd' said 16 times holds it up
 * for a second.
 */
export async function findGuessable(password: string, about: PersonalWords): Promise<string[]> {
  loaded ??= loadCommonWords()
  const parts = guessableParts(password, about)
  if (parts.length > 0) return parts
  const plain = fold(password)
  const common = findCommon(plain, await loaded) ?? findCommon(repeatedUnit(plain) ?? '', await loaded)
  return common ? [common] : []
}

function findCommon(password: string, common: CommonWords): string | undefined {
  return coresOf(password, common.maxLength).find((core) =>
    [core, ...readAsLetters(core)].some((reading) => common.words.has(reading)),
  )
}

/** What is left of a password without digits and symbols at its ends, as far as it is not too long for a word. */
function coresOf(password: string, maxLength: number): string[] {
  const first = password.search(/[a-z]/)
  if (first < 0) return [password]
  const last = password.search(/[a-z][^a-z]*$/)
  const cores: string[] = []
  // From the longest on: 'p4ssw0rd' says more than the word in its middle.
  for (let start = Math.max(0, last + 1 - maxLength); start <= first; start++)
    for (let end = Math.min(password.length, start + maxLength); end > last; end--)
      if (end - start >= MIN_WORD) cores.push(password.slice(start, end))
  return cores
}
